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
        chars: wanted length of the whole sample in characters, answer included.
        options: every option of the generator, checked, with its defaults.
        heldout: made for held-out prompts: other wordings, other haystack.
    """

    seed: int
    index: int
    chars: int
    options: Mapping[str, Any]
    heldout: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """What a generator gives: a text, or the messages of a conversation."""

    text: str = ""
    messages: tuple[Message, ...] | None = None


Choice = tuple[str, ...] | range
"""Allowed values of an option; the first is the default, of a range its ``start``."""


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator.

    Attributes:
        title: one line for ``curate ls``.
        low_continuity: whether samples lack continuous meaning, or ``options`` when an option decides.
        licence: SPDX expression of what it makes.
        chars_per_token: characters of one token of its text, with the options given.
        choices: allowed values by option; the default first.
        defaults: default values by option.
        is_low: whether samples with these options lack continuous meaning.
        make: one sample, from the request and a random generator that is its own.
    """

    title: str
    low_continuity: Literal["always", "options"]
    licence: str
    chars_per_token: Callable[[Mapping[str, Any]], float]
    choices: Mapping[str, Choice]
    defaults: Mapping[str, Any]
    is_low: Callable[[Mapping[str, Any]], bool]
    make: Callable[[Request, random.Random], Sample]


def checked_options(name: str, generator: Generator, options: Mapping[str, Any]) -> dict[str, Any]:
    """``options`` over the defaults.

    Raises:
        InputError: an option or value that the generator does not have; names those allowed.
    """
    for option, value in options.items():
        if option not in generator.choices:
            known = ", ".join(generator.choices) or "none"
            raise InputError(f"generate {name}: unknown option {option!r}; allowed: {known}")
        allowed = generator.choices[option]
        if isinstance(value, bool) or value not in allowed:
            told = f"{allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else ", ".join(allowed)
            raise InputError(f"generate {name}: option {option!r} cannot be {value!r}; allowed: {told}")
    return {**generator.defaults, **options}
