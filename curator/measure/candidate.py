"""One candidate in every phase and at every batch size that it can be measured in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from curator._errors import InputError
from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Phase
from curator.measure.decode import decode_summary, free_limits, free_running
from curator.measure.partial import Partial
from curator.measure.real_sizes import real_sizes
from curator.measure.score import score_candidate
from curator.measure.token_progress import by_tokens, token_costs
from curator.serve.interface import Server


@dataclass(frozen=True, slots=True)
class Measured:
    """A candidate's numbers in one phase at one batch size.

    Attributes:
        phase: see `Settings.phases`.
        batch_size: as asked.
        table: per-token table, see `score_candidate`.
    """

    phase: Phase
    batch_size: int
    table: pd.DataFrame


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is going to be measured.

    Attributes:
        passes: phases and batch sizes, the primary number's first.
        unforced: why the decode phase cannot be forced; empty where it can, or is not asked.
        free: batch sizes at which the candidate writes by itself instead.
        notes: what is left out, in words.
    """

    passes: tuple[tuple[Phase, int], ...]
    unforced: str
    free: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def steps(self) -> int:
        """Passes of both kinds."""
        return len(self.passes) + len(self.free)


def look_ahead(baseline: Baseline, server: Server, sizes: Sequence[int], phases: Sequence[Phase]) -> Ahead:
    """Choose the passes that the baseline has and the server can run.

    Args:
        baseline: see baseline.py.
        server: the candidate.
        sizes: batch sizes asked; empty for all that the baseline has.
        phases: phases asked.

    Raises:
        InputError: the baseline has no such batch size, or not one of the phases.
    """
    missing = [size for size in sizes if size not in baseline.sizes]
    if missing:
        raise InputError(f"{baseline.folder}: no batch size {missing[0]}; taken: {baseline.sizes}")
    prompts = [window.ids[: window.prompt] for window in baseline.windows]
    new = max(len(window.ids) - window.prompt for window in baseline.windows)
    real = real_sizes(server, prompts, new, tuple(sizes) or tuple(baseline.sizes))
    taken = [size for size in real.real if size in baseline.sizes]
    if not taken:
        raise InputError(f"{baseline.folder}: none of its batch sizes can be run ({'; '.join(real.notes)})")
    passes: list[tuple[Phase, int]] = [
        (phase, size) for phase in phases for size in taken if phase in baseline.phases(size)
    ]
    if not passes:
        raise InputError(
            f"{baseline.folder}: no {' or '.join(phases)} at batch {taken}; choose another --phase or --batch-size"
        )
    reason = server.can_force() if any(phase == "decode" for phase, _ in passes) else None
    if reason is None:
        return Ahead(tuple(passes), "", (), real.notes)
    forced = tuple(one for one in passes if one[0] == "prefill")
    if not forced:
        raise InputError(
            f"decoding cannot be forced ({reason}) and nothing else is asked; leave out --phase decode"
        )
    free = [size for size in taken if "decode" in baseline.phases(size) or baseline.followed(size) is not None]
    return Ahead(forced, reason, tuple(free), real.notes)


def measure_candidate(
    baseline: Baseline, server: Server, ahead: Ahead, narrator: Narrator, partial: Partial | None = None
) -> list[Measured]:
    """Run the passes.

    Raises:
        InputError: the candidate gives what is no distribution.
        ServerError, RefusedError: the server failed, or its weights changed.
    """
    found = []
    windows = baseline.windows
    whole, prompts = [len(window.ids) for window in windows], [window.prompt for window in windows]
    new = [len(window.ids) - window.prompt for window in windows]
    for place, (phase, size) in enumerate(ahead.passes, 1):
        costs = token_costs(whole) if phase == "prefill" else token_costs(prompts, new)
        tokens = sum(whole if phase == "prefill" else new)
        label = f"{place}/{ahead.steps} {phase} at batch {size}, {tokens:,} tokens"
        with narrator.bar(label, sum(costs)) as advance:
            table = score_candidate(baseline, server, size, by_tokens(advance, costs), phase, partial)
            found.append(Measured(phase, size, table))
    return found


def run_freely(
    baseline: Baseline, server: Server, ahead: Ahead, narrator: Narrator, partial: Partial
) -> dict[str, Any]:
    """How long the candidate writes what the baseline wrote, by batch size; see `decode_summary`."""
    found = {}
    most = free_limits(baseline)
    costs = token_costs([window.prompt for window in baseline.windows], most)
    for place, size in enumerate(ahead.free, 1 + len(ahead.passes)):
        label = f"{place}/{ahead.steps} free decoding at batch {size}, up to {sum(most):,} tokens"
        with narrator.bar(label, sum(costs)) as advance:
            run = free_running(baseline, server, size, by_tokens(advance, costs), partial)
            found[str(size)] = decode_summary(baseline, run)
    return found
