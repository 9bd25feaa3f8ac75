"""Taking a baseline: decode the held-out prompts with the BF16 model, and keep its distributions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import atomic_folder, named_as, remove, write_json
from curator._lock import folder_lock
from curator._outputs import Ours, refuse_foreign
from curator._progress import Advance, Narrator
from curator.measure.baseline import Baseline
from curator.measure.baseline_files import mass_by_task, save_full, save_lists, save_windows, size_entry
from curator.measure.baseline_settings import Phase, Settings
from curator.measure.decode_prompts import decode_again, decode_prompts, followed, windows_of, written
from curator.measure.full_logits import need_room
from curator.measure.heldout import Prompt, prompts_sha256
from curator.measure.lists_file import Arrays, unpack
from curator.measure.manifest import FORMAT_VERSION, MANIFEST, hashes
from curator.measure.partial import SILENT, Partial, beside, claimed, partial_folder
from curator.measure.token_progress import by_tokens, token_costs
from curator.measure.window_passes import force_windows, has_full, prefill_windows
from curator.measure.work import Work, known_before
from curator.serve.interface import Server, Window
from curator.tokens.tokenizer import Tokenizer

BASELINE_FOLDER = Ours(
    "a baseline folder",
    MANIFEST,
    "prompts_sha256",
    (MANIFEST, "windows.npz", "batch-*.npz", "full-*.npy", "tasks.json"),
)


def collect(
    server: Server,
    tokenizer: Tokenizer,
    prompts: Sequence[Prompt],
    settings: Settings,
    out: Path,
    advance: Advance,
    *,
    held: bool = False,
    narrator: Narrator = SILENT,
    note: str = "",
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
        held: ``begin`` holds the folder for the caller.
        narrator: told where a stopped run goes on, and shows each pass.
        note: what a report must say about the model.

    Returns:
        The baseline, opened.

    Raises:
        DependencyError: no room on the disk, or the server failed.
        InputError: a prompt is empty after tokenising, ``out`` holds something else, or another measurement was
            begun there.
        RefusedError: the model's weights changed on the way.
    """
    refuse_foreign(out, BASELINE_FOLDER)
    out = Path(os.path.abspath(out))
    work = Work.of(server, tokenizer, prompts, settings)
    # A server by URL gives lists only: nothing of that size will be written.
    if settings.full and server.facts().get("backend") != "sglang":
        need_room(out.parent, len(prompts) * settings.tokens * tokenizer.size, settings)
    of = len(prompts) * passes(settings, work.sizes.real)
    part = beside(out)
    with (
        named_as(part, out),
        partial_folder(part, work.begun(), server, held=held, of=of, narrator=narrator) as partial,
    ):
        windows = _measure(work, partial, advance, narrator)
        lists = {size: _lists(work, partial, size) for size in work.sizes.real}
        with atomic_folder(out) as folder:
            save_windows(folder, windows, [settings.picked(window) for window in windows])
            save_full(folder, partial.folder, [size for size in lists if has_full(partial, size)])
            for size, phases in lists.items():
                save_lists(folder, size, phases)
            manifest = _manifest(work, partial, tokenizer, windows, lists)
            manifest["notes"] += [note] if note and note not in manifest["notes"] else []
            write_json(folder / MANIFEST, {**manifest, "files": hashes(folder)})
    return Baseline(out)


def _measure(work: Work, partial: Partial, advance: Advance, narrator: Narrator) -> list[Window]:
    """All passes, each shown by its name and tokens; the windows."""
    total, places = passes(work.settings, work.sizes.real), count(1)

    @contextmanager
    def shown(name: str, tokens: str, costs: Sequence[int]) -> Iterator[Advance]:
        label = f"{next(places)}/{total} {name}, {tokens} tokens"
        with narrator.bar(label, sum(costs)) as own:
            told = by_tokens(own, costs)

            def both(prompts: int) -> None:
                told(prompts)
                advance(prompts)

            yield both

    primary, read = work.sizes.real[0], list(map(len, work.encoded))
    most = f"up to {sum(work.limits):,}"
    with shown(f"decode at batch {primary}", most, token_costs(read, work.limits)) as done:
        decode_prompts(work, partial, done)
    windows = windows_of(work, written(work, partial))
    whole = [len(window.ids) for window in windows]
    new = [len(window.ids) - window.prompt for window in windows]
    for size in work.sizes.real:
        if "prefill" in work.settings.phases:
            with shown(f"prefill at batch {size}", f"{sum(whole):,}", token_costs(whole)) as done:
                prefill_windows(work, partial, windows, size, done)
        if work.forced(size):
            with shown(f"forced decode at batch {size}", f"{sum(new):,}", token_costs(read, new)) as done:
                force_windows(work, partial, windows, size, done)
        elif work.further(size):
            with shown(f"decode again at batch {size}", most, token_costs(read, work.limits)) as done:
                decode_again(work, partial, windows, size, done)
    return windows


