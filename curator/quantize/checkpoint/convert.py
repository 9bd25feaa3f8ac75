"""A checkpoint in the other layout, so that converting back gives the same tensors bit by bit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from curator._errors import InputError
from curator._files import atomic_folder, json_sha256, read_json, write_json
from curator._outputs import Ours
from curator.quantize.checkpoint.convert_config import (
    algorithms,
    compressed_tensors_config,
    modelopt_config,
    modelopt_in_config,
)
from curator.quantize.checkpoint.convert_tensors import TensorConverter
from curator.quantize.checkpoint.files import COPIED, copy_files, save, write_index
from curator.quantize.checkpoint.opened import Checkpoint, open_checkpoint
from curator.quantize.checkpoint.patterns import Layout
from curator.quantize.checkpoint.stated import MODELOPT_FILE
from curator.quantize.checkpoint.tensors import tensors_sha256
from curator.quantize.checkpoint.verify import check_checkpoint
from curator.quantize.preflight.disk import check_disk

CONVERT_NOTE = "curate-convert.json"
CONVERTED_FOLDER = Ours(
    "a converted checkpoint of ours", CONVERT_NOTE, "converted_from", ("*.safetensors", *COPIED)
)


@dataclass(frozen=True, slots=True)
class Converted:
    """What was converted.

    Attributes:
        layout: the new one.
        linears: quantised layers.
        tensors_sha256: of the new folder.
        kept: tensors of which the note holds the original bits.
    """

    layout: Layout
    linears: int
    tensors_sha256: str
    kept: int


def convert_checkpoint(source: Path, to: Layout, out: Path) -> Converted:
    """Write a checkpoint in the other layout; shards, tokenizer and the rest go along.

    ``curate-convert.json`` holds what the way back needs: the original configuration, and the bits of those scales
    that the reciprocal of the reciprocal would miss. Without that file the way back is right to a unit in the last
    place of a global scale.

    Args:
        source: a checkpoint without faults.
        to: its layout must be the other one.
        out: folder to write.

    Raises:
        InputError: no checkpoint of either layout, or already of this one.
        RefusedError: it has faults, or what the other layout cannot hold.
        DependencyError: there is not enough disk.
    """
    linears = check_checkpoint(source).linears
    with open_checkpoint(source) as opened, atomic_folder(out) as folder:
        if opened.stated.layout == to:
            raise InputError(f"{source}: is in the layout of {to} already")
        opened.refuse_unknown("converted")
        check_disk(out, sum(map(opened.tensors.size, opened.tensors)))
        note = _note_of(source, to)
        made = _write_config(opened, to, note, folder)
        converter = TensorConverter(opened, to, _kept(source, note))
        _write_shards(opened, converter, folder)
        write_json(
            folder / CONVERT_NOTE,
            {
                "converted_from": opened.stated.layout,
                "source_tensors_sha256": tensors_sha256(source),
                "config": {**_original(source, opened), "made_sha256": json_sha256(made)},
                "tensors": dict(sorted(converter.notes.items())),
                # How it was quantised, and with which set: a receipt of its own would have other tensors.
                "receipt": _receipt_of(source, note),
            },
        )
        copy_files(source, folder)
        check_checkpoint(folder)
        return Converted(to, linears, tensors_sha256(folder), len(converter.notes))


def _write_shards(opened: Checkpoint, converter: TensorConverter, folder: Path) -> None:
    """A file for each file, so that no more than one is held in memory."""
    by_file: dict[str, list[str]] = {}
    for name in opened.tensors:
        by_file.setdefault(opened.tensors.file(name).name, []).append(name)
    weight_map: dict[str, str] = {}
    total = 0
    for file, names in sorted(by_file.items()):
        held: dict[str, Tensor] = {}
        for name in names:
            new_name, tensor = converter.convert(name, opened.tensors[name])
            held[new_name] = tensor.contiguous()
            total += tensor.numel() * tensor.element_size()
        save(held, folder / file)
        weight_map |= dict.fromkeys(held, file)
    if len(by_file) > 1:
        write_index(folder, weight_map, total)


def _write_config(opened: Checkpoint, to: Layout, note: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write ``config.json`` and its companion; the quantisation part that was written."""
    apart: dict[str, Any] | None = None
    if _is_unchanged(opened, note):
        own, apart = note["config"]["quantization_config"], note["config"].get(MODELOPT_FILE)
    elif to == "modelopt":
        section = modelopt_config(opened)
        own = modelopt_in_config(section, algorithms(opened))
        apart = {"producer": {"name": "curate"}, "quantization": section}
    else:
        own = compressed_tensors_config(opened)
    write_json(folder / "config.json", {**opened.config, **({"quantization_config": own} if own else {})})
    if apart:
        write_json(folder / MODELOPT_FILE, apart)
    return own or {}


def _is_unchanged(opened: Checkpoint, note: dict[str, Any]) -> bool:
    """Whether the configuration is still the one that we made of the original that the note holds."""
    config = note.get("config")
    if not isinstance(config, dict) or not {"quantization_config", MODELOPT_FILE} <= set(config):
        return False
    own = opened.stated.config.get("quantization_config") or {}
    return bool(config.get("made_sha256") == json_sha256(own))


def _original(source: Path, opened: Checkpoint) -> dict[str, Any]:
    apart = source / MODELOPT_FILE
    return {
        "quantization_config": opened.stated.config.get("quantization_config"),
        MODELOPT_FILE: read_json(apart) if apart.is_file() else None,
    }


def _note_of(source: Path, to: Layout) -> dict[str, Any]:
    """The note of a folder that was converted from ``to`` before; empty for others."""
    file = source / CONVERT_NOTE
    note = read_json(file) if file.is_file() else {}
    return note if isinstance(note, dict) and note.get("converted_from") == to else {}


def _kept(source: Path, note: dict[str, Any]) -> dict[str, Any]:
    """What the note says of tensors, by their names."""
    tensors = note.get("tensors") or {}
    if not isinstance(tensors, dict) or not all(isinstance(one, dict) for one in tensors.values()):
        raise InputError(f"{source / CONVERT_NOTE}: its tensors are damaged; remove the file")
    return tensors


def _receipt_of(source: Path, note: dict[str, Any]) -> Any:
    """The receipt of the quantisation, from the folder that was quantised or by way of its note."""
    file = source / "curate.json"
    return read_json(file) if file.is_file() else note.get("receipt")
