"""From documents' token ids to sequences of equal length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
        continuity: z, or ``None`` when not scored.
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
    continuity: float | None


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


def pack(segments: Sequence[Segment], length: int, prefix: Sequence[int]) -> list[PackedSequence]:
    """Lay segments end to end and cut every ``length`` tokens, ``prefix`` in front of each sequence.

    No token is lost, repeated or padded: the last sequence may be shorter. A segment that crosses a cut
    goes on in the next sequence.

    Args:
        segments: in the order wanted.
        length: tokens of a sequence, prefix included.
        prefix: for instance BOS, or nothing.
    """
    room = length - len(prefix)
    sequences: list[PackedSequence] = []
    ids: list[int] = []
    parts: list[Part] = []
    for segment in segments:
        taken = 0
        while taken < len(segment.ids):
            fits = segment.ids[taken : taken + room - len(ids)]
            begin = len(prefix) + len(ids)
            parts.append(Part(segment, begin, begin + len(fits)))
            ids.extend(fits)
            taken += len(fits)
            if len(ids) == room:
                sequences.append(PackedSequence((*prefix, *ids), tuple(parts)))
                ids, parts = [], []
    if ids:
        sequences.append(PackedSequence((*prefix, *ids), tuple(parts)))
    return sequences
