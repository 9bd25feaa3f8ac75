"""Long texts with something hidden in them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice

from curator._seed import rng as seeded
from curator.corpora.generators.contract import Options, Request
from curator.corpora.generators.prose import LICENCES, around, origin, sentences
from curator.corpora.generators.wordings.remarks import SPACE
from curator.corpora.generators.wordings.repeated import REPEATED

HAYSTACKS = ("prose", "essays", "repeat")
"""What things are hidden in: prose at hand, longer prose of a package, or a few sentences again and again."""
LICENSED = ("prose", "essays")
"""Those that are not our own."""
STRATA = 40
"""Depths are spread so that of every 40 samples in a row one lies in each 1/40 of the haystack."""
SPARE = 1.25
"""A budget that leaves less than a fifth to the haystack is too small."""

Unit = tuple[str, str]
"""A sentence or line, and what stands between it and the one before."""


class Haystack:
    """A text of any number of sentences, of which the shorter is always the longer one's beginning.

    Args:
        units: its sentences, without end.
        joint: what stands before something hidden.
    """

    def __init__(self, units: Iterator[Unit], joint: str) -> None:
        self._source = units
        self._joint = joint
        self._units: list[Unit] = []
        self._ends = [0]

    def hide(self, size: int, placed: Sequence[tuple[float, str]], words: int = 0) -> str:
        """The first ``size`` sentences, with further ones at the sentence boundaries nearest to their depths.

        Args:
            size: sentences of the haystack.
            placed: depths from 0 to 1, and what is put there; equal boundaries keep the order of the depths.
            words: words of the next sentence that follow, characters in a language without spaces.
        """
        self._grow(size + 1)
        inserts: dict[int, list[str]] = {}
        for depth, text in sorted(placed, key=lambda one: one[0]):
            inserts.setdefault(self._boundary(depth * self._ends[size], size), []).append(text)
        out: list[str] = []
        for place in range(size + 1):
            for text in inserts.get(place, ()):
                out += (self._joint, text)
            if place < size:
                gap, unit = self._units[place]
                out += (gap if place else self._joint, unit)
        if words:
            gap, unit = self._units[size]
            out += (gap if out else "", _cut(unit, words, spaced=self._joint == " "))
        return "".join(out[1:])

    def _grow(self, size: int) -> None:
        for unit in islice(self._source, max(0, size - len(self._units))):
            self._units.append(unit)
            self._ends.append(self._ends[-1] + len(unit[1]))

    def _boundary(self, chars: float, size: int) -> int:
        place = bisect_left(self._ends, chars, 0, size + 1)
        if place and chars - self._ends[place - 1] < self._ends[place] - chars:
            return place - 1
        return place


def _cut(sentence: str, words: int, *, spaced: bool) -> str:
    """The beginning of a sentence."""
    parts = sentence.split(" ") if spaced else list(sentence)
    return (" " if spaced else "").join(parts[:words]) + ("…" if words < len(parts) else "")


def open_haystack(request: Request, key: int) -> Haystack:
    """The haystack that ``options["haystack"]`` names, one of `HAYSTACKS`; ``key`` decides what it holds.

    Raises:
        DependencyError: the package that has the prose is not installed.
    """
    kind, space = request.options["haystack"], SPACE[request.language]
    if kind == "repeat":
        repeated = REPEATED[request.language, request.side]
        return Haystack(
            ((space if lap % len(repeated) else "\n", repeated[lap % len(repeated)]) for lap in count()), space
        )
    found = sentences(key, request.language, kind, heldout=request.heldout, tokens=request.tokens)
    return Haystack((("\n\n" if begins else space, sentence) for begins, sentence in found), space)


def haystack_around(request: Request) -> tuple[str, ...]:
    """All text that the haystack can hold, in lower case, for names that must not be in it."""
    kind = request.options["haystack"]
    if kind == "repeat":
        return (SPACE[request.language].join(REPEATED[request.language, request.side]).lower(),)
    if kind not in LICENSED:
        return ()
    return around(request.language, kind, heldout=request.heldout, tokens=request.tokens)


def line_haystack(line: Callable[[], str]) -> Haystack:
    """A haystack of lines, each made when it is needed."""
    return Haystack((("\n", line()) for _ in count()), "\n")


def depth(request: Request, label: str, place: int) -> float:
    """Depth in 0..1 of the ``place``-th thing hidden: in each block of `STRATA` samples a stratum of its own."""
    block, within = divmod(request.index, STRATA)
    strata = list(range(STRATA))
    seeded(request.seed, f"{label}-depth", request.side, place, block).shuffle(strata)
    jitter = seeded(request.seed, f"{label}-jitter", request.side, place, request.index).random()
    return (strata[within] + jitter) / STRATA


def is_repeated(options: Options) -> bool:
    """Whether the haystack has no continuous meaning."""
    return str(options["haystack"]) == "repeat"


def haystack_licence(options: Options) -> str:
    """SPDX expression of a haystack's text."""
    if options["haystack"] not in LICENSED:
        return "CC0-1.0"
    return LICENCES[origin(options["language"], options["haystack"])]
