"""Finds random text of every kind: strings by their shape, the rest by what windows of the text are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from curator.gates.random_text.found import RandomSpan, RandomText, summarise
from curator.gates.random_text.hashing import LONGEST
from curator.gates.random_text.model import Model, load_model
from curator.gates.random_text.scan import NARROW, WIDE
from curator.gates.random_text.shapes import find_all_shapes
from curator.gates.random_text.stretches import WORD_REACH, find_stretches
from curator.gates.random_text.tables import Tables, load_tables

_FRINGE = 2 * NARROW + WORD_REACH
"""Least characters of a random stretch next to a string by shape: windows reach as far beyond the string."""
_ROOM = LONGEST + 1
"""Characters looked up at once, each text with a gap behind it and none shorter than a window: bounds memory."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a text, or all of it: of which text, from which offset."""

    owner: int
    start: int
    text: str


def find_random_text(text: str) -> RandomText:
    """Find what is random in a text of any length."""
    return find_random_texts([text])[0]


def find_random_texts(texts: Sequence[str]) -> list[RandomText]:
    """Find what is random in each of some texts, in their order; at a third of the cost of one by one.

    What is found in a text does not depend on the others.
    """
    return _find(texts, load_tables(), load_model(), shapes=True)


def find_with(text: str, tables: Tables, model: Model, *, shapes: bool = True) -> RandomText:
    """Find what is random, with other statistics and weights than those of this package.

    Args:
        text: the text.
        tables: statistics of good text.
        model: weights.
        shapes: whether strings are found by their shape too.
    """
    return _find([text], tables, model, shapes=shapes)[0]


def _find(texts: Sequence[str], tables: Tables, model: Model, *, shapes: bool) -> list[RandomText]:
    spans: list[list[RandomSpan]] = [[] for _ in texts]
    for batch in _batches(texts):
        parts = [piece.text for piece in batch]
        found = find_stretches(parts, tables, model)
        by_shape: list[list[RandomSpan]] = find_all_shapes(parts) if shapes else [[] for _ in parts]
        for piece, strings, stretches in zip(batch, by_shape, found, strict=True):
            spans[piece.owner] += _united(strings, stretches, piece.start)
    return [summarise(text, one) for text, one in zip(texts, spans, strict=True)]


def _batches(texts: Sequence[str]) -> Iterator[list[_Piece]]:
    """Pieces of texts, as many together as may be looked up at once."""
    batch: list[_Piece] = []
    room = _ROOM
    # Texts that are alike have fewer different characters together, and so smaller tables of counts.
    for owner in sorted(range(len(texts)), key=lambda number: texts[number].isascii()):
        text = texts[owner]
        for start, end in _pieces(text):
            needed = max(end - start, WIDE) + 1
            if batch and needed > room:
                yield batch
                batch, room = [], _ROOM
            batch.append(_Piece(owner, start, text[start:end]))
            room -= needed
    if batch:
        yield batch


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Parts of at most `LONGEST` characters, cut at white space where there is any."""
    start = 0
    while start < len(text):
        end = min(start + LONGEST, len(text))
        if end < len(text):
            gap = max(text.rfind(space, end - LONGEST // 8, end) for space in " \n")
            end = gap + 1 if gap > start else end
        yield start, end
        start = end


def _united(shapes: list[RandomSpan], stretches: Iterable[RandomSpan], offset: int) -> list[RandomSpan]:
    """Both in one order and apart: a string by shape keeps its place and kind, stretches fill what is between."""
    out: list[RandomSpan] = []
    waiting = iter([*shapes, None])
    shape = next(waiting)
    done = 0
    for stretch in stretches:
        start, inside = max(stretch.start, done), 0
        while shape is not None and shape.start < stretch.end:
            out += _part(stretch, start, shape.start, fringe=not inside)
            out.append(shape)
            start, shape, inside = max(start, shape.end), next(waiting), inside + 1
        out += _part(stretch, start, stretch.end, fringe=inside > 0)
        done = max(start, stretch.end)
    while shape is not None:
        out.append(shape)
        shape = next(waiting)
    return [RandomSpan(one.start + offset, one.end + offset, one.kind, one.score) for one in out]


def _part(stretch: RandomSpan, start: int, end: int, *, fringe: bool) -> list[RandomSpan]:
    """A part of a stretch; next to a string by shape a narrow fringe is only what its windows share with it."""
    least = _FRINGE if fringe else 1
    return [RandomSpan(start, end, stretch.kind, stretch.score)] if end - start >= least else []
