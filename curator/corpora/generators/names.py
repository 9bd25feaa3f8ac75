"""Keys, values and names that cannot be taken for one another, nor for anything in the text around them."""

from __future__ import annotations

import random
import string
import uuid
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from curator._errors import InputError
from curator.corpora.generators.contract import Request
from curator.corpora.generators.wordings.remarks import REMARKS
from curator.corpora.generators.words import words

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

KINDS = ("words", "numbers", "uuids")
"""What keys and values can be made of; ``words`` are pairs of real words."""
JOIN = {"en": "-", "zh": ""}
"""What stands between the two words of a pair."""
CODED_LETTERS = 6
_TRIES = 1000


class Names:
    """Draws the names of one sample, each once.

    No name is found inside another: words are of a list in which none holds another; pairs of them, numbers,
    UUIDs and coded words have a length or a shape that leaves no room. Names of different kinds are compared.

    Args:
        rng: the sample's own.
        language: whose words.
        around: texts in lower case that no name may be found in.
    """

    def __init__(self, rng: random.Random, language: str, around: Sequence[str] = ()) -> None:
        self._rng = rng
        self._language = language
        self._around = around
        self._used: set[str] = set()
        self._guarded: list[str] = []

    def draw(self, kind: str, *, guarded: bool = False) -> str:
        """A new name.

        Args:
            kind: one of `KINDS`, ``word`` (a single one) or ``coded`` (random letters).
            guarded: nothing drawn later holds it, or is held by it, of whatever kind; for what is asked for.

        Raises:
            InputError: there are no more.
        """
        for _ in range(_TRIES):
            drawn = self._any(kind)
            if drawn in self._used or any(name in drawn or drawn in name for name in self._guarded):
                continue
            if kind != "uuids" and any(drawn in text for text in self._around):
                continue
            self._used.add(drawn)
            if guarded:
                self._guarded.append(drawn)
            return drawn
        raise InputError(
            f"generate: no {kind} are left that are not in the text yet; ask for fewer tokens, or for uuids"
        )

    def _any(self, kind: str) -> str:
        pool = words(self._language)
        if kind == "words":
            # A pair is far rarer than a word, so that the needle is the only place that has it.
            return JOIN[self._language].join((self._one(pool), self._one(pool)))
        if kind == "word":
            return self._one(pool)
        if kind == "numbers":
            return str(self._rng.randrange(10**6, 10**7))
        if kind == "coded":
            return coded_word(self._rng)
        return draw_uuid(self._rng)

    def _one(self, pool: Sequence[str]) -> str:
        return pool[self._rng.randrange(len(pool))]


def free_words(request: Request, wording: DataclassInstance) -> list[str]:
    """The words of the request's language that neither the wording nor a remark has in it."""
    said = said_by(request, wording)
    return [word for word in words(request.language) if word not in said]


def said_by(request: Request, wording: DataclassInstance) -> str:
    """All that a wording and the remarks say, in lower case."""
    return " ".join((*astuple(wording), *REMARKS[request.language, request.side])).lower()


def draw_uuid(rng: random.Random) -> str:
    """Draw a version 4 UUID (RFC 9562) from ``rng``, not from the operating system."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def coded_word(rng: random.Random) -> str:
    """Random letters, all coded words as many, so that none is found inside another."""
    return "".join(rng.choices(string.ascii_lowercase, k=CODED_LETTERS))
