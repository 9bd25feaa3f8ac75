"""From documents' token ids to sequences: laid end to end, one a sequence, or as laid out. Nothing is padded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Placed = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """The tokens that a set takes from one piece of text.

    Attributes:
        piece: the piece's id.
        document: the document's id.
        task: task type.
        language: BCP 47.
        corpus: corpus id.
        licence: SPDX expression.
        ids: token ids, with the separator that follows the text.
        text: the whole piece's text.
        cut: tokens of the piece that did not fit.
        scores: what was measured of the piece, by name.
        revision: what fixes the source's content; empty when nothing does.
        file: the file within the source; empty when there is none.
        row: line or row in that file, from 1.
    """

    piece: str
    document: str
    task: str
    language: str
    corpus: str
    licence: str
    ids: tuple[int, ...]
    text: str
    cut: int
    scores: Mapping[str, Any] = field(default_factory=dict, hash=False)
    revision: str = ""
    file: str = ""
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A segment's tokens within one sequence: ``start`` to ``end`` of the sequence's ids."""

    segment: Segment
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PackedSequence:
    """One calibration sequence: its ids and what they are made of."""

    ids: tuple[int, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """The sequences, and what did not get into them.

    Attributes:
        sequences: in the order of their lengths; those that nothing was left for are missing.
        cut_segments: segments of which some tokens, or all, are in no sequence.
        cut_tokens: those tokens.
        unused: tokens of the lengths asked for that no sequence has, missing sequences included.
    """

    sequences: list[PackedSequence]
    cut_segments: int
    cut_tokens: int
    unused: int


def pack(
    segments: Sequence[Segment],
    lengths: Sequence[int],
    prefix: Sequence[int],
    how: Literal["concat", "none"],
) -> Packed:
    """Put segments into sequences of at most the given lengths, ``prefix`` in front of each.

    ``concat`` lays them end to end in the order given and cuts; a segment that crosses a cut goes on in the next
    sequence. ``none`` gives each a sequence of its own, the longest segment the longest one.
    No token is repeated, and every one that is not placed is counted.

    Args:
        segments: in the order wanted; within a sequence they keep it.
        lengths: tokens of each sequence, prefix included, in the order wanted.
        prefix: for instance BOS, or nothing.
        how: one of the two.
    """
    rooms = [length - len(prefix) for length in lengths]
    sizes = [len(segment.ids) for segment in segments]
    placing = {"concat": _end_to_end, "none": _one_each}[how]
    placed = [sorted(parts) for parts in placing(sizes, rooms)]
    sequences = [_sequence(segments, parts, prefix) for parts in placed if parts]
    kept = [0] * len(sizes)
    for number, begin, end in (part for parts in placed for part in parts):
        kept[number] += end - begin
    return Packed(
        sequences,
        cut_segments=sum(had < size for had, size in zip(kept, sizes, strict=True)),
        cut_tokens=sum(sizes) - sum(kept),
        unused=sum(lengths) - sum(len(sequence.ids) for sequence in sequences),
    )


def pack_laid_out(laid_out: Sequence[Sequence[Segment]], lengths: Sequence[int], prefix: Sequence[int]) -> Packed:
    """Sequences of the segments that were chosen for each, which fit into its length whole.

    Args:
        laid_out: the segments of each sequence, in the order wanted; sequences without any are left out.
        lengths: tokens of each sequence, prefix included.
        prefix: for instance BOS, or nothing.
    """
    sequences = [
        _sequence(own, [(number, 0, len(one.ids)) for number, one in enumerate(own)], prefix)
        for own in laid_out
        if own
    ]
    return Packed(sequences, 0, 0, sum(lengths) - sum(len(sequence.ids) for sequence in sequences))


def _end_to_end(sizes: Sequence[int], rooms: Sequence[int]) -> list[list[Placed]]:
    """For each sequence, its parts: number of the segment, begin and end of the ids taken from it."""
    sequences: list[list[Placed]] = []
    number, taken = 0, 0
    for room in rooms:
        parts: list[Placed] = []
        while room > 0 and number < len(sizes):
            fits = min(room, sizes[number] - taken)
            if fits:
                parts.append((number, taken, taken + fits))
            taken, room = taken + fits, room - fits
            if taken == sizes[number]:
                number, taken = number + 1, 0
        sequences.append(parts)
    return sequences


def _one_each(sizes: Sequence[int], rooms: Sequence[int]) -> list[list[Placed]]:
    # The first ones, not the longest: which segments are taken must not depend on their length.
    chosen = [number for number, size in enumerate(sizes) if size]
    by_size = sorted(chosen[: len(rooms)], key=lambda number: -sizes[number])
    sequences: list[list[Placed]] = [[] for _ in rooms]
    for number, place in zip(by_size, sorted(range(len(rooms)), key=lambda place: -rooms[place]), strict=False):
        if rooms[place] > 0:
            sequences[place] = [(number, 0, min(sizes[number], rooms[place]))]
    return sequences


def _sequence(segments: Sequence[Segment], placed: Iterable[Placed], prefix: Sequence[int]) -> PackedSequence:
    ids = list(prefix)
    parts = []
    for number, begin, end in placed:
        parts.append(Part(segments[number], len(ids), len(ids) + end - begin))
        ids += segments[number].ids[begin:end]
    return PackedSequence(tuple(ids), tuple(parts))
