"""Variable tracking: numbers that are handed on from name to name, said here and there in a long text.

After the task family made known by RULER (arXiv:2404.06654); text, wordings and code are our own.
"""

from __future__ import annotations

import random

from curator.corpora.generators.contract import Draft, Request
from curator.corpora.generators.haystack import depth, open_haystack
from curator.corpora.generators.hiding import hidden_names, hiding_draft, hiding_generator
from curator.corpora.generators.wordings.variable_tracking import WORDINGS

_EXAMPLE = 3
"""Names of the worked example."""
_MOST_HOPS = 12


def _plan(request: Request, rng: random.Random) -> Draft:
    options = request.options
    wording = request.pick(WORDINGS)
    names = hidden_names(request, wording, rng)
    kind = "word" if options["names"] == "words" else "coded"

    def draw_chain(length: int) -> tuple[list[str], str]:
        return [names.draw(kind, guarded=True) for _ in range(length)], names.draw("numbers", guarded=True)

    chains = [draw_chain(options["hops"] + 1) for _ in range(options["chains"])]
    placed: list[tuple[float, str]] = []
    for number, chain in enumerate(chains):
        places = range(number * (_MOST_HOPS + 1), number * (_MOST_HOPS + 1) + len(chain[0]))
        # A name is copied after it got its number, never before.
        depths = sorted(depth(request, "vt", place) for place in places)
        placed += zip(depths, wording.chain(*chain), strict=True)
    asked, value = chains[0]
    example = wording.worked(*draw_chain(_EXAMPLE)) if request.has_room else ""
    return hiding_draft(
        open_haystack(request, rng.getrandbits(63)),
        placed,
        before=[wording.opening, example],
        question=wording.question.format(value=value),
        answer=wording.reply(asked, value),
        gold=tuple(asked),
    )


GENERATOR = hiding_generator(
    title="variable tracking: follow numbers from name to name through prose or repeated sentences",
    choices={"chains": range(1, 9), "hops": range(1, _MOST_HOPS + 1), "names": ("words", "coded")},
    defaults={"chains": 2, "hops": 4, "names": "words"},
    is_low=lambda options: options["names"] == "coded",
    plan=_plan,
)
