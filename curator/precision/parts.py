"""The parts of a model that are quantised or spared as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import nn

from curator._errors import InputError
from curator.precision.formats import By
from curator.quantize.e2m1 import BLOCK
from curator.quantize.layer_formats import no_linears_words, other_matrices
from curator.quantize.layer_names import MERGED
from curator.recipe.name_pattern import NamePattern

# Servers' names for what they merge into one matrix.
_MERGED = {
    leaf: name for name, leaves in zip(("qkv_proj", "gate_up_proj", "w13"), MERGED, strict=True) for leaf in leaves
}
_EXPERTS = re.compile(r"(?P<experts>(?:.*\.)?experts)\.\d+\.")


@dataclass(frozen=True, slots=True)
class Part:
    """Linear layers that share a format.

    Attributes:
        name: ``layers.3.mlp.down_proj`` of a group, ``layers.3`` of a layer, ``mlp.down_proj`` of a pattern.
        modules: full names, in the model's order.
        weights: how many weights they have.
        first: the first decoder layer that has some of them.
    """

    name: str
    modules: tuple[str, ...]
    weights: int
    first: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The linear layers of a model's decoder layers.

    Attributes:
        root: the name of the list of decoder layers, such as ``model.layers``.
        layers: the decoder layers.
        linears: those that can be quantised, by full name.
        merged: of each linear, those that servers merge with it (itself too): they share a global scale.
        spared: names that are left in BF16, each with the reason.
        others: weights and other parameters of the model outside ``linears``.
    """

    root: str
    layers: Sequence[nn.Module]
    linears: Mapping[str, nn.Linear]
    merged: Mapping[str, tuple[str, ...]]
    spared: Mapping[str, str]
    others: int

    @property
    def weights(self) -> int:
        """Weights that a format is chosen for."""
        return sum(linear.weight.numel() for linear in self.linears.values())


def layout_of(model: Any, ignore: Iterable[str] = ()) -> Layout:
    """Find the decoder layers and their linear layers.

    Args:
        model: a causal language model.
        ignore: names, or ``re:`` patterns, of linear layers that stay in BF16.

    Raises:
        InputError: the model has no list of layers with linear layers, or a pattern is not one.
    """
    root, layers = _decoder_layers(model)
    tests = [_test(entry) for entry in ignore]
    linears: dict[str, nn.Linear] = {}
    spared: dict[str, str] = {}
    for name, module in model.named_modules():
        if not isinstance(module, nn.Linear) or not name.startswith(f"{root}."):
            continue
        if any(test(name) for test in tests):
            spared[name] = "ignored"
        elif module.in_features % BLOCK:
            spared[name] = f"{module.in_features} columns, not a multiple of {BLOCK}"
        else:
            linears[name] = module
    if not linears:
        raise InputError("no linear layer is left to quantise; name fewer with --ignore")
    together: dict[str, list[str]] = {}
    for name in linears:
        parent, _, leaf = name.rpartition(".")
        together.setdefault(f"{parent}.{_MERGED.get(leaf, leaf)}", []).append(name)
    merged = {name: tuple(names) for names in together.values() for name in names}
    # A tied head is one parameter with the embedding, and counted once.
    total = sum(parameter.numel() for parameter in model.parameters())
    others = total - sum(linear.weight.numel() for linear in linears.values())
    return Layout(root, tuple(layers), linears, merged, spared, others)


def parts_of(layout: Layout, by: By) -> list[Part]:
    """The parts of a model, in its order.

    Args:
        layout: see above.
        by: ``group``, what servers merge or keep as one matrix, and all experts of a layer; ``layer``, a whole
            decoder layer; ``pattern``, the same group of every layer.
    """
    short = layout.root.rpartition(".")[2]
    named: dict[str, list[str]] = {}
    for name in layout.linears:
        layer, kind = _place(layout, name)
        label = {"group": f"{short}.{layer}.{kind}", "layer": f"{short}.{layer}", "pattern": kind}[by]
        named.setdefault(label, []).append(name)
    return [
        Part(
            label,
            tuple(names),
            sum(layout.linears[name].weight.numel() for name in names),
            min(_place(layout, name)[0] for name in names),
        )
        for label, names in named.items()
    ]


def _place(layout: Layout, name: str) -> tuple[int, str]:
    """The layer of a linear, and its group within the layer."""
    layer, _, within = name.removeprefix(f"{layout.root}.").partition(".")
    experts = _EXPERTS.match(within)
    if experts:
        return int(layer), experts["experts"]
    parent, dot, leaf = within.rpartition(".")
    return int(layer), f"{parent}{dot}{_MERGED.get(leaf, leaf)}"


def _decoder_layers(model: Any) -> tuple[str, nn.ModuleList]:
    """The list of layers with the most weights in linear layers; lists within lists (experts) are not asked."""
    found: dict[str, nn.ModuleList] = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.ModuleList) and not any(name.startswith(f"{outer}.") for outer in found):
            found[name] = module
    sizes = {name: _linear_weights(layers) for name, layers in found.items()}
    root = max(sizes, key=lambda name: sizes[name], default="")
    if not sizes.get(root):
        others = other_matrices(model)
        raise InputError(
            no_linears_words(others)
            if others
            else "the model has no list of decoder layers with linear layers: nothing to measure apart"
        )
    return root, found[root]


def _linear_weights(module: nn.Module) -> int:
    return sum(inner.weight.numel() for inner in module.modules() if isinstance(inner, nn.Linear))


def _test(entry: str) -> Callable[[str], bool]:
    if not entry.startswith("re:"):
        return entry.__eq__
    try:
        return NamePattern(entry).begins
    except ValueError as error:
        raise InputError(f"--ignore: {error}") from error
