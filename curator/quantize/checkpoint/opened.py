"""A checkpoint folder, opened: what is quantised in it and what is not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from torch import Tensor

from curator._errors import RefusedError
from curator.quantize.checkpoint.linear import FP8_LEAVES, LEAVES, Format, QuantisedLinear
from curator.quantize.checkpoint.patterns import Layout
from curator.quantize.checkpoint.stated import KVCache, Stated, read_stated
from curator.quantize.checkpoint.tensors import Tensors
from curator.recipe.quantize_methods import Scheme

# Tensors that exist only for a quantised weight.
SCALES = frozenset(
    {leaf for leaves in LEAVES.values() for leaf in leaves.values()}
    | {leaf for leaves in FP8_LEAVES.values() for leaf in leaves}
) - {"weight"}
KV_SCALES = ("k_scale", "v_scale")
FLOATS = ("BF16", "F16", "F32", "F64")
_NO_LINEAR = re.compile(r"embed|wte$|wpe$|norm|(^|\.)ln_|rotary|conv|codebook|pos_emb|relative_attention_bias")
_ROUTER = re.compile(r"\.(gate|router|shared_expert_gate|gate\.wg|router\.layer|classifier)$")


@dataclass(frozen=True, slots=True)
class Parts:
    """The names in a checkpoint, by what they are.

    Attributes:
        quantised: linear layers in NVFP4 or FP8, by module: format and the layout that the names follow.
        plain: linear layers that are not quantised, routers of experts left out.
        strays: scales whose weight is not quantised.
        kv: scales of the KV cache, in full.
        unknown: tensors that we cannot read, such as several experts in one.
    """

    quantised: dict[str, tuple[Format, Layout]]
    plain: list[str]
    strays: list[str]
    kv: list[str]
    unknown: list[str]


class Checkpoint:
    """A quantised checkpoint; see `open_checkpoint`."""

    def __init__(self, folder: Path, stated: Stated, tensors: Tensors) -> None:
        self.folder = folder
        self.stated = stated
        self.tensors = tensors
        self.parts = _sorted_parts(tensors)

    @cached_property
    def linears(self) -> dict[str, QuantisedLinear]:
        """Quantised linear layers by module name, in the order of names."""
        return {
            name: QuantisedLinear(self.tensors, name, form, layout, self.stated.targeting(name))
            for name, (form, layout) in self.parts.quantised.items()
        }

    @property
    def scheme(self) -> Scheme:
        """``W4A4`` when the input of an NVFP4 layer is quantised, else ``W4A16``."""
        nvfp4 = [linear.quantises_input for linear in self.linears.values() if linear.format == "nvfp4"]
        if not nvfp4:
            nvfp4 = [group.activations != "none" for group in self.stated.groups if group.format == "nvfp4"]
        return "W4A4" if any(nvfp4) else "W4A16"

    @property
    def kv_cache(self) -> KVCache:
        """How the configuration has keys and values stored."""
        return self.stated.kv_cache

    @property
    def config(self) -> dict[str, Any]:
        """``config.json`` of the model as it was before it was quantised."""
        return {key: value for key, value in self.stated.config.items() if key != "quantization_config"}

    def refuse_unknown(self, done: str) -> None:
        """Refuse when there are tensors that we cannot read.

        Args:
            done: what cannot be done with them.

        Raises:
            RefusedError: names the first and tells how many.
        """
        unknown = self.parts.unknown
        if unknown:
            raise RefusedError(
                f"{self.folder}: {unknown[0]} is not understood ({len(unknown)} such), so it cannot be {done}"
            )

    @property
    def parameters(self) -> int:
        """Weights of the model, scales left out."""
        quantised = sum(math.prod(linear.shape) for linear in self.linears.values())
        scales = self._taken | set(self.parts.strays)
        return quantised + sum(math.prod(self.tensors.shape(name)) for name in self.tensors if name not in scales)

    def untouched(self) -> list[str]:
        """Tensors that belong to no quantised layer and are no scales of the KV cache, in the order of names."""
        return [name for name in self.tensors if name not in self._taken]

    def rest(self) -> Iterator[tuple[str, Tensor]]:
        """The tensors of `untouched`, one after another."""
        for name in self.untouched():
            yield name, self.tensors[name]

    @cached_property
    def _taken(self) -> set[str]:
        roles = ("weight", "block_scale", "global_scale", "input_scale", "pre_scale")
        names = {linear.tensor_name(role) for linear in self.linears.values() for role in roles}  # type: ignore[arg-type]
        return {name for name in names if name} | set(self.parts.kv)

    def kv_scales(self) -> dict[str, tuple[Tensor | None, Tensor | None]]:
        """Scales of keys and values by attention module: multipliers (amax / 448, or wider)."""
        found: dict[str, list[Tensor | None]] = {}
        for name in self.parts.kv:
            module, leaf = attention_of(name)
            found.setdefault(module, [None, None])[KV_SCALES.index(leaf)] = self.tensors[name]
        return {module: (key, value) for module, (key, value) in sorted(found.items())}


@contextmanager
def open_checkpoint(folder: Path) -> Iterator[Checkpoint]:
    """Open a folder of either layout.

    Raises:
        InputError: no quantised checkpoint that we read; a damaged or missing file.
    """
    with ExitStack() as stack:
        stated = read_stated(folder)
        yield Checkpoint(folder, stated, Tensors(folder, stack))


def attention_of(name: str) -> tuple[str, str]:
    """The attention module and the kind of a KV scale.

    compressed-tensors stores ``self_attn.k_scale``, ModelOpt ``self_attn.k_proj.k_scale``.
    """
    module, _, leaf = name.rpartition(".")
    return module.removesuffix(f".{leaf[0]}_proj"), leaf


def is_linear_weight(name: str, shape: tuple[int, ...], dtype: str) -> bool:
    """Whether a tensor of an unquantised model looks like the weight of a linear layer."""
    module, _, leaf = name.rpartition(".")
    return leaf == "weight" and len(shape) == 2 and dtype in FLOATS and not _NO_LINEAR.search(module)


def is_router(module: str) -> bool:
    """Whether a linear chooses experts: servers keep those as they are, listed or not."""
    return bool(_ROUTER.search(module))


def _sorted_parts(tensors: Tensors) -> Parts:
    parts = Parts({}, [], [], [], [])
    scales = []
    for name in tensors:
        module, _, leaf = name.rpartition(".")
        shape, dtype = tensors.shape(name), tensors.dtype(name)
        # A tensor of no module at all is nobody's weight.
        found = _quantised(leaf, dtype, len(shape)) if module else None
        if found and not (found[0] == "nvfp4" and _is_other_four_bit(tensors, module)):
            parts.quantised[module] = found
        elif leaf in KV_SCALES:
            parts.kv.append(name)
        elif leaf in SCALES and leaf != "weight_packed":
            scales.append(name)
        elif is_linear_weight(name, shape, dtype):
            if not is_router(module):
                parts.plain.append(module)
        elif _is_unknown(name, shape, dtype):
            parts.unknown.append(name)
    known = set(parts.quantised)
    unread = {name.rpartition(".")[0] for name in parts.unknown}
    for name in scales:
        module = name.rpartition(".")[0]
        if module not in known:
            (parts.unknown if module in unread else parts.strays).append(name)
    return parts


def _quantised(leaf: str, dtype: str, dimensions: int) -> tuple[Format, Layout] | None:
    """What the weight of a quantised linear tells by its name and type."""
    if dimensions != 2:
        return None
    if leaf == "weight_packed" and dtype == "U8":
        return "nvfp4", "compressed-tensors"
    if leaf == "weight" and dtype == "U8":
        return "nvfp4", "modelopt"
    # FP8 has the same names in both layouts: it fits either.
    return ("fp8", "compressed-tensors") if leaf == "weight" and dtype == "F8_E4M3" else None


def _is_other_four_bit(tensors: Tensors, module: str) -> bool:
    """MXFP4 is packed alike, but its block scales are powers of two in a uint8."""
    scale = f"{module}.weight_scale"
    return scale in tensors and tensors.dtype(scale) == "U8"


def _is_unknown(name: str, shape: tuple[int, ...], dtype: str) -> bool:
    """Several experts in one tensor, or a weight of a type that we do not read."""
    experts = len(shape) == 3 and "expert" in name
    return experts or (len(shape) >= 2 and dtype not in (*FLOATS, "BOOL", "I64"))
