"""Which columns to propose to a user whose recipe names none, or none that is there."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

# Names by which people call a question, its answer, a text and its title; the likeliest first.
_PROMPTS = ("question", "instruction", "prompt", "query", "input", "problem")
_ANSWERS = ("answer", "output", "response", "completion", "gold", "target", "solution", "reply")
_TEXTS = ("body", "text", "content", "article", "passage", "document")
_TITLES = ("title", "headline", "heading", "subject")
# The middle value of a column of names, dates, links or labels is shorter, or has a smaller part of letters.
_LEAST_CHARS = 20
_LEAST_LETTERS = 0.4
_BARE = re.compile(r"[A-Za-z_][\w.-]*")

Rows = Sequence[Mapping[str, Any]]


def suggestion(rows: Rows, names: Sequence[str]) -> str:
    """What to write in the recipe, in YAML: columns by their usual names, else the one with the longest texts.

    Args:
        rows: first rows of the file.
        names: their columns.
    """
    known = {name.strip().lower(): name for name in reversed(names) if _values(rows, name)}
    prompt, answer = _first(known, _PROMPTS), _first(known, _ANSWERS)
    if prompt and answer:
        return f"columns: {{prompt: {_yaml(prompt)}, response: {_yaml(answer)}}}{_or_join(prompt, answer)}"
    prose = [name for name in names if is_prose(_values(rows, name))]
    text = _first({name.strip().lower(): name for name in reversed(prose)}, _TEXTS)
    text = text or max(prose, key=lambda name: _middle(_values(rows, name)), default="")
    if not text:
        return "columns: {text: NAME}"
    title = _first(known, _TITLES)
    return f"columns: {{text: {_yaml(text)}}}{_or_join(title, text) if title and title != text else ''}"


def is_prose(values: Sequence[str]) -> bool:
    """Whether a column's values are texts, and not numbers, dates, links or labels."""
    if not values or _middle(values) < _LEAST_CHARS:
        return False
    links = sum(value.startswith(("http://", "https://", "/")) and " " not in value for value in values)
    together = "".join("".join(values).split())
    letters = sum(character.isalpha() for character in together)
    return links * 2 < len(values) and letters >= _LEAST_LETTERS * len(together)


def _values(rows: Rows, name: str) -> list[str]:
    """The texts of a column; a value of another kind, except null, makes it none."""
    values = [row[name] for row in rows if row.get(name) is not None]
    texts = [value.strip() for value in values if isinstance(value, str)]
    return [text for text in texts if text] if len(texts) == len(values) else []


def _middle(values: Sequence[str]) -> float:
    return statistics.median(map(len, values))


def _first(known: Mapping[str, str], wanted: Sequence[str]) -> str:
    return next((known[name] for name in wanted if name in known), "")


def _or_join(first: str, last: str) -> str:
    """The other way: a plain text made of two columns."""
    # Names that the template or YAML would read as something else are left to the user.
    plain = _BARE.fullmatch(first) and _BARE.fullmatch(last)
    return f' or join: "{{{first}}}\\n\\n{{{last}}}"' if plain else ""


def _yaml(name: str) -> str:
    """A column's name as YAML has it within braces."""
    if _BARE.fullmatch(name) and name.lower() not in {"null", "true", "false"}:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
