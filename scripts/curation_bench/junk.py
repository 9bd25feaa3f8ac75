"""Junk of eleven kinds, made without anything of Curate's: nothing that its gates were trained on."""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable, Sequence

KINDS = (
    "uuids", "hexadecimal", "base64", "letters", "numbers", "keyboard", "words at random", "words shuffled",
    "characters shuffled", "wrong encoding", "one line again",
)  # fmt: skip
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def make_junk(kind: str, good: str, foreign: str, words: Sequence[str], draw: random.Random) -> str:
    """One junk document.

    Args:
        kind: one of ``KINDS``.
        good: a good document, which gives its length, and the matter of what is spoiled.
        foreign: a document with letters beyond ASCII.
        words: a vocabulary.
        draw: gives all chance.
    """
    size = max(min(len(good), 2500), 400)
    again = good[:80].replace("\n", " ")
    makers: dict[str, Callable[[], str]] = {
        "uuids": lambda: _lines(size, lambda: str(uuid.UUID(int=draw.getrandbits(128)))),
        "hexadecimal": lambda: _lines(size, lambda: draw.randbytes(32).hex()),
        "base64": lambda: _lines(size, lambda: base64.b64encode(draw.randbytes(57)).decode()),
        "letters": lambda: _lines(size, lambda: _spaced(draw, string.ascii_lowercase)),
        "numbers": lambda: _lines(size, lambda: _spaced(draw, string.digits)),
        "keyboard": lambda: _lines(size, lambda: _spaced(draw, draw.choice(_ROWS))),
        "words at random": lambda: _lines(size, lambda: " ".join(draw.choices(words, k=12))),
        "words shuffled": lambda: " ".join(draw.sample(good.split(), len(good.split()))),
        "characters shuffled": lambda: "".join(draw.sample(good, len(good))),
        "wrong encoding": lambda: foreign.encode().decode("cp1252", "replace"),
        "one line again": lambda: _lines(size, lambda: again),
    }
    return makers[kind]()


def _lines(size: int, line: Callable[[], str]) -> str:
    found: list[str] = []
    while sum(map(len, found)) < size:
        found.append(line())
    return "\n".join(found)


def _spaced(draw: random.Random, letters: str) -> str:
    return " ".join("".join(draw.choices(letters, k=draw.randint(2, 10))) for _ in range(10))
