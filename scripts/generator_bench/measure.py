"""Samples made and timed, a stretch of them at a time, in as many processes as asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from curator.corpora.document import Document, Message
from curator.corpora.generators import GENERATORS, generate
from curator.engine.local import map_in_order
from curator.models.locate import DEFAULT_MODEL, locate_tokenizer

Content = str | tuple[Message, ...]
# Problems are as short as they are, unless solved ones go before them.
_OPTIONS: dict[str, dict[str, Any]] = {"mcq": {"fill": "examples"}}
_SEED = 1


@dataclass(frozen=True, slots=True)
class Stretch:
    """Samples ``first`` to ``last`` (not included) of a generator in a language, ``und`` for one that has none."""

    generator: str
    language: str
    first: int
    last: int
    tokens: int

    def options(self) -> dict[str, Any]:
        """Those that are not the generator's defaults."""
        own = {} if self.language == "und" else {"language": self.language}
        return {**_OPTIONS.get(self.generator, {}), **own}


@dataclass(frozen=True, slots=True)
class Timed:
    """What a stretch cost.

    Attributes:
        setup: seconds of the processor for what is done once a process: packages, the tokenizer, prose and words,
            told by the first sample, made twice.
        seconds: seconds of the processor for all samples after that.
        used: the share of the budget that each sample has, by the tokenizer.
    """

    setup: float
    seconds: float
    used: list[float]


@dataclass(slots=True)
class Cell:
    """A generator in a language.

    Attributes:
        generator: its name.
        language: its samples'.
        options: those that are not the generator's defaults.
        setup: seconds of the processor before the first sample, in all processes.
        seconds: seconds of the processor for the samples.
        used: the share of the budget that each of them has.
    """

    generator: str
    language: str
    options: dict[str, Any]
    setup: float = 0.0
    seconds: float = 0.0
    used: list[float] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """For a result file."""
        return {
            "generator": self.generator,
            "language": self.language,
            "options": self.options,
            "samples": len(self.used),
            "setup_cpu_s": round(self.setup, 2),
            "cpu_s": round(self.seconds, 2),
            "cpu_ms_a_sample": round(1000 * self.seconds / len(self.used), 1),
            "budget_used_min": round(min(self.used), 4),
            "budget_used_mean": round(sum(self.used) / len(self.used), 4),
        }


def languages_of(generator: str) -> Sequence[str]:
    """The languages that a generator writes in."""
    choice = GENERATORS[generator].choices.get("language")
    return choice if isinstance(choice, tuple) else ("und",)


def stretches(samples: int, tokens: int, parts: int) -> Iterator[Stretch]:
    """``samples`` shared out equally among all generators and their languages, each in ``parts``."""
    places = [(name, language) for name in GENERATORS for language in languages_of(name)]
    for place, (name, language) in enumerate(places):
        own = samples // len(places) + (place < samples % len(places))
        cuts = [own * part // parts for part in range(parts + 1)]
        for first, last in pairwise(cuts):
            if first < last:
                yield Stretch(name, language, first, last, tokens)


def measure(samples: int, tokens: int, workers: int) -> list[Cell]:
    """Make all samples.

    Args:
        samples: how many in all.
        tokens: the budget of each.
        workers: processes.
    """
    cells: dict[tuple[str, str], Cell] = {}
    work = list(stretches(samples, tokens, workers))
    for stretch, timed in zip(work, map_in_order(make, work, workers), strict=True):
        place = stretch.generator, stretch.language
        cell = cells.setdefault(place, Cell(*place, stretch.options()))
        cell.setup += timed.setup
        cell.seconds += timed.seconds
        cell.used += timed.used
    return list(cells.values())


def make(stretch: Stretch) -> Timed:
    """Make one stretch in this process."""
    started = time.process_time()
    count = counter()
    _one(stretch, stretch.first, count)
    ready = time.process_time()
    made = [_one(stretch, index, count) for index in range(stretch.first, stretch.last)]
    done = time.process_time()
    used = [count(one.text if one.messages is None else one.messages) / stretch.tokens for one in made]
    return Timed(ready - started, done - ready, used)


def _one(stretch: Stretch, index: int, count: Callable[[Content], int]) -> Document:
    return generate(
        stretch.generator,
        seed=_SEED,
        index=index,
        tokens=stretch.tokens,
        options=stretch.options(),
        count=count,
    )


@cache
def counter() -> Callable[[Content], int]:
    """Counts tokens as a build does."""
    from curator.recipe.schema import Tokens
    from curator.tokens.encode import Encoder
    from curator.tokens.tokenizer import Tokenizer

    return Encoder(Tokenizer(locate_tokenizer(DEFAULT_MODEL)), Tokens()).count