@contextmanager
def begin(out: Path, tokenizer: Tokenizer, prompts: Sequence[Prompt], settings: Settings) -> Iterator[None]:
    """Hold the folder that a baseline is taken in, before its model is opened.

    Raises:
        InputError: another process takes one there, one was begun there with something else, or a prompt is empty.
    """
    busy = f"{out}: another curate is at work here"
    with claimed(beside(Path(os.path.abspath(out))), known_before(tokenizer, prompts, settings), busy):
        yield


def sweep_finished(out: Path) -> None:
    """Remove what lies beside a whole baseline where a kill came between its last step and the end."""
    part = beside(Path(os.path.abspath(out)))
    if part.is_dir():
        # Held by another process, it is none of ours.
        with suppress(InputError), folder_lock(part):
            remove(part)


def passes(settings: Settings, sizes: Sequence[int]) -> int:
    """How often each prompt is counted as done: once decoded, and once for each further pass."""
    decoded = len(sizes) - 1 if "decode" in settings.phases else 0
    return 1 + decoded + (len(sizes) if "prefill" in settings.phases else 0)


def _lists(work: Work, partial: Partial, size: int) -> dict[Phase, list[Arrays]]:
    """Packed lists of each phase taken at a batch size, in the order of the prompts."""
    total = len(work.prompts)
    found: dict[Phase, list[Arrays]] = {}
    if "prefill" in work.settings.phases:
        found["prefill"] = partial.results(f"prefill-{size}", total)
    if work.forced(size):
        found["decode"] = partial.results(f"decode-{size}", total)
    elif "decode" in work.settings.phases and not work.further(size):
        found["decode"] = written(work, partial)
    return found


def _manifest(
    work: Work,
    partial: Partial,
    tokenizer: Tokenizer,
    windows: list[Window],
    lists: dict[int, dict[Phase, list[Arrays]]],
) -> dict[str, Any]:
    primary = next(iter(lists[work.sizes.real[0]].values()))
    ended = [bool(result["finished"]) for result in written(work, partial)]
    sizes = {str(size): size_entry(phases, has_full(partial, size)) for size, phases in lists.items()}
    for size in lists:
        if work.further(size) and not work.forced(size):
            sizes[str(size)]["followed"] = followed(work, partial, size)
    # Counted by an SGLang server alone.
    together = getattr(work.server, "decoded_at_once", {})
    return {
        "format": FORMAT_VERSION,
        "server": work.server.facts(),
        "weights": partial.weights,
        "tokenizer": tokenizer.fingerprint,
        "vocabulary": tokenizer.size,
        "prompts_sha256": prompts_sha256(work.prompts),
        "asked": work.known,
        "settings": {**work.settings.stored(), "top_k": int(unpack(primary[0]).top_ids.shape[1])},
        "sizes": sizes,
        **({"decoded_at_once": {str(size): mean for size, mean in together.items()}} if together else {}),
        "mass": mass_by_task([prompt.task for prompt in work.prompts], primary),
        "notes": list(dict.fromkeys([*work.sizes.notes, *work.server.notes, *_unforced(work)])),
        "scored_tokens": sum(len(work.settings.picked(window)) for window in windows),
        "prompts": [
            {"id": p.id, "task": p.task, "corpus": p.corpus, "language": p.language, "finished": end}
            for p, end in zip(work.prompts, ended, strict=True)
        ],
    }


def _unforced(work: Work) -> list[str]:
    """Why decoded distributions of further batch sizes are missing."""
    reason = work.server.can_force()
    if reason is None or not any(work.further(size) for size in work.sizes.real):
        return []
    return [f"decoded distributions at batch {work.sizes.real[0]} only: {reason}"]
