"""Needles in a haystack: find what a long text says about a key.

After the task family made known by RULER (arXiv:2404.06654); text, wordings and code are our own.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from curator._errors import InputError
from curator._seed import rng as seeded
from curator.corpora.document import Message
from curator.corpora.generators.contract import Generator, Request, Sample
from curator.corpora.generators.haystack import compounds, draw_haystack, words
from curator.corpora.generators.niah_wordings import CALIBRATION, HELDOUT, Wording
from curator.corpora.generators.uuid_lines import draw_uuid

STRATA = 40
"""Depths are spread so that of every 40 samples in a row one lies in each 1/40 of the haystack."""
_TRIES = 1000
_LEAST_HAYSTACK = 200


class _Names:
    """Draws the keys and values of one sample, none of which can be taken for another."""

    def __init__(self, rng: random.Random, options: Mapping[str, Any], *, heldout: bool) -> None:
        self._rng = rng
        self._options = options
        self._compounds = compounds(heldout=heldout)
        self._used: set[str] = set()
        self._asked: list[str] = []

    def pair(self, *, asked: bool = False) -> tuple[str, str]:
        """Draw a key and its value; those of the needles asked for must be drawn first."""
        return self._fresh(self._options["keys"], asked), self._fresh(self._options["needles"], asked)

    def _fresh(self, kind: str, asked: bool) -> str:
        for _ in range(_TRIES):
            drawn = self._draw(kind)
            # What is asked for must not be found inside another key or value either, nor in the prose.
            if drawn in self._used or any(name in drawn or drawn in name for name in self._asked):
                continue
            if kind == "words" and any(drawn in compound for compound in self._compounds):
                continue
            self._used.add(drawn)
            if asked:
                self._asked.append(drawn)
            return drawn
        raise InputError("generate niah: no unused words are left; ask for fewer tokens or use uuids")

    def _draw(self, kind: str) -> str:
        if kind == "uuids":
            return draw_uuid(self._rng)
        if kind == "numbers":
            return str(self._rng.randrange(10**6, 10**7))
        pool = words()
        # Two words: a pair is far rarer than a word, so that the needle is the only place that has it.
        return f"{pool[self._rng.randrange(len(pool))]}-{pool[self._rng.randrange(len(pool))]}"


def _make(request: Request, rng: random.Random) -> Sample:
    options = request.options
    wordings = HELDOUT if request.heldout else CALIBRATION
    wording = wordings[rng.randrange(len(wordings))]
    count, ask = options["count"], options["ask"]
    if ask > count:
        raise InputError(f"generate niah: ask={ask} of count={count} needles; ask for {count} or fewer")
    names = _Names(rng, options, heldout=request.heldout)
    asked = [names.pair(asked=True) for _ in range(ask)]
    needles = asked + [names.pair() for _ in range(count - ask)]
    question, answer = _turns(wording, asked, rng)
    fixed = len(wording.opening) + len(question) + len(answer) + 6
    fixed += sum(len(_sentence(wording, needle)) + 1 for needle in needles)
    room = round(request.tokens * _chars_per_token(options)) - fixed
    if room < _LEAST_HAYSTACK:
        least = round((fixed + _LEAST_HAYSTACK) / _chars_per_token(options)) + 1
        raise InputError(f"generate niah: too short for {count} needles; ask for {least} tokens or more")
    depths = [_depth(request, place) for place in range(ask)] + [rng.random() for _ in range(count - ask)]
    placed = [(depth, _sentence(wording, needle)) for depth, needle in zip(depths, needles, strict=True)]
    if options["haystack"] == "needles":
        text = _among_needles(names, wording, placed, room)
    else:
        text = _among_prose(request, rng, placed, room)
    user = f"{wording.opening}\n\n{text}\n\n{question}"
    return Sample(messages=(Message("user", user), Message("assistant", answer)))


def _among_prose(request: Request, rng: random.Random, placed: list[tuple[float, str]], room: int) -> str:
    paragraphs = draw_haystack(rng, room, heldout=request.heldout, name="niah")
    total = sum(len(sentence) + 1 for paragraph in paragraphs for sentence in paragraph)
    waiting = sorted(placed)
    out: list[str] = []
    passed = 0
    for paragraph in paragraphs:
        sentences: list[str] = []
        for sentence in paragraph:
            # The needle goes to the sentence boundary nearest to its depth.
            while waiting and waiting[0][0] * total <= passed + len(sentence) / 2:
                sentences.append(waiting.pop(0)[1])
            sentences.append(sentence)
            passed += len(sentence) + 1
        out.append(" ".join(sentences))
    return "\n\n".join(out) + "".join(f" {sentence}" for _, sentence in waiting)


def _among_needles(names: _Names, wording: Wording, placed: list[tuple[float, str]], room: int) -> str:
    lines: list[str] = []
    while room > 0:
        lines.append(_sentence(wording, names.pair()))
        room -= len(lines[-1]) + 1
    total = len(lines)
    for depth, sentence in sorted(placed, reverse=True):
        lines.insert(round(depth * total), sentence)
    return "\n".join(lines)


def _depth(request: Request, place: int) -> float:
    """Depth in 0..1 of an asked needle: a stratum of its own within each block of 40 samples."""
    side = "heldout" if request.heldout else "calibration"
    block, within = divmod(request.index, STRATA)
    strata = list(range(STRATA))
    seeded(request.seed, "niah-depth", side, place, block).shuffle(strata)
    jitter = seeded(request.seed, "niah-jitter", side, place, request.index).random()
    return (strata[within] + jitter) / STRATA


def _turns(wording: Wording, asked: list[tuple[str, str]], rng: random.Random) -> tuple[str, str]:
    # Asked in an order of their own: the order in the text must not give the answer away.
    order = rng.sample(asked, len(asked))
    names = [f'"{key}"' for key, _ in order]
    keys = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
    answer = " ".join(wording.answer.format(key=f'"{key}"', value=value) for key, value in order)
    return wording.question.format(keys=keys), answer


def _sentence(wording: Wording, needle: tuple[str, str]) -> str:
    return wording.needle.format(key=f'"{needle[0]}"', value=needle[1])


def _is_low(options: Mapping[str, Any]) -> bool:
    return "uuids" in (options["needles"], options["keys"]) or options["haystack"] == "needles"


def _chars_per_token(options: Mapping[str, Any]) -> float:
    if options["haystack"] == "prose":
        return 4.0
    return 2.6 if "uuids" in (options["needles"], options["keys"]) else 3.4


GENERATOR = Generator(
    title="needles in a haystack: key and value sentences hidden in real prose",
    low_continuity="options",
    licence="Python-2.0",  # the haystack's
    choices={
        "needles": ("words", "numbers", "uuids"),
        "keys": ("words", "uuids"),
        "haystack": ("prose", "needles"),
        "count": range(1, 41),
        "ask": range(1, 41),
    },
    defaults={"needles": "words", "keys": "words", "haystack": "prose", "count": 4, "ask": 1},
    is_low=_is_low,
    make=_make,
)
