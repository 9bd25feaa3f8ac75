"""What a generator is."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from curator._errors import InputError
from curator.corpora.document import Message


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted from a generator.

    Attributes:
        seed: the recipe's seed.
        index: number of the sample.
        tokens: wanted length of the whole sample in tokens, answer included. The true count depends on
            the tokenizer: a generator reckons with rough costs, such as 4 characters of prose a token.
        options: every option of the generator, checked, with its defaults.
        heldout: made for held-out prompts: other wordings, other haystack.
    """

    seed: int
    index: int
    tokens: int
    options: Mapping[str, Any]
    heldout: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """What a generator gives: a text, or the messages of a conversation."""

    text: str = ""
    messages: tuple[Message, ...] | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """Every number from ``low`` to ``high``, both included."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        """Whether ``value`` is such a number; NaN is not."""
        return isinstance(value, int | float) and self.low <= value <= self.high


Choice = tuple[str, ...] | range | Interval
"""Allowed values of an option."""


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator.

    Attributes:
        title: one line for ``curate ls``.
        low_continuity: whether samples lack continuous meaning, or ``options`` when an option decides.
        licence: SPDX expression of what it makes.
        choices: allowed values by option.
        defaults: default values by option.
        is_low: whether samples with these options lack continuous meaning.
        make: one sample, from the request and a random generator that is its own.
    """

    title: str
    low_continuity: Literal["always", "options"]
    licence: str
    choices: Mapping[str, Choice]
    defaults: Mapping[str, Any]
    is_low: Callable[[Mapping[str, Any]], bool]
    make: Callable[[Request, random.Random], Sample]


def checked_options(name: str, generator: Generator, options: Mapping[str, Any]) -> dict[str, Any]:
    """``options`` over the defaults; numbers of an `Interval` as floats, so that 2 and 2.0 are one value.

    Raises:
        InputError: an option or value that the generator does not have; names those allowed.
    """
    checked = dict(generator.defaults)
    for option, value in options.items():
        if option not in generator.choices:
            known = ", ".join(generator.choices) or "none"
            raise InputError(f"generate {name}: unknown option {option!r}; allowed: {known}")
        allowed = generator.choices[option]
        if not _allows(allowed, value):
            raise InputError(f"generate {name}: option {option!r} cannot be {value!r}; allowed: {_told(allowed)}")
        checked[option] = float(value) if isinstance(allowed, Interval) else value
    return checked


def _allows(allowed: Choice, value: Any) -> bool:
    # True and 4.0 equal 1 and 4, but are no count; a list is compared, never hashed.
    if isinstance(value, bool) or (isinstance(allowed, range) and not isinstance(value, int)):
        return False
    return value in allowed


def _told(allowed: Choice) -> str:
    if isinstance(allowed, Interval):
        return f"{allowed.low:g} to {allowed.high:g}"
    return f"{allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else ", ".join(allowed)
