"""How much of a text repeats itself, and the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.gates.drop import Drop
from curator.gates.repetition.groups import repeated_groups
from curator.gates.repetition.lines import repeated_lines
from curator.gates.repetition.packing import compression

MAX_LINES = 0.25
MAX_NGRAMS = 0.4
MAX_COMPRESSION = 10.0
# A shorter text repeats itself by chance or on purpose.
_MIN_CHARS = 200


@dataclass(frozen=True, slots=True)
class Repetition:
    """How much of a text repeats itself.

    Attributes:
        lines: share of the characters that lie in four lines in a row and more, each of which the text has five
            times and more, counters set aside.
        ngrams: share of the groups of 32 characters, from each word's start on, that come round at one distance
            for the third time and more.
        compression: how many times smaller the text packs, 1 and more; 1 for a text too short to tell.
    """

    lines: float
    ngrams: float
    compression: float


def measure_repetition(text: str) -> Repetition:
    """See `measure_repetitions`."""
    return measure_repetitions([text])[0]


def measure_repetitions(texts: Sequence[str]) -> list[Repetition]:
    """Measure how much of each text repeats itself; a short text only where it says one thing over and over.

    The same, and faster, for many texts at once.
    """
    long = [text for text in texts if len(text) >= _MIN_CHARS]
    # One measure after the other, each with its own tables in the processor's caches.
    lines, ngrams, packed = (
        map(repeated_lines, texts),
        iter(repeated_groups(long)),
        iter(list(map(compression, long))),
    )
    return [
        Repetition(repeated, next(ngrams), next(packed))
        if len(text) >= _MIN_CHARS
        else Repetition(repeated, 0.0, 1.0)
        for text, repeated in zip(texts, lines, strict=True)
    ]


def check_repetition(
    measured: Repetition,
    max_lines: float = MAX_LINES,
    max_ngrams: float = MAX_NGRAMS,
    max_compression: float = MAX_COMPRESSION,
) -> Drop | None:
    """Refuse text that mostly repeats itself."""
    if measured.lines > max_lines:
        return Drop(
            "repetition", f"{measured.lines:.0%} of the characters are in repeated lines, over {max_lines:.0%}"
        )
    if measured.ngrams > max_ngrams:
        return Drop("repetition", f"{measured.ngrams:.0%} of the word groups are repeated, over {max_ngrams:.0%}")
    if measured.compression > max_compression:
        return Drop("repetition", f"packs {measured.compression:.1f} times smaller, over {max_compression:g}")
    return None
