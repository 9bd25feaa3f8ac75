"""Who comes where: an order to be put together from neighbours."""

from __future__ import annotations

import random
from itertools import pairwise

from curator.corpora.generators.mcq.problem import Problem, Slip, of_side, three_slips
from curator.corpora.generators.mcq.story import texts

_PEOPLE = 5


def make(rng: random.Random, language: str, *, heldout: bool) -> Problem:
    """A row of five people, told by pairs of neighbours in a drawn order, and one place that is asked for."""
    told = texts(language)["ordering"]
    # The steps are worded alike on both sides, and so are told of other people.
    row = rng.sample(of_side(told["names"], heldout=heldout), _PEOPLE)
    frame = told[rng.choice(of_side([name for name in told if isinstance(told[name], dict)], heldout=heldout))]
    facts = [frame[rng.choice(("more", "less"))].format(a=before, b=after) for before, after in pairwise(row)]
    rng.shuffle(facts)
    # The ends are too easy: one who is named once only stands there.
    place = rng.randrange(1, _PEOPLE - 1)
    rank = told["ranks"][place]
    question = frame["question"].format(facts=("" if language == "zh" else " ").join(facts), rank=rank)
    others = [name for name in row if name != row[place]]
    rng.shuffle(others)
    slips = [Slip(name, told["why"].format(name=name, rank=told["ranks"][row.index(name)])) for name in others]
    steps = [told["first"].format(name=row[0])]
    steps += [told["next"].format(before=before, name=name) for before, name in pairwise(row[: place + 1])]
    steps.append(told["last"].format(chain=told["join"].join(row), rank=rank, name=row[place]))
    return Problem(question, row[place], three_slips(rng, row[place], slips, language), tuple(steps))
