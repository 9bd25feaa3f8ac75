"""Needles in a haystack: find what a long text says about a key.

After the task family made known by RULER (arXiv:2404.06654); text, wordings and code are our own.
"""

from __future__ import annotations

import random

from curator._errors import InputError
from curator.corpora.generators.contract import Draft, Options, Request
from curator.corpora.generators.haystack import HAYSTACKS, depth, line_haystack, open_haystack
from curator.corpora.generators.hiding import hidden_names, hiding_draft, hiding_generator
from curator.corpora.generators.names import KINDS, Names
from curator.corpora.generators.wordings.niah import WORDINGS, Wording

Needle = tuple[str, tuple[str, ...]]
"""A key and its values."""


def _plan(request: Request, rng: random.Random) -> Draft:
    options = request.options
    count, ask = options["count"], options["ask"]
    if ask > count:
        raise InputError(f"generate niah: ask={ask} of count={count} keys; ask for {count} or fewer")
    wording = request.pick(WORDINGS)
    names = hidden_names(request, wording, rng)
    needles = [_needle(names, options, asked=place < ask) for place in range(count)]
    placed = []
    for place, needle in enumerate(needles):
        for number, value in enumerate(needle[1]):
            # Those that are asked for are spread evenly over the samples, the others by chance.
            deep = depth(request, "niah", place * 8 + number) if place < ask else rng.random()
            placed.append((deep, wording.state(needle[0], value)))
    # Values are told in the order in which the text has them.
    order = {text: deep for deep, text in placed}
    asked = [(key, _in_order(wording, key, values, order)) for key, values in needles[:ask]]
    rng.shuffle(asked)
    gold = tuple(value for _, values in asked for value in values)
    lines = options["haystack"] == "needles"
    if lines:
        hay = line_haystack(lambda: wording.state(*_pair(names, options)))
    else:
        hay = open_haystack(request, rng.getrandbits(63))
    return hiding_draft(
        hay,
        placed,
        before=[wording.opening],
        question=wording.ask_for([key for key, _ in asked], options["values"]),
        answer=wording.reply(asked),
        gold=gold,
        divisible=not lines,
    )


def _needle(names: Names, options: Options, *, asked: bool) -> Needle:
    key = names.draw(options["keys"], guarded=asked)
    return key, tuple(names.draw(options["needles"], guarded=asked) for _ in range(options["values"]))


def _pair(names: Names, options: Options) -> tuple[str, str]:
    return names.draw(options["keys"]), names.draw(options["needles"])


def _in_order(wording: Wording, key: str, values: tuple[str, ...], depths: dict[str, float]) -> list[str]:
    return sorted(values, key=lambda value: depths[wording.state(key, value)])


def _is_low(options: Options) -> bool:
    return "uuids" in (options["needles"], options["keys"]) or options["haystack"] == "needles"


GENERATOR = hiding_generator(
    title="needles in a haystack: key and value sentences hidden in prose, among others, or in repeated sentences",
    choices={
        "needles": KINDS,
        "keys": KINDS,
        "count": range(1, 41),
        "ask": range(1, 41),
        "values": range(1, 9),
    },
    defaults={"needles": "words", "keys": "words", "count": 4, "ask": 1, "values": 1},
    haystacks=(*HAYSTACKS, "needles"),
    is_low=_is_low,
    plan=_plan,
)
