"""Questions with answers and multiple-choice questions, by the readers that ship."""

from __future__ import annotations

from functools import cache

from curator.corpora.readers import READERS
from curator.corpora.shelf import find_card
from gate_bench.draw import LONGEST, SHORTEST, half_of, stream
from gate_bench.pieces import Piece

CARDS = {"questions:choice": "python-mcq", "questions:open": "python-qa"}


@cache
def _texts(kind: str) -> tuple[tuple[str, str], ...]:
    card = find_card(CARDS[kind])
    return tuple((document.unit, document.text) for document in READERS[card.reader](card))


def questions(kind: str, half: int, count: int, seed: int) -> list[Piece]:
    """Documents of a card of Python's own documentation; long ones are cut at a line."""
    found = []
    for unit, text in _texts(kind):
        if half_of(unit) == half and len(text) >= SHORTEST:
            found.append(Piece(text if len(text) <= LONGEST else text[: text.rfind("\n", 0, LONGEST)], unit))
    stream(seed, kind, half).shuffle(found)
    return found[:count]
