"""YAML with line numbers: plain values for the schema, and where each of them stands in the file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from curator._errors import InputError, RecipeError
from curator.recipe.node_checks import TOO_DEEP, node_problems

Location = tuple[str | int, ...]

# A recipe is written by hand; the parser takes seconds for a megabyte.
MAX_BYTES = 256 * 1024
# The parser's time grows with the square of these, and no recipe has more than a few.
_OPENINGS = re.compile(r"(?:[\[{]\s*){64}")


def load_yaml(path: Path) -> tuple[Any, Any]:
    """Read one YAML 1.2 file.

    Returns:
        The values as plain Python types, and the parsed tree that ``line_of`` takes.

    Raises:
        InputError: the file is missing or cannot be read.
        RecipeError: not YAML, or YAML that a recipe may not use; each fault ``file:line: what, fix``.
    """
    text = _read(path)
    opened = _OPENINGS.search(text)
    if opened:
        line = text.count("\n", 0, opened.start()) + 1
        raise RecipeError([f"{path}:{line}: {TOO_DEEP}"])
    try:
        # The node graph first: it shows every repeated key, and aliases before they are multiplied out.
        problems = node_problems(YAML(typ="rt").compose(text))
        if problems:
            raise RecipeError([f"{path}:{line}: {what}" for line, what in problems])
        tree = YAML(typ="rt").load(text)
    except MarkedYAMLError as error:
        raise RecipeError([_marked(path, text, error)]) from error
    except RecursionError as error:
        raise RecipeError([f"{path}:1: {TOO_DEEP}"]) from error
    except (YAMLError, ValueError, OverflowError) as error:
        raise RecipeError([_unmarked(path, text, error)]) from error
    return _plain(tree), tree


def _read(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: is a folder; name the recipe file in it") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path}: {len(content):,} bytes, more than the {MAX_BYTES:,} that a recipe may have")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RecipeError([f"{path}:{line}: not UTF-8, save the file as UTF-8"]) from error


def line_of(tree: Any, location: Location) -> int:
    """Line (from 1) of the deepest part of ``location`` that is in the file."""
    line = 1
    for step in location:
        if isinstance(tree, CommentedMap) and step in tree:
            line = _key_line(tree, step, line)
        elif isinstance(tree, CommentedSeq) and isinstance(step, int) and step < len(tree):
            line = tree.lc.item(step)[0] + 1
        else:
            continue
        tree = tree[step]
    return line


def _key_line(tree: CommentedMap, key: Any, fallback: int) -> int:
    try:
        return int(tree.lc.key(key)[0]) + 1
    except KeyError:
        # A key that came through a merge (<<) has no line of its own here.
        return fallback


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


def _marked(path: Path, text: str, error: MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    lines = text.split("\n")
    source = lines[line - 1] if line <= len(lines) else ""
    indent = source[: len(source) - len(source.lstrip())]
    if "\t" in indent:
        return f"{path}:{line}: tab used for indentation, use spaces"
    if "\\t" in str(error.problem):
        return f"{path}:{line}: a tab where YAML wants a space, use spaces"
    if error.problem == "but found another document":
        return f"{path}:{line}: a second document starts here; keep one recipe a file"
    return f"{path}:{line}: not YAML ({error.problem or error.context})"


def _unmarked(path: Path, text: str, error: Exception) -> str:
    """Errors without a mark: a character that YAML forbids has its offset, the others only words."""
    position = getattr(error, "position", None)
    line = text.count("\n", 0, position) + 1 if isinstance(position, int) else 1
    words = (str(error).splitlines() or [type(error).__name__])[0]
    return f"{path}:{line}: not YAML ({words})"
