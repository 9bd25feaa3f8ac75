"""Scores of windows of real text, and of the same sentences in other orders."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator, Sequence

from continuity_bench.auc import Auc, paired
from continuity_bench.units import Unit

Score = Callable[[Sequence[str]], float]
Disorder = Callable[[Sequence[str], random.Random], list[str]]
_SHUFFLES = 4
_MOST_WINDOWS = 4


def windows(unit: Unit, size: int) -> Iterator[tuple[str, ...]]:
    """At most four windows of a unit, side by side."""
    starts = range(0, len(unit.lines) - size + 1, size)
    for start in starts[:_MOST_WINDOWS]:
        yield unit.lines[start : start + size]


def ordered_against(
    units: Sequence[Unit], size: int, score: Score, disorder: Disorder, repeats: int
) -> Auc | None:
    """Windows in the order of the text against the same windows in another; ``None`` where there are too few."""
    found = []
    for unit in units:
        good, bad = [], []
        for number, window in enumerate(windows(unit, size)):
            good.append(score(window))
            # Not the built-in hash: it differs between runs.
            rng = random.Random(zlib.crc32(f"{unit.name}/{number}".encode()))
            bad += [score(disorder(window, rng)) for _ in range(repeats)]
        if good:
            found.append((good, bad))
    return paired(found) if len(found) > 1 else None


def shuffled_against(units: Sequence[Unit], size: int, score: Score) -> Auc | None:
    """Ordered windows against four shuffles of each."""
    return ordered_against(units, size, score, shuffled, _SHUFFLES)


def shuffled(lines: Sequence[str], rng: random.Random) -> list[str]:
    """All lines in a random order."""
    return rng.sample(list(lines), len(lines))


def shuffled_in_fours(lines: Sequence[str], rng: random.Random) -> list[str]:
    """Each four neighbours among themselves."""
    return [line for start in range(0, len(lines), 4) for line in shuffled(lines[start : start + 4], rng)]


def blocks_moved(lines: Sequence[str], rng: random.Random) -> list[str]:
    """Blocks of eight in a random order."""
    blocks = [lines[start : start + 8] for start in range(0, len(lines), 8)]
    return [line for block in rng.sample(blocks, len(blocks)) for line in block]


def backwards(lines: Sequence[str], _rng: random.Random) -> list[str]:
    """From the last to the first."""
    return list(reversed(lines))
