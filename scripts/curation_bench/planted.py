"""A corpus of real documents with copies, near copies and junk planted in it, and the truth about each line."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from curation_bench.junk import KINDS, make_junk
from curation_bench.likeness import index_of, word_runs
from curation_bench.real_documents import Real

EXACT, NEAR, UNLIKE, JUNK, FOREIGN = 0.03, 0.05, 0.01, 0.03, 0.03
"""Of the real documents: exact copies, near copies, documents half in common, junk; and other languages."""
BANDS = ((0.8, 0.85), (0.85, 0.9), (0.9, 0.95), (0.95, 1.0))
"""Near copies' Jaccard index, from and below; one of each in turn."""
_UNLIKE_BAND = (0.3, 0.6)
_SPACES = re.compile(r"\S+")
PARTS = 8
"""Files that the corpus is cut into, for tools that give one file to one worker."""


@dataclass(frozen=True, slots=True)
class Line:
    """The truth about a line of the corpus.

    Attributes:
        id: of the line.
        kind: ``real``, ``foreign``, ``exact``, ``near``, ``unlike`` (half of another's text), or ``junk: KIND``.
        of: id of the document that it was made of; empty for real ones and junk.
        jaccard: likeness to that document.
    """

    id: str
    kind: str
    of: str = ""
    jaccard: float = 0.0


def write_corpus(folder: Path, english: Sequence[Real], other: Sequence[Real], size: int, seed: int) -> int:
    """Write a corpus: ``corpus.jsonl``, the same in parts, and ``truth.jsonl``.

    Args:
        folder: new, or without these files.
        english: real documents; as many as ``size`` are drawn.
        other: documents of other languages.
        size: real documents in English.
        seed: decides what is drawn and planted, and the order.

    Returns:
        Number of lines.

    Raises:
        SystemExit: there are too few documents.
    """
    if len(english) < size or len(other) < round(size * FOREIGN):
        raise SystemExit(f"bench_curation: too few documents: {len(english):,}, in other languages {len(other):,}")
    real = _drawn(english, size, f"{seed} english")
    foreign = _drawn(other, round(size * FOREIGN), f"{seed} other")
    lines = sorted(_lines(real, foreign, seed), key=lambda one: _order(seed, one[0].id))
    folder.mkdir(parents=True, exist_ok=True)
    with (
        (folder / "corpus.jsonl").open("w", encoding="utf-8") as whole,
        (folder / "truth.jsonl").open("w") as truth,
    ):
        for line, text in lines:
            whole.write(_row(line, text))
            truth.write(json.dumps(asdict(line)) + "\n")
    (folder / "parts").mkdir(exist_ok=True)
    for part in range(PARTS):
        chosen = lines[part * len(lines) // PARTS : (part + 1) * len(lines) // PARTS]
        with (folder / "parts" / f"{part:02}.jsonl").open("w", encoding="utf-8") as opened:
            opened.writelines(_row(line, text) for line, text in chosen)
    return len(lines)


def _row(line: Line, text: str) -> str:
    return json.dumps({"id": line.id, "text": text}, ensure_ascii=False) + "\n"


def _drawn(documents: Sequence[Real], count: int, seed: str) -> list[Real]:
    return random.Random(seed).sample(documents, count)


def _order(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()


def _lines(real: Sequence[Real], foreign: Sequence[Real], seed: int) -> Iterator[tuple[Line, str]]:
    names = [f"r{number}" for number in range(len(real))]
    for name, one in zip(names, real, strict=True):
        yield Line(name, "real"), one.text
    for number, one in enumerate(foreign):
        yield Line(f"f{number}", "foreign"), one.text
    draw = random.Random(f"{seed} planted")
    # No document is the origin of two lines, so that groups are pairs.
    order = draw.sample(range(len(real)), len(real))
    counts = [round(share * len(real)) for share in (EXACT, NEAR, UNLIKE, JUNK)]
    for number, at in enumerate(order[: counts[0]]):
        yield Line(f"e{number}", "exact", names[at], 1.0), real[at].text
    order = order[counts[0] :]
    words = sorted({word for one in real[:2000] for word in one.text.lower().split() if word.isalpha()})
    for kind, count in (("near", counts[1]), ("unlike", counts[2])):
        made = 0
        while made < count:
            at = order.pop()
            band = BANDS[made % len(BANDS)] if kind == "near" else _UNLIKE_BAND
            text, index = _changed(real[at].text, band, words, draw)
            if text:
                yield Line(f"{kind[0]}{made}", kind, names[at], round(index, 4)), text
                made += 1
    marked = [one.text for one in foreign if not one.text.isascii()]
    for number in range(counts[3]):
        kind = KINDS[number % len(KINDS)]
        good = real[order.pop()].text
        yield Line(f"j{number}", f"junk: {kind}"), make_junk(kind, good, draw.choice(marked), words, draw)


def _changed(text: str, band: tuple[float, float], words: Sequence[str], draw: random.Random) -> tuple[str, float]:
    """The text with words put in others' places until its likeness is in the band; empty where it cannot be."""
    codes: dict[str, int] = {}
    before = word_runs(text, codes)
    places = [match.span() for match in _SPACES.finditer(text)]
    # Of a short text one word is too much.
    if len(before) < 40:
        return "", 0.0
    changes = [(place, draw.choice(words)) for place in draw.sample(range(len(places)), len(places))]
    # The more words are changed, the less alike both are: as many as the band wants are found by halving.
    low, high = 1, len(changes)
    while low <= high:
        count = (low + high) // 2
        changed = _with(text, places, dict(changes[:count]))
        index = index_of(before, word_runs(changed, codes))
        if band[0] <= index < band[1]:
            return changed, index
        low, high = (count + 1, high) if index >= band[1] else (low, count - 1)
    return "", 0.0


def _with(text: str, places: Sequence[tuple[int, int]], changes: dict[int, str]) -> str:
    parts, end = [], 0
    for place in sorted(changes):
        start, stop = places[place]
        parts += [text[end:start], changes[place]]
        end = stop
    return "".join([*parts, text[end:]])
