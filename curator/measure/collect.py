"""Taking a baseline: decode the held-out prompts with the BF16 model, and keep its distributions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from curator._errors import InputError
from curator._files import atomic_folder, write_json
from curator._outputs import Ours, refuse_foreign
from curator._progress import Advance
from curator.measure.baseline import FORMAT_VERSION, Baseline, pick
from curator.measure.baseline_files import mass_by_task, save_full, save_lists, save_windows, size_entry
from curator.measure.baseline_settings import Phase, Settings
from curator.measure.full_logits import FullLogits, need_room
from curator.measure.heldout import Prompt, prompts_sha256
from curator.measure.lists_file import pack, unpack
from curator.measure.partial import Arrays, Partial, beside, partial_folder
from curator.measure.real_sizes import Sizes, real_sizes
from curator.serve.interface import Continuation, Sampling, Server, Window
from curator.tokens.tokenizer import Tokenizer

BASELINE_FOLDER = Ours(
    "a baseline folder",
    "baseline.json",
    "prompts_sha256",
    ("baseline.json", "windows.npz", "batch-*.npz", "full-*.npy"),
)


def collect(
    server: Server,
    tokenizer: Tokenizer,
    prompts: Sequence[Prompt],
    settings: Settings,
    out: Path,
    advance: Advance,
) -> Baseline:
    """Decode and score the held-out prompts with the BF16 model and write a baseline folder.

    A killed run leaves what is done in a hidden folder beside ``out``; the same call goes on and ends in the same
    bytes.

    Args:
        server: the reference model.
        tokenizer: its tokenizer.
        prompts: the held-out prompts.
        settings: see there.
        out: folder to write; takes its name only when whole.
        advance: called with the number of prompts done since the last call, `passes` times their number in all.

    Returns:
        The baseline, opened.

    Raises:
        DependencyError: no room on the disk, or the server failed.
        InputError: a prompt is empty after tokenising, or ``out`` holds something else.
        RefusedError: the model's weights changed on the way.
    """
    refuse_foreign(out, BASELINE_FOLDER)
    work = _Work.of(server, tokenizer, prompts, settings)
    # A server by URL gives lists only: nothing of that size will be written.
    if settings.full and server.facts().get("backend") != "sglang":
        need_room(out.absolute().parent, len(prompts) * settings.tokens * tokenizer.size, settings)
    with partial_folder(beside(Path(os.path.abspath(out))), work.begun(tokenizer), server) as partial:
        windows, finished = _decode(work, partial, advance)
        for size in work.sizes.real:
            _score(work, partial, windows, size, advance)
        lists = {size: _lists(work, partial, size) for size in work.sizes.real}
        with atomic_folder(out) as folder:
            save_windows(folder, windows, [settings.picked(window) for window in windows])
            save_full(folder, partial.folder)
            for size, phases in lists.items():
                save_lists(folder, size, phases)
            write_json(folder / "baseline.json", _manifest(work, partial, tokenizer, windows, finished, lists))
    return Baseline(out)


def passes(settings: Settings) -> int:
    """How often each prompt is counted as done: once decoded, and once for each further pass."""
    decoded = len(settings.batch_sizes) - 1 if "decode" in settings.phases else 0
    return 1 + decoded + (len(settings.batch_sizes) if "prefill" in settings.phases else 0)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is asked of which model.

    Attributes:
        server: the reference model.
        prompts: in the order measured.
        encoded: their token ids.
        settings: see there.
        sizes: the batch sizes that are real.
    """

    server: Server
    prompts: list[Prompt]
    encoded: list[list[int]]
    settings: Settings
    sizes: Sizes

    @staticmethod
    def of(server: Server, tokenizer: Tokenizer, prompts: Sequence[Prompt], settings: Settings) -> _Work:
        encoded = [prompt.encode(tokenizer) for prompt in prompts]
        for prompt, ids in zip(prompts, encoded, strict=True):
            if not ids:
                raise InputError(f"held-out prompt {prompt.id}: no tokens")
        # Near-equal lengths share a batch: less padding, and the order depends on nothing but the prompts.
        order = sorted(range(len(prompts)), key=lambda index: (len(encoded[index]), prompts[index].id))
        prompts, encoded = [prompts[index] for index in order], [encoded[index] for index in order]
        _check_lengths(server, prompts, encoded, settings)
        new = max(settings.new_tokens(prompt) for prompt in prompts)
        return _Work(server, prompts, encoded, settings, real_sizes(server, encoded, new, settings.batch_sizes))

    @property
    def top_k(self) -> int:
        return self.settings.top_k

    def begun(self, tokenizer: Tokenizer) -> dict[str, Any]:
        """What must be the same for going on."""
        return {
            "format": FORMAT_VERSION,
            "server": self.server.facts(),
            "tokenizer": tokenizer.fingerprint,
            "prompts_sha256": prompts_sha256(self.prompts),
            "settings": {**self.settings.stored(), "full": self.settings.full},
            "batch_sizes": list(self.sizes.real),
        }


def _check_lengths(
    server: Server, prompts: Sequence[Prompt], encoded: list[list[int]], settings: Settings
) -> None:
    """Refuse a prompt that cannot fit before any is decoded: the longest would be reached last."""
    longest = server.longest()
    for prompt, ids in zip(prompts, encoded, strict=True):
        new = settings.new_tokens(prompt)
        if longest is not None and len(ids) + new > longest:
            raise InputError(
                f"held-out prompt {prompt.id}: {len(ids)} tokens and {new} new ones do not fit into the model's "
                f"{longest}; shorten the prompt or its answer (--max-new, here or of curate heldout)"
            )


