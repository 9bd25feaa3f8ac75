"""A baseline folder: continuations of the held-out prompts by the BF16 model, and its distributions."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import InputError
from curator.measure.baseline_files import full_name
from curator.measure.baseline_settings import Phase
from curator.measure.lists_file import NAMES, Arrays, unpack
from curator.measure.manifest import AGAIN, check_file, read_manifest
from curator.measure.partial import read_arrays
from curator.serve.interface import Scores, Window

_NAMES = {"float32": "FP32", "float": "FP32", "bfloat16": "BF16", "float16": "FP16", "half": "FP16"}
WINDOW_ARRAYS = ("ids", "offsets", "prompts", "starts", "picked", "picked_offsets")


class Baseline:
    """A baseline folder, opened: lists and windows, in less memory than a model takes.

    Attributes:
        folder: where it is.
        manifest: settings, facts of the server, hashes, mass in the lists; see ``collect``.
        prompts: prompt ids, tasks and corpora, in order.
        windows: token windows, in the same order.
        picked: of each window, which of its scored tokens are kept, counted from its start.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = read_manifest(folder)
        self.prompts: list[dict[str, Any]] = self.manifest["prompts"]
        self._checked: set[str] = set()
        arrays = read_arrays(self._file("windows.npz"), AGAIN, WINDOW_ARRAYS)
        try:
            _check_whole_numbers(arrays)
            self.windows = _windows(arrays)
            self.picked = _parts(arrays["picked"], arrays["picked_offsets"])
        except (ValueError, IndexError) as error:
            raise InputError(f"{folder}: windows.npz does not fit together ({error}); {AGAIN}") from error
        if not len(self.windows) == len(self.prompts) == len(self.picked):
            raise InputError(f"{folder}: windows.npz does not fit baseline.json; {AGAIN}")
        if len({prompt["id"] for prompt in self.prompts}) < len(self.prompts):
            # Two of one name would be one in every mean.
            raise InputError(f"{folder}: baseline.json names two prompts alike; {AGAIN}")
        for window, picked in zip(self.windows, self.picked, strict=True):
            if not 1 <= window.prompt <= window.start < len(window.ids) or not len(picked):
                raise InputError(f"{folder}: windows.npz has a window without scored tokens; {AGAIN}")
            if picked.min() < 0 or picked.max() >= window.scored:
                raise InputError(f"{folder}: windows.npz keeps tokens that its windows do not score; {AGAIN}")
            if min(window.ids) < 0 or max(window.ids) >= self.vocabulary:
                raise InputError(f"{folder}: windows.npz has ids outside the vocabulary; {AGAIN}")

    @property
    def reference(self) -> str:
        """What the reference was computed in: ``BF16``, ``FP32``; ``reference`` where that is not told."""
        return _NAMES.get(self.manifest["server"].get("dtype", ""), "reference")

    @property
    def sizes(self) -> list[int]:
        """The batch sizes taken, the primary one first."""
        return [int(size) for size in self.manifest["sizes"]]

    @property
    def batch_size(self) -> int:
        """The primary batch size."""
        return self.sizes[0]

    @property
    def top_k(self) -> int:
        """Length of the stored lists."""
        return int(self.manifest["settings"]["top_k"])

    @property
    def vocabulary(self) -> int:
        """Number of token ids."""
        return int(self.manifest["vocabulary"])

    def phases(self, batch_size: int) -> list[Phase]:
        """The phases taken at one batch size."""
        taken: list[Phase] = self.manifest["sizes"].get(str(batch_size), {}).get("phases", [])
        return taken

    def followed(self, batch_size: int) -> NDArray[np.int32] | None:
        """How many of each continuation's tokens free decoding at this batch size repeats, where it was tried."""
        counts = self.manifest["sizes"].get(str(batch_size), {}).get("followed")
        return None if counts is None else np.array(counts, dtype=np.int32)

    def continuation(self, index: int) -> tuple[int, ...]:
        """The tokens that the BF16 model wrote after a prompt."""
        window = self.windows[index]
        return window.ids[window.prompt :]

    def scores(self, batch_size: int, phase: Phase = "prefill") -> list[Scores]:
        """The stored distributions; full logits are mapped from disk, not read.

        Raises:
            InputError: this was not taken, or its files are damaged.
        """
        if phase not in self.phases(batch_size):
            raise InputError(f"{self.folder}: no {phase} at batch size {batch_size}; taken: {self._taken()}")
        file = self._file(f"batch-{batch_size}.npz")
        arrays = read_arrays(file, AGAIN, [f"{phase}_{name}" for name in NAMES])
        try:
            lists = unpack({name: arrays[f"{phase}_{name}"] for name in NAMES})
        except (ValueError, IndexError, TypeError) as error:
            raise InputError(f"{file}: damaged ({error}); {AGAIN}") from error
        ends = np.cumsum([len(picked) for picked in self.picked])
        if len(lists.chosen) != ends[-1]:
            raise InputError(f"{file}: {len(lists.chosen)} rows of lists for {ends[-1]} scored tokens; {AGAIN}")
        kept = phase == "prefill" and self.manifest["sizes"][str(batch_size)].get("full", False)
        full = _load_full(self._file(full_name(batch_size))) if kept else None
        if full is not None and len(full) != ends[-1]:
            raise InputError(f"{self.folder}: {len(full)} rows of logits for {ends[-1]} scored tokens; {AGAIN}")
        parts = [slice(end - len(picked), end) for end, picked in zip(ends, self.picked, strict=True)]
        return [
            Scores(
                lists.top_ids[part],
                lists.top_logprobs[part],
                lists.chosen[part],
                None if full is None else full[part],
            )
            for part in parts
        ]

    def _file(self, name: str) -> Path:
        """The path of a file; whether it is the manifest's own is looked up once."""
        if name not in self._checked:
            check_file(self.folder, self.manifest, name)
            self._checked.add(name)
        return self.folder / name

    def _taken(self) -> str:
        return "; ".join(f"batch {size}: {', '.join(self.phases(size))}" for size in self.sizes)


def pick(scores: Scores, rows: NDArray[np.int64]) -> Scores:
    """Some tokens of a window's scores."""
    if len(rows) == len(scores.chosen):
        return scores
    logits = None if scores.logits is None else scores.logits[rows]
    return Scores(scores.top_ids[rows], scores.top_logprobs[rows], scores.chosen[rows], logits)


def _check_whole_numbers(arrays: Arrays) -> None:
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise ValueError(f"{name}: {array.ndim} dimensions of {array.dtype}")


def _windows(arrays: Arrays) -> list[Window]:
    rows = zip(_parts(arrays["ids"], arrays["offsets"]), arrays["starts"], arrays["prompts"], strict=True)
    return [Window(tuple(ids.tolist()), int(start), int(prompt)) for ids, start, prompt in rows]


def _parts(values: NDArray[Any], offsets: NDArray[Any]) -> list[NDArray[Any]]:
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(values) or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets of {len(values)} values")
    return [values[begin:end] for begin, end in itertools.pairwise(offsets)]


def _load_full(file: Path) -> NDArray[Any]:
    """Full-vocabulary logits, mapped."""
    try:
        full: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{file}: damaged ({error}); {AGAIN}") from error
    return full
