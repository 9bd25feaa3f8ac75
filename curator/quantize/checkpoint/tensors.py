"""The tensors of a checkpoint folder, in one file or in shards."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from curator._errors import InputError
from curator._files import read_json
from curator.models.regular_files import refuse_irregular

INDEX = "model.safetensors.index.json"


class Tensors:
    """All tensors of a folder by name: shapes and types from the files' heads, values read when asked for.

    Where there is an index, the files it names are the checkpoint: a folder may hold a second copy under other
    names (``consolidated.safetensors``), which no server reads.

    Args:
        folder: one with ``*.safetensors`` files.
        stack: closes the files.

    Attributes:
        folder: as given.
        unlisted: tensors that an index does not name though it names their file.

    Raises:
        InputError: no tensors, a shard that is missing or damaged, one name in two files.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._file: dict[str, Path] = {}
        self._handle: dict[str, Any] = {}
        for file in _files(folder):
            try:
                handle = stack.enter_context(safe_open(file, "pt"))
                names = list(handle.keys())
            except (SafetensorError, OSError) as error:
                raise InputError(f"{file}: not a readable safetensors file ({error})") from error
            for name in names:
                if name in self._file:
                    raise InputError(f"{name} is in both {self._file[name]} and {file}; keep one of them")
                self._file[name], self._handle[name] = file, handle
        listed = _check_index(folder, self._file)
        self.unlisted = [] if listed is None else sorted(set(self._file) - listed)

    def __iter__(self) -> Iterator[str]:
        """Names in sorted order."""
        return iter(sorted(self._file))

    def __contains__(self, name: object) -> bool:
        return name in self._file

    def __getitem__(self, name: str) -> Tensor:
        try:
            tensor: Tensor = self._handle[name].get_tensor(name)
        except SafetensorError as error:
            raise InputError(f"{self._file[name]}: {name} cannot be read ({error})") from error
        return tensor

    def file(self, name: str) -> Path:
        """The file that holds a tensor."""
        return self._file[name]

    def shape(self, name: str) -> tuple[int, ...]:
        """Sizes of a tensor, from the head of its file."""
        return tuple(self._handle[name].get_slice(name).get_shape())

    def dtype(self, name: str) -> str:
        """Type of a tensor as safetensors writes it: ``BF16``, ``U8``, ``F8_E4M3``."""
        return str(self._handle[name].get_slice(name).get_dtype())

    def size(self, name: str) -> int:
        """Bytes of a tensor."""
        bits = re.search(r"\d+", self.dtype(name))
        return math.prod(self.shape(name)) * (int(bits.group()) if bits else 8) // 8


def tensors_sha256(folder: Path) -> str:
    """One hash over all tensors: names, dtypes, shapes and bytes, in the order of names."""
    digest = hashlib.sha256()
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        for name in tensors:
            tensor = tensors[name]
            digest.update(f"{name}:{tensor.dtype}:{tuple(tensor.shape)}".encode())
            digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    refuse_irregular(folder)
    if (folder / INDEX).is_file():
        files = sorted({folder / name for name in weight_map(folder).values()})
        gone = [file.name for file in files if not file.is_file()]
        if gone:
            raise InputError(f"{folder / INDEX}: names {gone[0]}, which is missing ({len(gone)} such); fetch it")
    else:
        files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise InputError(f"{folder}: no *.safetensors file; give the folder of a checkpoint")
    return files


def _check_index(folder: Path, held: dict[str, Path]) -> set[str] | None:
    """Refuse an index that is wrong; returns what it lists, ``None`` without one."""
    if not (folder / INDEX).is_file():
        return None
    listed = weight_map(folder)
    for name, file in listed.items():
        if held.get(name) != folder / file:
            raise InputError(f"{folder / INDEX}: says that {name} is in {file}, which has no such tensor")
    return set(listed)


def weight_map(folder: Path) -> dict[str, str]:
    """The file of each tensor, as the index of a folder's shards has it.

    Raises:
        InputError: it is damaged, or leads out of the folder.
    """
    index = read_json(folder / INDEX)
    entries = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(entries, dict) or not all(_is_name(file) for file in entries.values()):
        raise InputError(f"{folder / INDEX}: weight_map must give a file's name for each tensor")
    return entries


def _is_name(file: object) -> bool:
    """Whether it is a file of the folder itself: an index must not lead elsewhere."""
    return isinstance(file, str) and file not in ("", ".", "..") and Path(file).name == file