def _decode(work: _Work, partial: Partial, advance: Advance) -> tuple[list[Window], list[bool]]:
    """Decode prompts of one limit together, whatever their places; the windows, and which answers were ended."""
    limits = [work.settings.new_tokens(prompt) for prompt in work.prompts]
    windows: dict[int, Window] = {}
    finished: dict[int, bool] = {}
    for limit in dict.fromkeys(limits):
        places = [place for place, own in enumerate(limits) if own == limit]
        _decode_group(work, partial, limit, [work.encoded[place] for place in places], advance)
        for place, result in zip(places, partial.results(f"written-{limit}", len(places)), strict=True):
            ids = work.encoded[place]
            windows[place] = work.settings.window(len(ids), (*ids, *result["new"].tolist()))
            finished[place] = bool(result["finished"])
    return [windows[place] for place in range(len(limits))], [finished[place] for place in range(len(limits))]


def _decode_group(work: _Work, partial: Partial, limit: int, asked: list[list[int]], advance: Advance) -> None:
    lists = "decode" in work.settings.phases
    keep = limit if work.settings.place == "spread" else work.settings.tokens
    size = work.sizes.real[0]

    def ask(begin: int) -> Iterator[Arrays]:
        rest = asked[begin:]
        answers = (
            work.server.generate(rest, Sampling(limit), size, top_k=work.top_k, keep=keep)
            if lists
            else work.server.generate(rest, Sampling(limit), size)
        )
        for ids, answer in zip(rest, answers, strict=True):
            yield _written(work.settings, ids, answer)

    partial.run(f"written-{limit}", len(asked), size, ask, work.server, advance)


def _written(settings: Settings, prompt: Sequence[int], answer: Continuation) -> Arrays:
    """A continuation, and the lists of its scored tokens where they were asked."""
    window = settings.window(len(prompt), (*prompt, *answer.ids))
    lists = {} if answer.scores is None else pack(pick(answer.scores, settings.picked(window)))
    return {"new": np.array(answer.ids, dtype=np.int32), "finished": np.array(answer.finished), **lists}


def _score(work: _Work, partial: Partial, windows: list[Window], size: int, advance: Advance) -> None:
    """The passes over finished windows at one batch size; the primary one has decoded them already."""
    settings, server = work.settings, work.server
    full = FullLogits(partial.folder, size, [len(settings.picked(window)) for window in windows])

    def prefilled(begin: int) -> Iterator[Arrays]:
        rest = windows[begin:]
        for index, scores in enumerate(server.score(rest, work.top_k, size), begin):
            kept = pick(scores, settings.picked(windows[index]))
            if settings.full and kept.logits is not None:
                full.keep(index, kept.logits)
            yield pack(kept)

    def decoded(begin: int) -> Iterator[Arrays]:
        rest = windows[begin:]
        for window, scores in zip(rest, server.force(rest, work.top_k, size), strict=True):
            yield pack(pick(scores, settings.picked(window)))

    if "prefill" in settings.phases:
        partial.run(f"prefill-{size}", len(windows), size, prefilled, server, advance)
    if _forced(work, size):
        partial.run(f"decode-{size}", len(windows), size, decoded, server, advance)


def _forced(work: _Work, size: int) -> bool:
    """Whether a batch size beside the primary one is decoded along what the primary one wrote."""
    further = "decode" in work.settings.phases and size != work.sizes.real[0]
    return further and work.server.can_force() is None


def _lists(work: _Work, partial: Partial, size: int) -> dict[Phase, list[Arrays]]:
    """Packed lists of each phase taken at a batch size, in the order of the prompts."""
    total = len(work.prompts)
    found: dict[Phase, list[Arrays]] = {}
    if "prefill" in work.settings.phases:
        found["prefill"] = partial.results(f"prefill-{size}", total)
    if _forced(work, size):
        found["decode"] = partial.results(f"decode-{size}", total)
    elif "decode" in work.settings.phases and size == work.sizes.real[0]:
        limits = [work.settings.new_tokens(prompt) for prompt in work.prompts]
        written = {limit: iter(partial.results(f"written-{limit}", limits.count(limit))) for limit in set(limits)}
        found["decode"] = [next(written[limit]) for limit in limits]
    return found


def _manifest(
    work: _Work,
    partial: Partial,
    tokenizer: Tokenizer,
    windows: list[Window],
    finished: list[bool],
    lists: dict[int, dict[Phase, list[Arrays]]],
) -> dict[str, Any]:
    primary = next(iter(lists[work.sizes.real[0]].values()))
    tasks = [prompt.task for prompt in work.prompts]
    notes = [*work.sizes.notes, *work.server.notes]
    reason = work.server.can_force()
    if reason and "decode" in work.settings.phases and len(work.sizes.real) > 1:
        notes.append(f"decoded at batch {work.sizes.real[0]} only: {reason}")
    return {
        "format": FORMAT_VERSION,
        "server": work.server.facts(),
        "weights": partial.weights,
        "tokenizer": tokenizer.fingerprint,
        "vocabulary": tokenizer.size,
        "prompts_sha256": prompts_sha256(work.prompts),
        "settings": {**work.settings.stored(), "top_k": int(unpack(primary[0]).top_ids.shape[1])},
        "sizes": {str(size): size_entry(phases) for size, phases in lists.items()},
        "mass": mass_by_task(tasks, primary),
        "notes": list(dict.fromkeys(notes)),
        "scored_tokens": sum(len(work.settings.picked(window)) for window in windows),
        "prompts": [
            {"id": p.id, "task": p.task, "corpus": p.corpus, "language": p.language, "finished": ended}
            for p, ended in zip(work.prompts, finished, strict=True)
        ],
    }
