"""What a source of documents has measured before it is judged: the next ones in time, and none too many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from curator.corpora.document import Document
from curator.pipeline.stock import FiniteStock
from curator.select.cells import Cell
from curator.select.pieces import Piece
from curator.select.scan import Rule
from curator.select.supply import FiniteSupply

CELL = Cell("t")


@dataclass(frozen=True)
class Shard:
    """Short texts."""

    count: int
    size: int = 0

    def records(self) -> Iterator[Document]:
        for number in range(self.count):
            yield Document(f"d{number}", "c", "u", "t", "en", "MIT", f"text {number}")


class Tokens(list[int]):
    """Ten tokens of one cell."""

    cell = CELL


class Recorder:
    """Judges all as good, each with ten tokens."""

    longest = 10

    def __init__(self, plain: bool) -> None:
        self.cells = SimpleNamespace(plain=plain)
        self.expected: dict[str, None] = {}
        # Of each piece judged: how many were expected by then.
        self.judged: dict[str, int] = {}

    def guess(self, _piece: Piece) -> Cell:
        return CELL

    def expect(self, pieces: Iterable[Piece]) -> None:
        self.expected |= {piece.id: None for piece in pieces}

    def offer(self, piece: Piece) -> Any:
        assert piece.id in self.expected
        self.judged[piece.id] = len(self.expected)
        return Tokens(range(10))


def judged(documents: int, tokens: int, plain: bool = True) -> Recorder:
    offers = Recorder(plain)
    supply = FiniteSupply([Shard(documents)], Rule("t", 100, 1, without_heldout=False))
    stock: Any = FiniteStock(supply, offers)  # type: ignore[arg-type]
    while tokens > 0 and stock.more(CELL, tokens):
        tokens -= 10
    stock.close()
    # All that was judged, in the order in which it was expected.
    assert list(offers.expected)[: len(offers.judged)] == list(offers.judged)
    return offers


def test_the_next_are_expected_while_half_of_the_last_wait() -> None:
    offers = judged(documents=1000, tokens=2000)
    # 64 at once; when 32 of them wait, the next 64; of the last, as many as have the tokens that are missing.
    steps = [64] * 32 + [128] * 64 + [192] * 64 + [200] * 40
    assert list(offers.judged.values()) == steps


def test_nothing_is_expected_behind_the_end() -> None:
    assert list(judged(documents=80, tokens=2000).judged.values()) == [64] * 32 + [80] * 48


@pytest.mark.parametrize("tokens", [10, 320, 640])
def test_no_more_are_expected_than_are_wanted(tokens: int) -> None:
    assert len(judged(documents=1000, tokens=tokens).expected) == tokens // 10


def test_where_cells_are_chosen_from_nothing_is_expected_that_was_not_fetched() -> None:
    steps = [64] * 64 + [128] * 64 + [192] * 64 + [200] * 8
    assert list(judged(documents=1000, tokens=2000, plain=False).judged.values()) == steps
