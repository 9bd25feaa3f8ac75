"""Questions over documents: real passages, one of which holds the answer word for word.

After the task family made known by RULER (arXiv:2404.06654); text, questions, wordings and code are our own.
"""

from __future__ import annotations

import random
from functools import lru_cache

from curator._errors import InputError
from curator._seed import rng as seeded
from curator.corpora.document import Message
from curator.corpora.generators.contract import LANGUAGES, Draft, Generator, Options, Request, Sample
from curator.corpora.generators.haystack import depth
from curator.corpora.generators.qa.facts import KINDS, Fact, Kind, facts
from curator.corpora.generators.qa.passages import LICENCES, Passage, more_passages, passages
from curator.corpora.generators.qa.wordings import Wordings, wordings

_CHARS_PER_TOKEN = 7
"""More characters than this for a token has no prose: with so many at hand no further ones are read."""
_RARE = 10
"""At most one in so many passages may hold the answer as well: they are left out of a sample's documents."""


def _plan(request: Request, rng: random.Random) -> Draft:
    asked = request.options["kind"]
    kind: Kind = KINDS[request.index % len(KINDS)] if asked == "any" else asked
    gold, fact = _find_fact(request, kind, rng)
    worded = wordings(request.language, heldout=request.heldout)
    opening = rng.choice(worded.openings)
    question, answer = rng.choice(worded.turns[kind])
    others = _distractors(request, gold, fact)
    rng.shuffle(others)
    deep = depth(request, "qa", 0)
    filled = {"shown": fact.shown, "gold": fact.said or fact.gold, "target": worded.targets.get(fact.target, "")}

    def render(size: int) -> Sample:
        documents = _take(others, size)
        place = int(deep * (len(documents) + 1))
        documents.insert(place, (gold, gold.sentences))
        blocks = [_block(worded, number, *document) for number, document in enumerate(documents, start=1)]
        user = "\n\n".join([opening, *blocks, question.format(**filled)])
        reply = answer.format(number=place + 1, **filled)
        return Sample(messages=(Message("user", user), Message("assistant", reply)), gold=(fact.gold,))

    return Draft(render, least=0, most=sum(len(passage.sentences) for passage in others))


def _take(others: list[Passage], size: int) -> list[tuple[Passage, tuple[str, ...]]]:
    """The first passages that together have ``size`` sentences; the last is cut after a sentence."""
    taken: list[tuple[Passage, tuple[str, ...]]] = []
    for passage in others:
        if size <= 0:
            break
        taken.append((passage, passage.sentences[:size]))
        size -= len(passage.sentences)
    return taken


def _block(worded: Wordings, number: int, passage: Passage, sentences: tuple[str, ...]) -> str:
    title = passage.heading
    if passage.parts > 1:
        title = worded.part.format(title=title, part=passage.part)
    return f"{worded.label.format(number=number, title=title)}\n{worded.gap.join(sentences)}"


def _find_fact(request: Request, kind: Kind, rng: random.Random) -> tuple[Passage, Fact]:
    """A passage of its own for every sample, as long as there are some, and a fact that only it holds.

    Raises:
        InputError: nothing of this kind can be asked about the prose that is here.
    """
    pool = passages(request.language, heldout=request.heldout)
    telling = list(_telling(request.language, kind, heldout=request.heldout))
    seeded(request.seed, "qa-passages", request.side, request.language, kind).shuffle(telling)
    turn = request.index // (len(KINDS) if request.options["kind"] == "any" else 1)
    # Where its own passage has no fact of its own, any other may do: the next one would be asked about twice.
    order = [turn % len(telling), *rng.sample(range(len(telling)), len(telling))] if telling else []
    for place in order:
        passage = pool[telling[place]]
        found = facts(passage, request.language, kind)
        rng.shuffle(found)
        for fact in found:
            if _is_alone(fact, request.language, heldout=request.heldout):
                return passage, fact
    raise InputError(f"generate qa: nothing to ask by {kind!r} in {request.language!r}; choose another kind")


@lru_cache(maxsize=16)
def _telling(language: str, kind: Kind, *, heldout: bool) -> tuple[int, ...]:
    """Places of the passages with a fact of this kind."""
    pool = passages(language, heldout=heldout)
    return tuple(place for place, passage in enumerate(pool) if facts(passage, language, kind))


def _is_alone(fact: Fact, language: str, *, heldout: bool) -> bool:
    texts = _folded(language, heldout=heldout)
    needle, gold = fact.needle.casefold(), fact.gold.casefold()
    return sum(text.count(needle) for text in texts) == 1 and sum(gold in text for text in texts) * _RARE <= len(
        texts
    )


def _distractors(request: Request, gold: Passage, fact: Fact) -> list[Passage]:
    """The passages that neither hold the answer nor lead to it."""
    language, heldout = request.language, request.heldout
    pool, texts = passages(language, heldout=heldout), _folded(language, heldout=heldout)
    if sum(map(len, texts)) < _CHARS_PER_TOKEN * request.tokens:
        more = more_passages(language, heldout=heldout)
        pool, texts = (*pool, *more), (*texts, *map(_fold, more))
    answer, needle = fact.gold.casefold(), fact.needle.casefold()
    return [
        passage
        for passage, text in zip(pool, texts, strict=True)
        if passage is not gold and answer not in text and needle not in text
    ]


@lru_cache(maxsize=4)
def _folded(language: str, *, heldout: bool) -> tuple[str, ...]:
    """The passages as a scorer looks for an answer in them."""
    return tuple(map(_fold, passages(language, heldout=heldout)))


def _fold(passage: Passage) -> str:
    """Title and text without regard to case."""
    return f"{passage.heading}\n{passage.text}".casefold()


def _licence(options: Options) -> str:
    return " AND ".join(LICENCES[options["language"]])


GENERATOR = Generator(
    title="questions over documents: real passages, one of which holds the answer word for word",
    low_continuity="never",
    licence=_licence,
    choices={"kind": ("any", *KINDS), "language": LANGUAGES},
    defaults={"kind": "any", "language": "en"},
    is_low=lambda _: False,
    plan=_plan,
)
