"""What a short Python program prints: programs made as trees, which are evaluated here and never run."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from curator.corpora.generators.mcq.problem import Problem, Slip, of_side, three_slips
from curator.corpora.generators.mcq.story import texts

_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two leaves or on an operation and a leaf, such as ``(a + 3) * b``.

    Attributes:
        sign: one of + - * // %.
        left: an operation, a name or a number.
        right: a name or a number; never zero where it divides.
    """

    sign: str
    left: Binary | str | int
    right: str | int

    def written(self, values: Mapping[str, int] | None = None) -> str:
        """The operation as Python writes it; with ``values``, names are replaced by their numbers."""
        left = f"({self.left.written(values)})" if isinstance(self.left, Binary) else _leaf(self.left, values)
        return f"{left} {self.sign} {_leaf(self.right, values)}"

    def value(self, values: Mapping[str, int]) -> int:
        """What it comes to."""
        left = self.left.value(values) if isinstance(self.left, Binary) else _number(self.left, values)
        return _OPERATORS[self.sign](left, _number(self.right, values))


def make(rng: random.Random, language: str, *, heldout: bool) -> Problem:
    """A program of a few lines that prints one number."""
    told = texts(language)["code"]
    told = {**told, **told["heldout"]} if heldout else told
    shape = rng.choice((_straight, _loop, _branch))
    lines, value, slips, steps = shape(rng, told, heldout=heldout)
    wording = told["wordings"][rng.choice(of_side(tuple(told["wordings"]), heldout=heldout))]
    question = wording.format(code="\n".join(["```python", *lines, "```"]))
    wrong = [Slip(str(one), told[why].format(value=one)) for one, why in slips]
    steps.append(told["print"].format(value=value))
    return Problem(question, str(value), three_slips(rng, str(value), wrong, language), tuple(steps))


_Made = tuple[list[str], int, list[tuple[int, str]], list[str]]
"""Lines, the number printed, wrong numbers with the key of their reason, and steps."""


def _straight(rng: random.Random, told: Mapping[str, Any], *, heldout: bool) -> _Made:
    # Of few short programs some would be on both sides: their variables are not.
    names = rng.sample(of_side("abcdkmnpxy", heldout=heldout), 3)
    values = {names[0]: rng.randint(4, 19)}
    first = Binary(rng.choice("+*"), names[0], rng.randint(2, 9))
    second = Binary(rng.choice("+-"), first, names[0])
    last = Binary(rng.choice(("//", "%")), Binary("+", names[1], names[0]), rng.randint(3, 7))
    lines = [f"{names[0]} = {values[names[0]]}"]
    steps = [told["start"].format(name=names[0], value=values[names[0]])]
    for name, tree in ((names[1], second), (names[2], last)):
        lines.append(f"{name} = {tree.written()}")
        result = tree.value(values)
        steps.append(told["assign"].format(name=name, tree=tree.written(values), value=result))
        values[name] = result
    printed = Binary("+", Binary("*", names[2], rng.randint(2, 4)), names[1])
    lines.append(f"print({printed.written()})")
    value = printed.value(values)
    steps.append(told["last"].format(tree=printed.written(values), value=value))
    assert isinstance(printed.left, Binary)
    other = Binary("*", Binary("+", names[2], names[1]), printed.left.right)
    return (
        lines,
        value,
        [(other.value(values), "order"), (values[names[1]], "middle"), (values[names[2]], "middle")],
        steps,
    )


def _loop(rng: random.Random, told: Mapping[str, Any], *, heldout: bool) -> _Made:
    name = rng.choice(of_side(("total", "s", "result", "acc"), heldout=heldout))
    item = rng.choice(of_side(("i", "j", "step", "t"), heldout=heldout))
    start, first, rounds = rng.randint(0, 9), rng.randint(1, 4), rng.randint(3, 5)
    added = Binary(rng.choice("*+"), item, rng.randint(2, 6))
    lines = [
        f"{name} = {start}",
        f"for {item} in range({first}, {first + rounds}):",
        f"    {name} += {added.written()}",
    ]
    lines.append(f"print({name})")
    steps = [told["start"].format(name=name, value=start)]
    reached = [start]
    for at in range(first, first + rounds + 1):
        reached.append(reached[-1] + added.value({item: at}))
    for at, value in zip(range(first, first + rounds), reached[1:], strict=False):
        steps.append(told["round"].format(item=item, at=at, name=name, value=value))
    slips = [
        (reached[-1], "over"),
        (reached[-3], "under"),
        (reached[-2] - start, "bare"),
        (reached[1], "middle"),
    ]
    return lines, reached[-2], slips, steps


def _branch(rng: random.Random, told: Mapping[str, Any], *, heldout: bool) -> _Made:
    name, other = rng.sample(of_side(("u", "v", "left", "count", "size", "width"), heldout=heldout), 2)
    values = {name: rng.randint(5, 30), other: rng.randint(5, 30)}
    limit = rng.randint(5, 30)
    then, last = Binary("+", name, other), Binary("-", Binary("*", name, rng.randint(2, 4)), other)
    lines = [f"{one} = {value}" for one, value in values.items()]
    lines += [f"if {name} > {limit}:", f"    {name} = {then.written()}", f"print({last.written()})"]
    steps = [told["start"].format(name=one, value=value) for one, value in values.items()]
    before = dict(values)
    taken = {**values, name: then.value(values)}
    goes = values[name] > limit
    key = "true" if goes else "false"
    after = taken if goes else before
    steps.append(
        told[key].format(left=before[name], right=limit, name=name, tree=then.written(before), value=after[name])
    )
    value = last.value(after)
    steps.append(told["last"].format(tree=last.written(after), value=value))
    slips = [(last.value(before if goes else taken), "branch"), (after[name], "middle"), (before[other], "middle")]
    return lines, value, [*slips, (before[name], "middle")], steps


def _leaf(leaf: str | int, values: Mapping[str, int] | None) -> str:
    return str(leaf) if values is None else str(_number(leaf, values))


def _number(leaf: str | int, values: Mapping[str, int]) -> int:
    return leaf if isinstance(leaf, int) else values[leaf]
