"""A mix as the fragment of a recipe, with as few patterns as say it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curator.precision.formats import Format

# Of an expert's number in an escaped name.
_EXPERT = re.compile(r"(?<=experts\\\.)\d+(?=\\\.)")
# Where no rule matches.
_DEFAULT: Format = "nvfp4"


def precision_rules(modules: Mapping[str, Format], root: str) -> list[dict[str, str]]:
    """Rules for all linear layers that are not in NVFP4; each layer matches one at most.

    Args:
        modules: the format of every linear layer that a rule may touch, by full name.
        root: name of the list of decoder layers, such as ``model.layers``.

    Returns:
        ``{"layers": "re:...", "format"}``, as ``quantize.precision`` takes them.
    """
    # Which layers have a leaf in a format; then a rule for all leaves that do so in the same layers.
    layers: dict[tuple[Format, str, str], list[int]] = {}
    every: dict[tuple[str, str], set[int]] = {}
    for name, chosen in modules.items():
        layer, parent, leaf = _place(name, root)
        every.setdefault((parent, leaf), set()).add(layer)
        if chosen != _DEFAULT and layer not in (held := layers.setdefault((chosen, parent, leaf), [])):
            held.append(layer)
    leaves: dict[tuple[Format, str], dict[str, list[str]]] = {}
    for (chosen, parent, leaf), held in layers.items():
        where = r"\d+" if set(held) == every[parent, leaf] and len(held) > 1 else _either(map(str, sorted(held)))
        leaves.setdefault((chosen, where), {}).setdefault(parent, []).append(re.escape(leaf))
    rules = [
        {"layers": rf"re:{re.escape(root)}\.{where}\.{_within(named)}$", "format": chosen}
        for (chosen, where), named in leaves.items()
    ]
    wrong = [name for name, chosen in modules.items() if _format(name, rules) != chosen]
    # Formats within a layer's experts may differ only if a caller asks for what no part can be.
    assert not wrong, wrong[0]
    return rules


def fragment(rules: Sequence[Mapping[str, str]], ignore: Sequence[str] = ()) -> dict[str, Any]:
    """The part of a recipe that has the rules, and the layers that were left out of the measurement in BF16."""
    left = {"ignore": list(ignore)} if ignore else {}
    return {"quantize": {**left, "precision": [dict(rule) for rule in rules]}}


def _place(name: str, root: str) -> tuple[int, str, str]:
    """Layer, parent (a pattern that ends in a dot, or nothing) and leaf; an expert's number is any number."""
    layer, _, within = name.removeprefix(f"{root}.").partition(".")
    parent, dot, leaf = within.rpartition(".")
    return int(layer), _EXPERT.sub(lambda _: r"\d+", re.escape(f"{parent}{dot}")), leaf


def _within(named: Mapping[str, Sequence[str]]) -> str:
    """A pattern for leaves by their parent."""
    return _either(f"{parent}{_either(leaves)}" for parent, leaves in named.items())


def _either(patterns: Iterable[str]) -> str:
    """A pattern for any of some."""
    found = list(patterns)
    return found[0] if len(found) == 1 else f"({'|'.join(found)})"


def _format(name: str, rules: Sequence[Mapping[str, str]]) -> str:
    matching = (rule["format"] for rule in rules if re.match(rule["layers"].removeprefix("re:"), name))
    return next(matching, _DEFAULT)
