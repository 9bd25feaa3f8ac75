"""What a generator is."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from curator._errors import InputError
from curator._seed import stable_hash
from curator.corpora.document import Message

Options = Mapping[str, Any]
"""The options of a generator, by name."""
Count = Callable[[str | tuple[Message, ...]], int]
"""Tokens of a text, or of a whole conversation in its chat template."""
LANGUAGES = ("en", "zh")
"""Languages that generators write in."""
Worded = TypeVar("Worded")
ROOM = 2048
"""Tokens from which on there is room for a worked example."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted from a generator.

    Attributes:
        seed: the recipe's seed.
        index: number of the sample.
        tokens: the most tokens that the whole sample may have, template and answer included.
        options: every option of the generator, checked, with its defaults.
        heldout: made for held-out prompts: other wordings, other haystack.
        count: counts tokens, as the set will hold them.
    """

    seed: int
    index: int
    tokens: int
    options: Options
    heldout: bool
    count: Count

    @property
    def language(self) -> str:
        """The language of the sample: one of `LANGUAGES`, or ``und`` when it has none."""
        return str(self.options.get("language", "und"))

    @property
    def side(self) -> str:
        """``heldout`` or ``calibration``: the two share no wording and no haystack."""
        return "heldout" if self.heldout else "calibration"

    @property
    def has_room(self) -> bool:
        """Whether there is room for a worked example."""
        return self.tokens >= ROOM

    def pick(self, wordings: Mapping[tuple[str, str], Sequence[Worded]]) -> Worded:
        """One of the wordings of this language and side: all of them in turn, sample by sample."""
        own = wordings[self.language, self.side]
        return own[(self.index + stable_hash("wording", self.seed)) % len(own)]


@dataclass(frozen=True, slots=True)
class Sample:
    """What a generator gives: a text, or a question and its answer.

    Attributes:
        text: a plain text; empty for a conversation.
        messages: one user turn and one assistant turn.
        gold: what a scorer looks for in an answer; the answer turn holds each of them.
    """

    text: str = ""
    messages: tuple[Message, ...] | None = None
    gold: tuple[str, ...] = ()

    @property
    def content(self) -> str | tuple[Message, ...]:
        """What counts as the sample's tokens."""
        return self.text if self.messages is None else self.messages


@dataclass(frozen=True, slots=True)
class Draft:
    """A sample whose size is open.

    Attributes:
        render: the sample of a size, longer with every step. The same size gives the same sample, however often
            and in whatever order it is called.
        least: the smallest size that makes sense.
        most: the largest size there is material for; ``None`` when there is no end.
        finer: the sample of a size with some words more than that, fewer than a step has; ``None`` when a step
            cannot be divided.
        may_be_short: with too little material the sample is shorter than asked, instead of an error.
        spare: how many times the tokens of its smallest size the budget must have; 1 and a little more, as
            other samples may need some more, or much more when the smallest size is hardly useful.
    """

    render: Callable[[int], Sample]
    least: int
    most: int | None = None
    finer: Callable[[int, int], Sample] | None = None
    may_be_short: bool = False
    spare: float = 1.03


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
        licence: SPDX expression of what it makes with these options.
        choices: allowed values by option.
        defaults: default values by option.
        is_low: whether samples with these options lack continuous meaning.
        plan: one sample of open size, from the request and a random generator that is its own.
    """

    title: str
    low_continuity: Literal["always", "options", "never"]
    licence: Callable[[Options], str]
    choices: Mapping[str, Choice]
    defaults: Options
    is_low: Callable[[Options], bool]
    plan: Callable[[Request, random.Random], Draft]


def checked_options(name: str, generator: Generator, options: Options) -> dict[str, Any]:
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
