"""What the docstring of a model says of its keys."""

from __future__ import annotations

import inspect
import re

from pydantic import BaseModel

# "``key``: what it is", up to the next one.
KEY = re.compile(r"^``(\w+)``: (.+?)(?=^``\w+``: |\n\n|\Z)", re.MULTILINE | re.DOTALL)


def key_notes(model: type[BaseModel]) -> dict[str, str]:
    """The explanation of each key, in one line; those of the classes that it is made of too."""
    notes: dict[str, str] = {}
    for base in reversed(model.__mro__):
        for key, words in KEY.findall(docstring(base)):
            words = " ".join(words.split())
            plain = words.replace("``", "")
            # A value in quotes begins as it is written.
            notes[key] = plain if words.startswith("``") else plain[0].upper() + plain[1:]
    return notes


def docstring(model: type) -> str:
    """That of a model, without indentation; empty for other classes."""
    return inspect.getdoc(model) or "" if issubclass(model, BaseModel) else ""
