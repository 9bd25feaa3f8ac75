"""YAML with line numbers: plain values for the schema, and where each of them stands in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from curator._errors import InputError, RecipeError

Location = tuple[str | int, ...]


def load_yaml(path: Path) -> tuple[Any, Any]:
    """Read one YAML 1.2 file.

    Returns:
        The values as plain Python types, and the parsed tree that ``line_of`` takes.

    Raises:
        InputError: the file is missing or cannot be read.
        RecipeError: not YAML; ``file:line: what, fix``.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise RecipeError([f"{path}:{line}: not UTF-8, save the file as UTF-8"]) from error
    try:
        tree = YAML(typ="rt").load(text)
    except DuplicateKeyError as error:
        raise RecipeError([_duplicate(path, error)]) from error
    except MarkedYAMLError as error:
        raise RecipeError([_marked(path, text, error)]) from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise RecipeError([f"{path}:1: not YAML ({str(error).splitlines()[0]})"]) from error
    return _plain(tree), tree


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


def _duplicate(path: Path, error: DuplicateKeyError) -> str:
    second = error.problem_mark.line + 1 if error.problem_mark else 1
    key = str(error.problem or "").partition('"')[2].partition('"')[0]
    first = error.context_mark.line + 1 if error.context_mark else second
    mapping = f" in the mapping that starts at line {first}" if first != second else ""
    return f"{path}:{second}: key {key!r} is given twice{mapping}, keep one"


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
    return f"{path}:{line}: not YAML ({error.problem or error.context})"
