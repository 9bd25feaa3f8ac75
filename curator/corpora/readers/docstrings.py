"""Docstrings taken from source text by ``ast``: nothing is imported or run."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from curator.corpora.readers.plain_text import tidy

Kind = Literal["module", "class", "function", "method"]
_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_ROLE = re.compile(r":[a-z]+(?::[a-z]+)*:`[~!]?([^`]+)`")
_SIGNATURE = re.compile(r"[\w.]+\(.*\)\s*(->\s*.*)?$")
_DOCTEST = re.compile(r"\s*(>>>|\.\.\.)")


@dataclass(frozen=True, slots=True)
class Described:
    """One object and its docstring.

    Attributes:
        kind: what it is.
        name: dotted name inside its module, empty for the module itself.
        text: the cleaned docstring.
    """

    kind: Kind
    name: str
    text: str


def described(source: str) -> Iterator[Described]:
    """Every docstring of a source text, in order of place: module, classes, functions and methods.

    Objects with a private name (leading underscore) and those inside functions are left out. A text that
    is not Python of this version gives nothing.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    text = clean_docstring(ast.get_docstring(tree, clean=False) or "")
    if text:
        yield Described("module", "", text)
    yield from _inside(tree.body, "")


def clean_docstring(docstring: str) -> str:
    """Free a docstring of indentation, leading signature lines, reST roles and double backquotes."""
    text = tidy(inspect.cleandoc(docstring))
    lines = text.split("\n")
    while lines and (not lines[0].strip() or _SIGNATURE.match(lines[0].strip())):
        lines.pop(0)
    text = _ROLE.sub(r"`\1`", "\n".join(lines))
    return text.replace("``", "`").strip()


def prose_length(text: str) -> int:
    """Characters of ``text`` outside of doctest lines, signatures and blank lines."""
    lines = [line.strip() for line in text.split("\n") if not _DOCTEST.match(line)]
    return sum(len(line) for line in lines if " " in line and not _SIGNATURE.match(line))


def _inside(body: list[ast.stmt], prefix: str) -> Iterator[Described]:
    for node in body:
        if not isinstance(node, _Definition) or node.name.startswith("_"):
            continue
        kind: Kind = "class" if isinstance(node, ast.ClassDef) else "method" if prefix else "function"
        text = clean_docstring(ast.get_docstring(node, clean=False) or "")
        if text:
            yield Described(kind, prefix + node.name, text)
        if isinstance(node, ast.ClassDef):
            yield from _inside(node.body, f"{prefix}{node.name}.")
