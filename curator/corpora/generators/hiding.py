"""What generators share that hide things in a haystack and ask for them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from curator.corpora.document import Message
from curator.corpora.generators.contract import LANGUAGES, Choice, Draft, Generator, Options, Request, Sample
from curator.corpora.generators.haystack import (
    HAYSTACKS,
    SPARE,
    Haystack,
    haystack_around,
    haystack_licence,
    is_repeated,
)
from curator.corpora.generators.names import Names, said_by

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Placed = Sequence[tuple[float, str]]
"""What is hidden, each at a depth from 0 to 1."""


def hidden_names(request: Request, wording: DataclassInstance, rng: random.Random) -> Names:
    """Names that neither the haystack nor the wording has in it."""
    return Names(rng, request.language, (*haystack_around(request), said_by(request, wording)))


def hiding_draft(
    hay: Haystack,
    placed: Placed,
    *,
    before: Sequence[str],
    question: str,
    answer: str,
    gold: tuple[str, ...],
    divisible: bool = True,
) -> Draft:
    """A question about what is hidden in a haystack, whose size is open.

    Args:
        hay: the haystack.
        placed: what is hidden in it.
        before: paragraphs before the haystack; empty ones are left out.
        question: after it.
        answer: the assistant's turn.
        gold: what a scorer looks for.
        divisible: whether a sentence of the haystack may be cut, to use the budget to the word.
    """

    def render(size: int, words: int = 0) -> Sample:
        user = "\n\n".join(filter(None, (*before, hay.hide(size, placed, words), question)))
        return Sample(messages=(Message("user", user), Message("assistant", answer)), gold=gold)

    return Draft(render, 0, finer=render if divisible else None, spare=SPARE)


def hiding_generator(
    *,
    title: str,
    choices: Mapping[str, Choice],
    defaults: Mapping[str, Any],
    is_low: Callable[[Options], bool],
    plan: Callable[[Request, random.Random], Draft],
    haystacks: tuple[str, ...] = HAYSTACKS,
) -> Generator:
    """A generator with a choice of haystacks and languages beside its own options.

    Args:
        title: see `Generator`.
        choices: its own options.
        defaults: of these.
        is_low: whether its own options make samples without continuous meaning; a repeated haystack always does.
        plan: see `Generator`.
        haystacks: those it can hide things in.
    """
    return Generator(
        title=title,
        low_continuity="options",
        licence=haystack_licence,
        choices={**choices, "haystack": haystacks, "language": LANGUAGES},
        defaults={**defaults, "haystack": "prose", "language": "en"},
        is_low=lambda options: is_low(options) or is_repeated(options),
        plan=plan,
    )
