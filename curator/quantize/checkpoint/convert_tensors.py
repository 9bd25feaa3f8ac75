"""Tensors from one layout to the other, and the few that need a note to come back as they were.

The layouts differ in names, in the shape of a single number ([1] or []), and in the global scales: a divisor here,
a multiplier there. In float32 the reciprocal of the reciprocal is the number itself for 83 % of all numbers only:
where numbers lie closer than reciprocals, two divisors have the same multiplier. No choice of the reciprocal mends
that; where any leads back, the nearest does. So a tensor that the way back would not make as it was is kept in the
note beside the checkpoint, bit by bit, and is taken from there if what is stored still is what it was turned into.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from curator._errors import InputError, RefusedError
from curator.quantize.checkpoint.linear import LEAVES, QuantisedLinear, Role
from curator.quantize.checkpoint.opened import Checkpoint, attention_of
from curator.quantize.checkpoint.patterns import Layout

# How a tensor is carried over: unchanged; a number whose shape changes; a reciprocal; one number a row.
Kind = Literal["same", "number", "reciprocal", "rows"]
Note = dict[str, Any]


class TensorConverter:
    """Renames and inverts the tensors of one checkpoint.

    Args:
        checkpoint: opened.
        to: the other layout.
        kept: of a checkpoint that was converted before, what its note holds, by the names that it has now.
    """

    def __init__(self, checkpoint: Checkpoint, to: Layout, kept: dict[str, Note]) -> None:
        self._to = to
        self._from = checkpoint.stated.layout
        self._kept = kept
        self._kinds: dict[str, tuple[str, Kind]] = {}
        for linear in checkpoint.linears.values():
            self._add_linear(linear)
        for name in checkpoint.parts.kv:
            self._kinds[name] = (_kv_name(name, to), "number")
        self.notes: dict[str, Note] = {}

    def _add_linear(self, linear: QuantisedLinear) -> None:
        for role in ("weight", "block_scale", "global_scale", "input_scale"):
            name = linear.tensor_name(role)
            if name is None:
                continue
            self._kinds[name] = (self._new_name(linear, role, name), _kind(linear, role))

    def _new_name(self, linear: QuantisedLinear, role: Role, name: str) -> str:
        return f"{linear.name}.{LEAVES[self._to][role]}" if linear.format == "nvfp4" else name

    def convert(self, name: str, tensor: Tensor) -> tuple[str, Tensor]:
        """The new name and tensor of one that is stored.

        Raises:
            RefusedError: a global scale whose reciprocal float32 cannot hold.
        """
        new_name, kind = self._kinds.get(name, (name, "same"))
        made = _carried(tensor, kind, self._to)
        if kind == "reciprocal" and not (bool(torch.isfinite(made).all()) and bool((made > 0).all())):
            raise RefusedError(f"{name} is {float(tensor):.4g}: float32 holds no reciprocal of it")
        if name in self._kept:
            old_name, old = _from_note(self._kept[name], name)
            # Only if it still is what we made of it: somebody may have changed the scale since.
            if _equal(_carried(old, kind, self._from), tensor):
                new_name, made = old_name, old
        if kind != "same" and not (
            self._back_name(new_name, name) == name and _equal(_carried(made, kind, self._from), tensor)
        ):
            self.notes[new_name] = _to_note(name, tensor)
        return new_name, made

    def _back_name(self, new_name: str, name: str) -> str:
        """What the way back would call it; only the names of KV scales depend on who wrote them."""
        return _kv_name(new_name, self._from) if new_name.rpartition(".")[2] in ("k_scale", "v_scale") else name


def _kind(linear: QuantisedLinear, role: Role) -> Kind:
    if linear.format == "nvfp4":
        return "reciprocal" if role in ("global_scale", "input_scale") else "same"
    if role == "weight":
        return "same"
    scale = linear.stored(role)
    return "number" if scale is not None and scale.numel() == 1 else "rows"


def _carried(tensor: Tensor, kind: Kind, to: Layout) -> Tensor:
    """The tensor as ``to`` has it."""
    if kind == "same":
        return tensor
    if kind == "rows":
        return tensor.reshape(-1, 1) if to == "compressed-tensors" else tensor.reshape(-1)
    if tensor.numel() != 1:
        # KV scales a head.
        return tensor
    number = tensor.reshape(1) if to == "compressed-tensors" else tensor.reshape(())
    return 1 / number.to(torch.float32) if kind == "reciprocal" else number


def _kv_name(name: str, to: Layout) -> str:
    module, leaf = attention_of(name)
    return f"{module}.{leaf}" if to == "compressed-tensors" else f"{module}.{leaf[0]}_proj.{leaf}"


def _equal(one: Tensor, other: Tensor) -> bool:
    """Equal in type, shape and every bit."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return torch.equal(_bytes(one), _bytes(other))


def _bytes(tensor: Tensor) -> Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _to_note(name: str, tensor: Tensor) -> Note:
    return {
        "name": name,
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "bytes": bytes(_bytes(tensor).tolist()).hex(),
    }


def _from_note(note: Note, name: str) -> tuple[str, Tensor]:
    try:
        raw = torch.frombuffer(bytearray.fromhex(note["bytes"]), dtype=torch.uint8)
        dtype = getattr(torch, note["dtype"])
        return str(note["name"]), raw.view(dtype).reshape(note["shape"])
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise InputError(f"curate-convert.json: the note on {name} is damaged; remove the file") from error
