"""Names of layers as the two layouts' configurations write them: exact, patterns, classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from curator._errors import InputError
from curator.recipe.name_pattern import NamePattern

Layout = Literal["compressed-tensors", "modelopt"]
_CLASS = re.compile(r"[A-Z]\w*")
_ANY_LINEAR = "Linear"
_NEVER = "(?!)"
# The longer beginning first.
_WRAPPED = {
    "model.language_model.": ("language_model.model.", "model."),
    "language_model.model.": ("model.language_model.",),
    "model.": ("model.language_model.",),
}


class Patterns:
    """A list such as ``ignore``, ``targets`` or ``exclude_modules``.

    compressed-tensors: an entry is a module's whole name, ``re:`` and a regular expression that its name begins
    with, or a class, of which only ``Linear`` can be told from tensors alone. ModelOpt: ``*`` stands for any
    characters; an entry that matches a module, a module around it, or one part of its name, holds for it.

    Args:
        entries: the list.
        layout: whose rules.
        where: what to call the list in an error.

    Raises:
        InputError: an entry is no regular expression.
    """

    def __init__(self, entries: Sequence[str], layout: Layout, where: str) -> None:
        self.entries = tuple(entries)
        self._layout = layout
        self._exact = {entry for entry in entries if not self._is_pattern(entry)}
        patterns = dict.fromkeys(entry for entry in entries if self._is_pattern(entry))
        self._tests = {entry: _compiled(entry, layout, where) for entry in patterns}
        # One expression for all wildcards: a mixture of experts has ten thousands of names.
        wildcards = [_wildcard(entry) for entry in patterns] if layout == "modelopt" else []
        self._any = re.compile("|".join(wildcards) or _NEVER)

    def _is_pattern(self, entry: str) -> bool:
        return entry.startswith("re:") if self._layout == "compressed-tensors" else "*" in entry

    def match(self, module: str) -> bool:
        """Whether an entry holds for a linear module of this name.

        Raises:
            InputError: a pattern takes too long.
        """
        if self._layout == "compressed-tensors":
            return (
                module in self._exact
                or _ANY_LINEAR in self._exact
                or any(test(module) for test in self._tests.values())
            )
        names = {name for spelt in _spellings(module) for name in (spelt, *_around(spelt))} | {*module.split(".")}
        return not names.isdisjoint(self._exact) or any(map(self._any.fullmatch, names))

    def patterns(self) -> list[str]:
        """The entries that are no plain names."""
        return list(self._tests)

    def matching_nothing(self, modules: Iterable[str]) -> list[str]:
        """Entries that hold for none of ``modules`` nor for a module around one; classes are left out."""
        names = set(modules)
        if self._layout == "modelopt":
            names |= {spelt for module in names for spelt in _spellings(module)}
        names |= {outer for module in names for outer in _around(module)}
        parts = {part for name in names for part in name.split(".")} if self._layout == "modelopt" else set()
        known = names | parts
        return [entry for entry in self.entries if not self._holds(entry, known)]

    def _holds(self, entry: str, names: set[str]) -> bool:
        if entry in self._exact:
            return entry in names or (self._layout == "compressed-tensors" and bool(_CLASS.fullmatch(entry)))
        return any(map(self._tests[entry], names))


def _around(module: str) -> list[str]:
    """Names of the modules that contain a module."""
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _spellings(module: str) -> list[str]:
    """Names that servers take for the same module: models with images wrap their language model in two ways."""
    for prefix, others in _WRAPPED.items():
        if module.startswith(prefix):
            return [module, *(other + module.removeprefix(prefix) for other in others)]
    return [module]


def _wildcard(entry: str) -> str:
    """``*`` as an expression whose time does not grow with their number: hence the atomic groups."""
    first, *middle, last = map(re.escape, entry.split("*"))
    return first + "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"


def _compiled(entry: str, layout: Layout, where: str) -> Callable[[str], object]:
    """A test of a name."""
    if layout == "modelopt":
        return re.compile(_wildcard(entry)).fullmatch
    try:
        return NamePattern(entry).begins
    except ValueError as error:
        raise InputError(f"{where}: {error}") from error
