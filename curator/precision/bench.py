"""A model on its held-out windows, ready to be measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError, RefusedError
from curator._files import json_sha256, write_json
from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Settings
from curator.measure.collect import collect
from curator.measure.heldout import DEFAULT_SOURCES, Prompt, load_prompts, make_heldout
from curator.measure.heldout.shipped import DEFAULT_PER_TASK
from curator.precision.prompts import split_prompts
from curator.quantize.linear_experts import linearize_experts
from curator.rank.stored import read_result
from curator.serve.in_process import InProcess
from curator.serve.interface import Dtype, Window
from curator.tokens.tokenizer import Tokenizer

# The lists are not used here; a baseline must have some.
_TOP_K = 8


@dataclass(frozen=True, slots=True)
class Sample:
    """Windows of held-out prompts.

    Attributes:
        ids: of the prompts.
        tasks: their kinds.
        windows: prompt and BF16 continuation, of which the tail is scored.
    """

    ids: tuple[str, ...]
    tasks: tuple[str, ...]
    windows: tuple[Window, ...]

    @property
    def scored(self) -> int:
        """Scored tokens."""
        return sum(window.scored for window in self.windows)

    @property
    def tokens(self) -> int:
        """Tokens that the model reads."""
        return sum(len(window.ids) for window in self.windows)


@contextmanager
def opened(model: Path, dtype: Dtype, trust_remote_code: bool) -> Iterator[InProcess]:
    """A BF16 model in this process, its experts as linear layers, freed at the end."""
    server = InProcess(model, None, dtype, trust_remote_code)
    device = next(server.model.parameters()).device
    if linearize_experts(server.model):
        # New layers are made on the CPU.
        server.model.to(device)
    try:
        yield server
    finally:
        server.close()


def chosen_prompts(heldout: Path | None, count: int) -> list[Prompt]:
    """Twice ``count`` prompts of a file, or of those that come with the install.

    Raises:
        InputError: too few of a task.
    """
    per_task = max(DEFAULT_PER_TASK, 2 * math.ceil(count / len(DEFAULT_SOURCES)))
    prompts = load_prompts(heldout) if heldout else make_heldout(per_task)
    measured, kept = split_prompts([(prompt.id, prompt.task) for prompt in prompts], count)
    return [prompts[place] for place in sorted([*measured, *kept])]


def own_baseline(
    server: InProcess,
    model: Path,
    model_hash: str,
    prompts: Sequence[Prompt],
    settings: Settings,
    folder: Path,
    narrator: Narrator,
) -> Baseline:
    """The baseline of the prompts in ``folder``, taken unless it is there from the same things."""
    tokenizer = Tokenizer(model)
    key = json_sha256(
        [
            model_hash,
            server.facts(),
            [(prompt.id, prompt.encode(tokenizer)) for prompt in prompts],
            settings.tokens,
        ]
    )
    key_file = folder.parent / f"{folder.name}-key.json"
    if (read_result(key_file) or {}).get("key") == key:
        return Baseline(folder)
    with narrator.bar(f"BF16 continuations of {len(prompts)} prompts", len(prompts) * 2) as advance:
        baseline = collect(server, tokenizer, prompts, settings, folder, advance)
    write_json(key_file, {"key": key})
    return baseline


def baseline_settings(tokens: int, batch_size: int) -> Settings:
    """Settings of a baseline that is only decoded: logits are computed anew beside each candidate's."""
    return Settings(tokens, tokens, _TOP_K, (batch_size,), False, tokens)


def given_baseline(model: Path, folder: Path, count: int) -> Baseline:
    """A baseline that the user has, of which only the windows are used.

    Raises:
        InputError: it has too few prompts of a task.
        RefusedError: another tokenizer made it.
    """
    baseline = Baseline(folder)
    if baseline.manifest["tokenizer"] != Tokenizer(model).fingerprint:
        raise RefusedError(
            f"{folder}: a baseline of another tokenizer than that of {model}; take one of this model"
        )
    samples_of(baseline, count)
    return baseline


def samples_of(baseline: Baseline, count: int) -> tuple[Sample, Sample]:
    """Windows to measure parts on, and others to confirm on; see `split_prompts`."""
    parts = split_prompts([(prompt["id"], prompt["task"]) for prompt in baseline.prompts], count)
    measured, kept = (_sample(baseline, places) for places in parts)
    return measured, kept


def sample_of(baseline: Baseline, ids: Sequence[str]) -> Sample:
    """The windows of the prompts named.

    Raises:
        InputError: the baseline has no such prompt.
    """
    places = {prompt["id"]: place for place, prompt in enumerate(baseline.prompts)}
    missing = [name for name in ids if name not in places]
    if missing:
        raise InputError(f"{baseline.folder}: no prompt {missing[0]}; measure again with `curate sensitivity`")
    return _sample(baseline, [places[name] for name in ids])


def _sample(baseline: Baseline, places: Sequence[int]) -> Sample:
    chosen: list[dict[str, Any]] = [baseline.prompts[place] for place in places]
    return Sample(
        tuple(prompt["id"] for prompt in chosen),
        tuple(prompt["task"] for prompt in chosen),
        tuple(baseline.windows[place] for place in places),
    )
