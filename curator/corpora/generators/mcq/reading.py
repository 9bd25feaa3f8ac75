"""Questions on a short paragraph of real prose: which choice stands in one of its sentences."""

from __future__ import annotations

import random

from curator._errors import InputError
from curator.corpora.generators.mcq.problem import CHOICES, Problem, Slip, of_side
from curator.corpora.generators.mcq.story import texts
from curator.corpora.generators.qa.facts import BLANK, Fact, facts
from curator.corpora.generators.qa.passages import passages

_TRIES = 400


def make(rng: random.Random, language: str, *, heldout: bool) -> Problem:
    """A paragraph, one of its sentences with a gap, and what stands in gaps of other paragraphs as wrong choices.

    Raises:
        InputError: there is no prose of this language and side, or too little for four choices.
    """
    pool = passages(language, heldout=heldout)
    told = texts(language)["reading"]
    for _ in range(_TRIES):
        passage = rng.choice(pool)
        found = facts(passage, language, "blank")
        if not found:
            continue
        fact = rng.choice(found)
        folded = f"{passage.heading} {passage.text}".casefold()
        wrong = _others(rng, fact, folded, passage.unit, language, heldout=heldout)
        if folded.count(fact.needle.casefold()) == 1 and len(wrong) == CHOICES - 1:
            wording = told["wordings"][rng.choice(of_side(tuple(told["wordings"]), heldout=heldout))]
            question = wording.format(text=passage.text, shown=fact.shown, title=passage.heading)
            sentence = fact.shown.replace(BLANK, fact.gold)
            steps = (told["cite"].format(sentence=sentence), told["fill"].format(gold=fact.gold))
            slips = tuple(Slip(value, told["why"].format(value=value)) for value in wrong)
            return Problem(question, fact.gold, slips, steps)
    raise InputError(f"generate mcq: too little prose in {language!r} to ask about; choose another kind")


def _others(rng: random.Random, fact: Fact, folded: str, unit: str, language: str, *, heldout: bool) -> list[str]:
    """Three golds of other paragraphs that look like this one and are not in the text."""
    pool = passages(language, heldout=heldout)
    near = [passage for passage in pool if passage.unit == unit]
    kept: dict[str, str] = {}
    for step in range(_TRIES):
        # From the same source as long as it has enough: what is from elsewhere would stand out.
        for other in facts(rng.choice(near if step < _TRIES // 2 else pool), language, "blank"):
            value = other.gold
            if _shape(value) == _shape(fact.gold) and value.casefold() not in folded:
                kept.setdefault(value.casefold(), value)
                break
        if len(kept) == CHOICES - 1:
            break
    return list(kept.values())


def _shape(text: str) -> tuple[bool, int, bool, bool]:
    """Whether it is a number, of how many digits, begins with a capital, has a space: none must stand out."""
    digits = text.replace(",", "").replace(".", "")
    return digits.isdigit(), len(digits) if digits.isdigit() else 0, text[:1].isupper(), " " in text
