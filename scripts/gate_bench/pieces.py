"""Pieces of real texts: cut at lines, at paragraphs or at sentences, of lengths drawn log-uniformly."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from gate_bench.draw import LONGEST, SHORTEST, draw_length, stream
from gate_bench.installed import SourceFile

_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟।]) +|(?<=[。！？])|\n+")
_SIGN = re.compile(r"[!-@\[-`{-~]")
_BLOB = re.compile(r"[A-Za-z0-9+/=_-]{40,}")
# Whether a person takes a piece for text is in doubt when it is mostly signs and digits, or part of a blob.
_LEAST_LETTERS = 0.45
_MOST_BLOB = 0.1
_LONGEST = 3800
_OWN_LINE, _MOST_SEEN = 30, 0.2


@dataclass(frozen=True)
class Piece:
    """A stretch of a file.

    Attributes:
        text: its characters.
        origin: the file's name.
    """

    text: str
    origin: str


def is_clearly_text(text: str) -> bool:
    """Whether a person would take it for text at once: mostly letters and spaces, no long blob."""
    if not text or len(_SIGN.findall(text)) > (1 - _LEAST_LETTERS) * len(text):
        return False
    blob = sum(len(run) for run in _BLOB.findall(text) if any(c.isdigit() for c in run) and not run.islower())
    return blob <= _MOST_BLOB * len(text)


def by_lines(text: str) -> list[str]:
    """Whole lines, with their ends."""
    return text.splitlines(keepends=True)


def by_sentences(text: str) -> list[str]:
    """Sentences with the white space behind them; a rough cut will do."""
    cuts = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if end > start]


def pieces(
    text: str, draw: random.Random, split: Callable[[str], list[str]] = by_lines, most: int = _LONGEST
) -> Iterator[str]:
    """Neighbouring parts of ``text``, each of whole lines or sentences and about as long as drawn."""
    parts = split(text)
    at = 0
    while at < len(parts):
        length, taken, have = draw_length(draw, SHORTEST + 10, most), [parts[at]], len(parts[at])
        at += 1
        while at < len(parts) and have + len(parts[at]) <= length:
            taken.append(parts[at])
            have += len(parts[at])
            at += 1
        yield "".join(taken).strip("\n").rstrip()


def draw_pieces(
    files: Iterable[SourceFile],
    half: int | None,
    count: int,
    key: tuple[object, ...],
    split: Callable[[str], list[str]] = by_lines,
    wanted: Callable[[str], bool] = is_clearly_text,
) -> list[Piece]:
    """``count`` pieces from the files of a half, spread over as many of them as there are.

    Args:
        files: where from.
        half: 0 or 1; ``None`` takes all the files.
        count: how many at most.
        key: what the draw depends on.
        split: how a text falls into parts.
        wanted: which pieces are fit.
    """
    mine = [file for file in files if half is None or file.half == half]
    draw = stream(*key, half)
    draw.shuffle(mine)
    mine = mine[: 3 * count]
    each = max(2, -(-2 * count // max(1, len(mine))))
    found = [piece for file in mine for piece in _from_file(file, file.text(), each, key, split, wanted)]
    draw.shuffle(found)
    return found[:count]


def _from_file(
    file: SourceFile,
    text: str,
    most: int,
    key: tuple[object, ...],
    split: Callable[[str], list[str]],
    wanted: Callable[[str], bool],
) -> list[Piece]:
    draw = stream(*key, file.name)
    cut = [text for text in pieces(text, draw, split) if SHORTEST <= len(text) <= LONGEST]
    draw.shuffle(cut)
    return [Piece(text, file.name) for text in islice(filter(wanted, cut), most)]


def part_of(text: str, half: int) -> str:
    """The first (half 0) or the second part (half 1) of a text, cut at a line."""
    middle = text.find("\n", len(text) // 2) + 1 or len(text) // 2
    return text[middle:] if half else text[:middle]


def slice_pieces(
    text: str, name: str, half: int, count: int, key: tuple[object, ...], split: Callable[[str], list[str]]
) -> list[Piece]:
    """Pieces of the half's part of a text; long ones too, where the text is short for that many pieces.

    A short text is cut into pieces as short as it needs for the count, and once more into long ones.
    """
    part, draw = part_of(text, half), stream(*key, name, half)
    most = min(_LONGEST, max(200, 4 * len(part) // count))
    fit = [piece for piece in pieces(part, draw, split, most) if _fits(piece)]
    draw.shuffle(fit)
    if most < _LONGEST:
        again = [piece for piece in pieces(part, draw, split) if len(piece) > most and _fits(piece)]
        fit = [*again[: count // 6], *fit]
    return [Piece(piece, f"{name}#{half + 1}") for piece in fit[:count]]


def without_seen(found: list[Piece], learnt: list[Piece]) -> list[Piece]:
    """Pieces of which few lines are in the other half: packages share licences and lists of parts."""
    seen = {line for piece in learnt for line in piece.text.splitlines() if len(line) >= _OWN_LINE}
    kept = []
    for piece in found:
        lines = [line for line in piece.text.splitlines() if len(line) >= _OWN_LINE]
        if sum(line in seen for line in lines) <= _MOST_SEEN * len(lines):
            kept.append(piece)
    return kept


def _fits(text: str) -> bool:
    return SHORTEST <= len(text) <= LONGEST and is_clearly_text(text)
