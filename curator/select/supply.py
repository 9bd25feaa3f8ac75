"""The pieces a source can give, in a fixed random order, draw after draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from curator._seed import stable_hash
from curator.corpora.document import Document
from curator.select.pieces import Piece, cut_pieces


class Supply(Protocol):
    """A source's pieces."""

    def draw(self) -> Iterator[Piece]:
        """Pieces for the next draw, none twice within it, those that no draw took first."""

    def took(self, piece: Piece) -> None:
        """Remember that a draw used ``piece``."""


class FiniteSupply:
    """Documents that exist.

    A piece's place is a hash of the seed and its id. A draw goes on where the last one stopped, so draws
    share nothing until the pool is used up; the pieces used least and earliest come again first.

    Args:
        documents: the source's documents.
        chars: length of a piece in characters.
        seed: the recipe's seed.
    """

    def __init__(self, documents: Iterator[Document], chars: int, seed: int) -> None:
        pieces = [piece for document in documents for piece in cut_pieces(document, chars)]
        self._pieces = sorted(pieces, key=lambda piece: (stable_hash("order", seed, piece.id), piece.id))
        self._used: dict[str, int] = {}

    @property
    def pieces(self) -> list[Piece]:
        """All pieces, in drawing order."""
        return self._pieces

    def draw(self) -> Iterator[Piece]:
        """See `Supply`."""
        # sorted() is stable: within a use count the fixed random order stays.
        yield from sorted(self._pieces, key=lambda piece: self._used.get(piece.id, 0))

    def took(self, piece: Piece) -> None:
        """See `Supply`."""
        self._used[piece.id] = self._used.get(piece.id, 0) + 1


# A generator whose samples are refused this often in a row makes nothing that the recipe's gates let through.
_PATIENCE = 100


class EndlessSupply:
    """Generated documents, numbered from 0; each draw goes on with the next number.

    A draw ends when `_PATIENCE` samples in a row were not taken: more of the same would never end.
    """

    def __init__(self, make: Callable[[int], Document]) -> None:
        self._make = make
        self._next = 0
        self._refused = 0

    def draw(self) -> Iterator[Piece]:
        """See `Supply`."""
        self._refused = 0
        while self._refused < _PATIENCE:
            document = self._make(self._next)
            self._next += 1
            self._refused += 1
            yield Piece(f"{document.id}:0", document, 0, len(document.text))

    def took(self, piece: Piece) -> None:
        """See `Supply`. No number is made twice, so only patience is renewed."""
        self._refused = 0
