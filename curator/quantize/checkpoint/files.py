"""What goes along with the tensors when a checkpoint is written anew: tokenizer, template, custom code."""

from __future__ import annotations

import fnmatch
import shutil
from pathlib import Path
from typing import Any

from torch import Tensor

from curator._files import open_to_others, write_json
from curator.models.disk import disk_errors
from curator.quantize.checkpoint.stated import MODELOPT_FILE
from curator.quantize.checkpoint.tensors import INDEX

COPIED = ("*.json", "*.jinja", "*.model", "*.txt", "*.py", "*.tiktoken", "*.md", "LICENSE*", "NOTICE*")
# Written anew, or of the old folder alone.
_NOT_COPIED = ("config.json", INDEX, MODELOPT_FILE, "curate.json", "curate-twin.json", "curate-convert.json")
SHARD_BYTES = 2 << 30


def copy_files(source: Path, folder: Path) -> None:
    """Copy what a server or tokenizer may need; no tensors, no configuration, nothing hidden."""
    for file in sorted(source.iterdir()):
        named = any(fnmatch.fnmatchcase(file.name, pattern) for pattern in COPIED)
        if named and file.is_file() and file.name not in _NOT_COPIED and not file.name.startswith("."):
            shutil.copy2(file, folder / file.name)


class ShardWriter:
    """Writes tensors as they come, a few GiB a file, with an index when there are several.

    Args:
        folder: where.
        shard_bytes: a file is closed when it holds more.
    """

    def __init__(self, folder: Path, shard_bytes: int = SHARD_BYTES) -> None:
        self._folder = folder
        self._limit = shard_bytes
        self._held: dict[str, Tensor] = {}
        self._bytes = self._total = 0
        self._shards: list[list[str]] = []

    def add(self, name: str, tensor: Tensor) -> None:
        """Take one tensor."""
        self._held[name] = tensor.contiguous()
        size = tensor.numel() * tensor.element_size()
        self._bytes, self._total = self._bytes + size, self._total + size
        if self._bytes > self._limit:
            self._flush()

    def close(self) -> None:
        """Write the rest, and give the files their names."""
        self._flush()
        number = len(self._shards)
        names = [f"model-{index:05d}-of-{number:05d}.safetensors" for index in range(1, number + 1)]
        if number == 1:
            names = ["model.safetensors"]
        weight_map: dict[str, str] = {}
        for index, (held, name) in enumerate(zip(self._shards, names, strict=True)):
            self._part(index).rename(self._folder / name)
            weight_map |= dict.fromkeys(held, name)
        if number > 1:
            write_index(self._folder, weight_map, self._total)

    def _part(self, index: int) -> Path:
        return self._folder / f"part-{index}.tmp"

    def _flush(self) -> None:
        if self._held:
            save(self._held, self._part(len(self._shards)))
            self._shards.append(list(self._held))
        self._held, self._bytes = {}, 0


def save(tensors: dict[str, Tensor], file: Path, metadata: dict[str, str] | None = None) -> None:
    """Write one safetensors file.

    Raises:
        OSError: the disk is full; the caller's `atomic_folder` tells it.
    """
    from safetensors.torch import save_file

    with disk_errors():
        save_file(tensors, file, metadata={"format": "pt", **(metadata or {})})
    # The library makes files that nobody else may read, such as a server under a user of its own.
    open_to_others(file)


def write_index(folder: Path, weight_map: dict[str, str], total: int) -> None:
    """Write the index of several shards."""
    index: dict[str, Any] = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
    write_json(folder / INDEX, index)
