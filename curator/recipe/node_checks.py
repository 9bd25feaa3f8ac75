"""What a recipe may not use of YAML: repeated keys, aliases that multiply, tags, and text that no file can hold.

The checks read the node graph, before any value is built, so that a few lines of nested aliases cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ruamel.yaml.events import CollectionEndEvent, Event
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

Problem = tuple[int, str]

# Values of a recipe after its aliases are written out.
MAX_VALUES = 20_000
# Each level costs the parser and us several Python frames.
MAX_DEPTH = 50
# Beyond this, Python refuses to print or hash a number at some length; none that long has a meaning here.
MAX_DIGITS = 40
TOO_DEEP = "nested too deeply; a recipe needs five levels at most"
_CORE = "tag:yaml.org,2002:"
_MERGE = _CORE + "merge"
_WORDS = {"timestamp": "a date", "value": "a mark of its own", "merge": "a mark of its own"}
# The parser also takes YAML 1.1's 1_000, 0b11 and 017, which other readers of the file take for something else.
_CORE_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_CORE_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def node_problems(root: Node | None) -> list[Problem]:
    """All faults of a node graph: line (from 1) and what, in the order of the lines."""
    if root is None:
        return []
    walk = _Walk()
    size = walk.visit(root, 0)
    if size > MAX_VALUES and not walk.problems:
        line = root.start_mark.line + 1
        walk.problems.append(
            (line, f"its aliases stand for {size:,} values, more than {MAX_VALUES:,}; write less")
        )
    return sorted(set(walk.problems))


def tag_problems(events: Iterable[Event]) -> list[Problem]:
    """All tags that are written out, in the order of the lines: what they say is not for a recipe to say."""
    found = []
    for event in events:
        tag = getattr(event, "tag", None)
        if tag is not None and not isinstance(event, CollectionEndEvent):
            name = "!!" + str(tag).removeprefix(_CORE) if str(tag).startswith(_CORE) else str(tag)
            what = f"the tag {name} is not allowed; write the plain value"
            found.append((event.start_mark.line + 1, what))
    return found


class _Walk:
    """Visits each node once and counts its values as often as aliases repeat them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._sizes: dict[int, int] = {}
        self._open: set[int] = set()

    def visit(self, node: Node, depth: int) -> int:
        """The number of values that ``node`` stands for."""
        line = node.start_mark.line + 1
        if id(node) in self._open:
            self.problems.append((line, "an alias inside what it stands for; write the value out"))
            return 1
        if id(node) in self._sizes:
            return self._sizes[id(node)]
        if depth > MAX_DEPTH:
            self.problems.append((line, TOO_DEEP))
            return 1
        self._open.add(id(node))
        size = 1 + sum(self.visit(child, depth + 1) for child in self._children(node))
        self._open.remove(id(node))
        self._sizes[id(node)] = size
        return size

    def _children(self, node: Node) -> list[Node]:
        if isinstance(node, MappingNode):
            self._check_keys(node)
            # `<<` merges as a key; as a value it is a word that the parser takes for something else.
            return [
                part for key, value in node.value for part in (key, value) if part is value or key.tag != _MERGE
            ]
        if isinstance(node, SequenceNode):
            return list(node.value)
        what = _scalar_problem(str(node.tag).removeprefix(_CORE), str(node.value))
        if what:
            self.problems.append((node.start_mark.line + 1, what))
        return []

    def _check_keys(self, node: MappingNode) -> None:
        lines: dict[Any, list[int]] = {}
        for key, _ in node.value:
            if not isinstance(key, ScalarNode):
                self.problems.append((key.start_mark.line + 1, "a key must be a word, not a list or mapping"))
            elif key.tag != _MERGE:
                lines.setdefault((str(key.tag), str(key.value)), []).append(key.start_mark.line + 1)
        for (_, name), found in lines.items():
            if len(found) > 1:
                where = f"lines {', '.join(map(str, found[:-1]))} and {found[-1]}"
                self.problems.append((found[1], f"key {name!r} is given twice (at {where}), keep one"))


def _scalar_problem(kind: str, text: str) -> str:
    if kind in _WORDS:
        return f"{text} is {_WORDS[kind]} in YAML; put it in quotes"
    if kind == "int" and len(text) > MAX_DIGITS:
        return f"a whole number of {len(text):,} characters; no number of a recipe needs more than 19"
    core = {"int": _CORE_INT, "float": _CORE_FLOAT}.get(kind)
    if core is not None and not core.fullmatch(text):
        return f"{text} is read differently by different programs; write a plain decimal, or put it in quotes"
    if _UNPRINTABLE.search(text):
        return "a control character or half a character; remove it"
    return ""
