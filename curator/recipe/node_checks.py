"""What a recipe may not use of YAML: repeated keys, aliases that multiply, tags, and text that no file can hold.

The checks read the node graph, before any value is built, so that a few lines of nested aliases cost nothing.
"""

from __future__ import annotations

import re
from typing import Any

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
_PLAIN = {_CORE + name for name in ("str", "int", "float", "bool", "null", "map", "seq", "merge")}
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
        self._check_tag(node, line)
        size = 1 + sum(self.visit(child, depth + 1) for child in self._children(node))
        self._open.remove(id(node))
        self._sizes[id(node)] = size
        return size

    def _children(self, node: Node) -> list[Node]:
        if isinstance(node, MappingNode):
            self._check_keys(node)
            return [part for pair in node.value for part in pair]
        if isinstance(node, SequenceNode):
            return list(node.value)
        what = _scalar_problem(str(node.tag).removeprefix(_CORE), str(node.value))
        if what:
            self.problems.append((node.start_mark.line + 1, what))
        return []

    def _check_tag(self, node: Node, line: int) -> None:
        tag = str(node.tag)
        if tag == _CORE + "timestamp":
            self.problems.append((line, f"{node.value} is a date in YAML; put it in quotes"))
        elif tag not in _PLAIN:
            name = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
            self.problems.append((line, f"the tag {name} is not allowed; write the plain value"))

    def _check_keys(self, node: MappingNode) -> None:
        lines: dict[Any, list[int]] = {}
        for key, _ in node.value:
            if not isinstance(key, ScalarNode):
                self.problems.append((key.start_mark.line + 1, "a key must be a word, not a list or mapping"))
            elif key.tag != _CORE + "merge":
                lines.setdefault((str(key.tag), str(key.value)), []).append(key.start_mark.line + 1)
        for (_, name), found in lines.items():
            if len(found) > 1:
                where = f"lines {', '.join(map(str, found[:-1]))} and {found[-1]}"
                self.problems.append((found[1], f"key {name!r} is given twice (at {where}), keep one"))


def _scalar_problem(kind: str, text: str) -> str:
    if kind == "int" and len(text) > MAX_DIGITS:
        return f"a whole number of {len(text):,} characters; no number of a recipe needs more than 19"
    core = {"int": _CORE_INT, "float": _CORE_FLOAT}.get(kind)
    if core is not None and not core.fullmatch(text):
        return f"{text} is read differently by different programs; write a plain decimal, or put it in quotes"
    if _UNPRINTABLE.search(text):
        return "a control character or half a character; remove it"
    return ""
