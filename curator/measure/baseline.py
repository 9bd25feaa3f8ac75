"""The BF16 baseline: greedy continuations of the held-out prompts and their distributions."""

from __future__ import annotations

import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import DependencyError, InputError
from curator._files import atomic_folder, read_json, write_json
from curator._outputs import Ours, refuse_foreign
from curator.measure.baseline_settings import Settings
from curator.measure.heldout import Prompt, prompts_sha256
from curator.serve.interface import Sampling, Scores, Server, Window
from curator.tokens.tokenizer import Tokenizer

FORMAT_VERSION = 1
BASELINE_FOLDER = Ours(
    "a baseline folder",
    "baseline.json",
    "prompts_sha256",
    ("baseline.json", "windows.npz", "batch-*.npz", "full-*.npy"),
)
_AGAIN = "take the baseline again with `curate baseline`"
Advance = Callable[[int], None]


class Baseline:
    """A baseline folder, opened.

    Attributes:
        folder: where it is.
        manifest: settings, facts of the server, hashes; see ``collect``.
        prompts: prompt ids, tasks and corpora, in order.
        windows: token windows, in the same order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = _read_manifest(folder)
        ids, offsets, starts = _load_arrays(folder / "windows.npz", ("ids", "offsets", "starts"))
        self.prompts: list[dict[str, str]] = self.manifest["prompts"]
        if not len(offsets) - 1 == len(starts) == len(self.prompts) or offsets[-1] != len(ids):
            raise InputError(f"{folder}: windows.npz does not fit baseline.json; {_AGAIN}")
        self.windows = [
            Window(tuple(ids[begin:end].tolist()), int(start))
            for begin, end, start in zip(offsets[:-1], offsets[1:], starts, strict=True)
        ]
        if not all(1 <= window.start < len(window.ids) for window in self.windows):
            raise InputError(f"{folder}: windows.npz has a window without scored tokens; {_AGAIN}")

    @property
    def batch_size(self) -> int:
        """The primary batch size."""
        return int(self.manifest["settings"]["batch_sizes"][0])

    @property
    def top_k(self) -> int:
        """Length of the stored lists."""
        return int(self.manifest["settings"]["top_k"])

    def scores(self, batch_size: int) -> list[Scores]:
        """The stored distributions at one batch size; full logits are mapped from disk, not read.

        Raises:
            InputError: this batch size was not taken, or its files are damaged.
        """
        file = self.folder / f"batch-{batch_size}.npz"
        if not file.is_file():
            raise InputError(
                f"{self.folder}: no batch size {batch_size}; taken: {self.manifest['settings']['batch_sizes']}"
            )
        top_ids, top_logprobs, chosen = _load_arrays(file, ("top_ids", "top_logprobs", "chosen"))
        full = _load_full(self.folder / f"full-{batch_size}.npy")
        scored = sum(window.scored for window in self.windows)
        for name, array in (("top-K ids", top_ids), ("top-K logprobs", top_logprobs), ("logprobs", chosen)):
            if len(array) != scored:
                raise InputError(f"{file}: {len(array)} rows of {name} for {scored} scored tokens; {_AGAIN}")
        if full is not None and len(full) != scored:
            raise InputError(f"{self.folder}: {len(full)} rows of logits for {scored} scored tokens; {_AGAIN}")
        result, begin = [], 0
        for window in self.windows:
            part = slice(begin, begin + window.scored)
            logits = None if full is None else full[part]
            result.append(Scores(top_ids[part], top_logprobs[part], chosen[part], logits))
            begin += window.scored
        return result


def _read_manifest(folder: Path) -> dict[str, Any]:
    manifest = read_json(folder / "baseline.json")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT_VERSION:
        raise InputError(f"{folder}: a baseline of another version; {_AGAIN}")
    missing = [
        name for name in ("server", "tokenizer", "vocabulary", "settings", "prompts") if name not in manifest
    ]
    if missing:
        raise InputError(f"{folder}/baseline.json: no {', '.join(missing)}; {_AGAIN}")
    return manifest


def _load_arrays(file: Path, names: tuple[str, ...]) -> list[NDArray[Any]]:
    """Arrays of an ``.npz`` file. Nothing is unpickled."""
    try:
        # Opened here: numpy leaves a damaged file open when it is given a name.
        with file.open("rb") as handle, np.load(handle, allow_pickle=False) as arrays:
            return [arrays[name] for name in names]
    except FileNotFoundError as error:
        raise InputError(f"{file}: no such file; {_AGAIN}") from error
    # A cut file is a bad zip archive; a changed byte is a wrong checksum, a wrong header or a missing name.
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{file}: damaged ({error}); {_AGAIN}") from error


def _load_full(file: Path) -> NDArray[Any] | None:
    """Full-vocabulary logits, mapped; ``None`` when they were not kept."""
    if not file.is_file():
        return None
    try:
        full: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{file}: damaged ({error}); {_AGAIN}") from error
    return full


def collect(
    server: Server,
    tokenizer: Tokenizer,
    prompts: Sequence[Prompt],
    settings: Settings,
    out: Path,
    advance: Advance,
) -> Baseline:
    """Decode and score the held-out prompts with the BF16 model and write a baseline folder.

    Args:
        server: the reference model.
        tokenizer: its tokenizer.
        prompts: the held-out prompts.
        settings: see above.
        out: folder to write; takes its name only when whole.
        advance: called with the number of prompts done since the last call.

    Returns:
        The baseline, opened.

    Raises:
        DependencyError: no room on the disk, or the server failed.
        InputError: a prompt is empty after tokenising, or ``out`` holds something else.
    """
    refuse_foreign(out, BASELINE_FOLDER)
    encoded = [prompt.encode(tokenizer) for prompt in prompts]
    for prompt, ids in zip(prompts, encoded, strict=True):
        if not ids:
            raise InputError(f"held-out prompt {prompt.id}: no tokens")
    # Near-equal lengths share a batch: less padding, and the order depends on nothing but the prompts.
    order = sorted(range(len(prompts)), key=lambda index: (len(encoded[index]), prompts[index].id))
    prompts, encoded = [prompts[index] for index in order], [encoded[index] for index in order]
    _check_lengths(server, prompts, encoded, settings)
    # A server by URL gives lists only: nothing of that size will be written.
    if settings.full and server.facts().get("backend") != "sglang":
        most = len(prompts) * settings.tokens * tokenizer.size * 4 * len(settings.batch_sizes)
        _need_room(Path(os.path.abspath(out)).parent, most)
    windows = _decode(server, prompts, encoded, settings, advance)
    scored = sum(window.scored for window in windows)
    with atomic_folder(out) as folder:
        _save_windows(folder, windows)
        for batch_size in settings.batch_sizes:
            _save_scores(folder, server, windows, settings, batch_size, scored, advance)
        manifest = {
            "format": FORMAT_VERSION,
            "server": server.facts(),
            "tokenizer": tokenizer.fingerprint,
            "vocabulary": tokenizer.size,
            "prompts_sha256": prompts_sha256(prompts),
            "settings": {
                "tokens": settings.tokens,
                "max_new": settings.max_new,
                **({} if settings.most_new is None else {"most_new": settings.most_new}),
                "top_k": min(settings.top_k, tokenizer.size),
                "batch_sizes": list(settings.batch_sizes),
                "window": "last",
                "sampling": "greedy, temperature 1 in logprobs",
            },
            "notes": list(server.notes),
            "scored_tokens": scored,
            "prompts": [{"id": p.id, "task": p.task, "corpus": p.corpus, "language": p.language} for p in prompts],
        }
        write_json(folder / "baseline.json", manifest)
    return Baseline(out)


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


def _decode(
    server: Server, prompts: Sequence[Prompt], encoded: list[list[int]], settings: Settings, advance: Advance
) -> list[Window]:
    """Decode prompts of one limit together, whatever their places."""
    limits = [settings.new_tokens(prompt) for prompt in prompts]
    windows: dict[int, Window] = {}
    for limit in dict.fromkeys(limits):
        places = [place for place, own in enumerate(limits) if own == limit]
        asked = [encoded[place] for place in places]
        continuations = server.generate(asked, Sampling(limit), settings.batch_sizes[0])
        for place, ids, continuation in zip(places, asked, continuations, strict=True):
            whole = tuple(ids) + continuation.ids
            windows[place] = Window(whole, max(len(ids), len(whole) - settings.tokens))
            advance(1)
    return [windows[place] for place in range(len(encoded))]


def _save_windows(folder: Path, windows: list[Window]) -> None:
    lengths = [len(window.ids) for window in windows]
    np.savez(
        folder / "windows.npz",
        ids=np.concatenate([np.array(window.ids, dtype=np.int32) for window in windows]),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        starts=np.array([window.start for window in windows], dtype=np.int64),
    )


def _save_scores(
    folder: Path,
    server: Server,
    windows: list[Window],
    settings: Settings,
    batch_size: int,
    scored: int,
    advance: Advance,
) -> None:
    lists: list[Scores] = []
    full: np.memmap[Any, np.dtype[np.float32]] | None = None
    begin = 0
    for scores in server.score(windows, settings.top_k, batch_size):
        if settings.full and scores.logits is not None:
            if full is None:
                shape = (scored, scores.logits.shape[-1])
                full = np.lib.format.open_memmap(folder / f"full-{batch_size}.npy", "w+", np.float32, shape)
            full[begin : begin + len(scores.logits)] = scores.logits
            begin += len(scores.logits)
        lists.append(Scores(scores.top_ids, scores.top_logprobs, scores.chosen))
        advance(1)
    if full is not None:
        full.flush()
    np.savez(
        folder / f"batch-{batch_size}.npz",
        top_ids=np.concatenate([scores.top_ids for scores in lists]),
        top_logprobs=np.concatenate([scores.top_logprobs for scores in lists]),
        chosen=np.concatenate([scores.chosen for scores in lists]),
    )


def _need_room(folder: Path, size: int) -> None:
    """Refuse before the work, not after it: writing past a full disk through a memory map kills the process."""
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < size * 1.05:
        raise DependencyError(
            f"{folder}: {free / 1e6:,.0f} MB free, full-vocabulary logits need up to {size / 1e6:,.0f} MB; "
            "free space, lower --tokens, or use --no-full (top-K lists only)"
        )
