"""YAML with line numbers: plain values for the schema, and where each of them stands in the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from curator._errors import InputError, RecipeError
from curator.recipe.node_checks import TOO_DEEP, Problem, node_problems, tag_problems

Location = tuple[str | int, ...]

# A recipe is written by hand; the parser takes seconds for a megabyte.
MAX_BYTES = 256 * 1024
# The parser's time grows with the square of these, and no recipe has more than a few.
_OPENINGS = re.compile(r"(?:[\[{]\s*){64}")
# The parser takes them for line ends, in comments too; YAML 1.2 and editors do not.
_SEPARATORS = re.compile("[\x85\u2028\u2029]")
_MERGE = "tag:yaml.org,2002:merge"
_STR = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A YAML text, read.

    Attributes:
        values: its values as plain Python types.
        root: its node graph, which has the positions.
    """

    values: Any
    root: Node | None

    def line_of(self, location: Location) -> int:
        """Line (from 1) of the deepest part of ``location`` that is in the text.

        What came through an alias or a merge key (``<<``) has the line that it is written at.
        """
        line, node = 1, self.root
        for step in location:
            found = _child(node, step)
            if found is not None:
                at, node = found
                line = at.start_mark.line + 1
        return line


class NotYAML(Exception):
    """A text that cannot be taken as YAML.

    Args:
        problems: line (from 1) and what is wrong, one for each fault.
    """

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__(*problems)


def load_yaml(path: Path) -> Parsed:
    """Read one YAML 1.2 file.

    Raises:
        InputError: the file is missing or cannot be read.
        RecipeError: not YAML, or YAML that a recipe may not use; each fault ``file:line: what, fix``.
    """
    try:
        return parse_yaml(_read(path))
    except NotYAML as error:
        raise RecipeError([f"{path}:{line}: {what}" for line, what in error.problems]) from error


def parse_yaml(text: str) -> Parsed:
    """Read YAML 1.2, refusing what a recipe may not use of it.

    Raises:
        NotYAML: all that is wrong with it.
    """
    opened = _OPENINGS.search(text)
    if opened:
        raise NotYAML([(_line_at(text, opened.start()), TOO_DEEP)])
    strange = _SEPARATORS.search(text)
    if strange:
        what = f"an invisible line separator (U+{ord(strange[0]):04X}); remove it or put a space there"
        raise NotYAML([(_line_at(text, strange.start()), what)])
    try:
        # The node graph first: it shows every repeated key, and aliases before they are multiplied out.
        root = YAML(typ="rt").compose(text)
        problems = node_problems(root)
        if "!" in text:
            problems = sorted({*problems, *tag_problems(YAML(typ="rt").parse(text))})
        if problems:
            raise NotYAML(problems)
        return Parsed(_plain(YAML(typ="rt").load(text)), root)
    except MarkedYAMLError as error:
        raise NotYAML([_marked(text, error)]) from error
    except RecursionError as error:
        raise NotYAML([(1, TOO_DEEP)]) from error
    except (YAMLError, ValueError, OverflowError) as error:
        raise NotYAML([_unmarked(text, error)]) from error


def _read(path: Path) -> str:
    try:
        # No more than is needed to see that it is too much: a name may lead to a device.
        with path.open("rb") as handle:
            content = handle.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: is a folder; name the recipe file in it") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path}: more than the {MAX_BYTES:,} that a recipe may have")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotYAML([(content[: error.start].count(b"\n") + 1, "not UTF-8, save the file as UTF-8")]) from error
    # To YAML all three are one line end; with one of them, lines are counted as editors count them.
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _child(node: Node | None, step: str | int) -> tuple[Node, Node] | None:
    """Where ``step`` of ``node`` begins (its key, or the item itself), and its value."""
    if isinstance(node, SequenceNode):
        inside = isinstance(step, int) and 0 <= step < len(node.value)
        return (node.value[step], node.value[step]) if inside else None
    if not isinstance(node, MappingNode):
        return None
    merged: list[Node] = []
    for key, value in node.value:
        if key.tag == _MERGE:
            merged += value.value if isinstance(value, SequenceNode) else [value]
        elif _is_key(key, step):
            return key, value
    # The first of several merged mappings wins, and each may have a merge of its own.
    return next((found for other in merged if (found := _child(other, step)) is not None), None)


def _is_key(node: Node, step: str | int) -> bool:
    if not isinstance(node, ScalarNode):
        return False
    if node.tag == _STR:
        return bool(node.value == step)
    return not isinstance(step, str) and bool(_plain(YAML(typ="rt").load(str(node.value))) == step)


def _plain(value: Any) -> Any:
    """Round-trip types to their plain bases, so that strict validation sees int, float, str and bool."""
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    for base in (bool, int, float, str):
        if isinstance(value, base):
            return base(value)
    return value


def _line_at(text: str, index: int) -> int:
    return text.count("\n", 0, index) + 1


def _marked(text: str, error: MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    lines = text.split("\n")
    source = lines[line - 1] if line <= len(lines) else ""
    indent = source[: len(source) - len(source.lstrip())]
    if "\t" in indent:
        return line, "tab used for indentation, use spaces"
    if "\\t" in str(error.problem):
        return line, "a tab where YAML wants a space, use spaces"
    if error.problem == "but found another document":
        return line, "a second document starts here; keep one recipe a file"
    return line, f"not YAML ({error.problem or error.context})"


def _unmarked(text: str, error: Exception) -> Problem:
    """Errors without a mark: a character that YAML forbids has its offset, the others only words."""
    position = getattr(error, "position", None)
    line = _line_at(text, position) if isinstance(position, int) else 1
    words = (str(error).splitlines() or [type(error).__name__])[0]
    return line, f"not YAML ({words})"
