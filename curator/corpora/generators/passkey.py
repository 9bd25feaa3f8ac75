"""Pass key: one phrase, said twice at one place of a long text.

After the task made known by the pass key retrieval of long-context evaluations; text and wordings are our own.
"""

from __future__ import annotations

import random

from curator.corpora.generators.contract import Draft, Request
from curator.corpora.generators.haystack import depth, open_haystack
from curator.corpora.generators.hiding import hidden_names, hiding_draft, hiding_generator
from curator.corpora.generators.names import KINDS
from curator.corpora.generators.wordings.passkey import WORDINGS


def _plan(request: Request, rng: random.Random) -> Draft:
    wording = request.pick(WORDINGS)
    value = hidden_names(request, wording, rng).draw(request.options["needles"])
    return hiding_draft(
        open_haystack(request, rng.getrandbits(63)),
        [(depth(request, "passkey", 0), wording.state(value))],
        before=[wording.opening],
        question=wording.question,
        answer=wording.reply(value),
        gold=(value,),
    )


GENERATOR = hiding_generator(
    title="pass key: one phrase hidden in prose or repeated sentences",
    choices={"needles": KINDS},
    defaults={"needles": "words"},
    is_low=lambda options: options["needles"] == "uuids",
    plan=_plan,
)
