"""What was found about many texts, in as little memory as for few: counts, scores, and examples near the lines."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from curator.pipeline.limits import Limit, limits_of
from curator.recipe.schema import Recipe

EXCERPT = 400
NEAREST = 10
_VALUES = 20_000
# Scores in words, of which the texts share a few; others name a text each.
_COUNTED_WORDS = ("language",)


class Judged(Protocol):
    """A text with what was found about it."""

    @property
    def id(self) -> Any:
        """What people find it by."""

    @property
    def task(self) -> str:
        """Its task."""

    @property
    def keep(self) -> bool:
        """Whether no gate refused it."""

    @property
    def reason(self) -> str | None:
        """Why one did."""

    @property
    def detail(self) -> str | None:
        """The value against the limit, in words."""

    @property
    def scores(self) -> Mapping[str, Any]:
        """All that was measured."""

    @property
    def text(self) -> str:
        """Its text, or the first of it."""


class ScoreSummary:
    """Counts and scores of texts that are added one by one.

    Up to 20,000 values of a score are kept as they are; of more, a random sample of that size that depends on
    their order alone.

    Args:
        recipe: draws the lines.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._reasons: Counter[str] = Counter()
        self._tasks: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._values: dict[tuple[str, bool], _Values] = {}
        self._words: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._lines: defaultdict[Limit, _Line] = defaultdict(_Line)
        self._limits: dict[str, list[Limit]] = {}
        self._examples: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    def add(self, text: Judged) -> None:
        """Take note of a text."""
        side = "kept" if text.keep else "dropped"
        self._tasks[text.task][side] += 1
        if text.reason is not None:
            self._reasons[text.reason] += 1
            if len(self._examples[text.reason]) < NEAREST:
                self._examples[text.reason].append(
                    {"id": text.id, "detail": text.detail, "text": text.text[:EXCERPT]}
                )
        for name, value in text.scores.items():
            if isinstance(value, int | float):
                self._held(name, text.keep).add(value)
            elif isinstance(value, str) and name in _COUNTED_WORDS:
                self._words[name][value] += 1
        for limit in self._limits_of(text.task):
            value = text.scores.get(limit.score)
            if isinstance(value, int | float):
                self._lines[limit].offer(limit, text, value)

    def document(self) -> dict[str, Any]:
        """All of it as plain values.

        Returns:
            ``rows``, ``kept`` and ``dropped``; ``by_reason`` and ``by_task``; ``words``, counts of the scores that
            are words; ``examples``, the first ten texts refused for each reason; ``scores``, each with its
            ``name``, its ``kept`` and ``dropped`` values (``n`` of them, a sample in ``values``), and its
            ``limits``, each with the ten texts nearest to it on both sides, of those that it decides on.
        """
        kept = sum(counts["kept"] for counts in self._tasks.values())
        dropped = sum(counts["dropped"] for counts in self._tasks.values())
        return {
            "rows": kept + dropped,
            "kept": kept,
            "dropped": dropped,
            "by_reason": dict(sorted(self._reasons.items(), key=lambda item: (-item[1], item[0]))),
            "by_task": {
                task: {"kept": counts["kept"], "dropped": counts["dropped"]}
                for task, counts in sorted(self._tasks.items())
            },
            "words": {
                name: dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
                for name, counts in self._words.items()
            },
            "examples": dict(self._examples),
            "scores": [self._score(name) for name in dict.fromkeys(name for name, _ in self._values)],
        }

    # Not by `setdefault`, which would seed a generator for every value of every text.
    def _held(self, name: str, keep: bool) -> _Values:
        if (name, keep) not in self._values:
            self._values[name, keep] = _Values(f"{name} {'kept' if keep else 'dropped'}")
        return self._values[name, keep]

    def _limits_of(self, task: str) -> list[Limit]:
        if task not in self._limits:
            self._limits[task] = limits_of(self._recipe, task)
        return self._limits[task]

    def _score(self, name: str) -> dict[str, Any]:
        nothing = _Values(name)
        return {
            "name": name,
            "kept": self._values.get((name, True), nothing).document(),
            "dropped": self._values.get((name, False), nothing).document(),
            "limits": [
                {
                    "value": limit.value,
                    "refused": limit.refused,
                    "tasks": self._tasks_of(limit),
                    "kept": line.examples(kept=True),
                    "dropped": line.examples(kept=False),
                }
                for limit, line in self._lines.items()
                if limit.score == name
            ],
        }

    def _tasks_of(self, limit: Limit) -> list[str]:
        """The tasks that a line is for, where it is not for all."""
        if limit in limits_of(self._recipe, ""):
            return []
        return sorted(task for task, limits in self._limits.items() if limit in limits)


class _Values:
    """Values of a score: all of them, or from so many on a uniform sample (algorithm R of Vitter, 1985)."""

    def __init__(self, seed: str) -> None:
        self._count = 0
        self._values: list[float] = []
        self._random = random.Random(seed)

    def add(self, value: float) -> None:
        self._count += 1
        if len(self._values) < _VALUES:
            self._values.append(value)
        elif (place := self._random.randrange(self._count)) < _VALUES:
            self._values[place] = value

    def document(self) -> dict[str, Any]:
        return {"n": self._count, "values": self._values}


@dataclass(slots=True)
class _Line:
    """The texts nearest to a line: those that were kept, and those that it refused."""

    _nearest: dict[bool, list[tuple[float, int, dict[str, Any]]]] = field(
        default_factory=lambda: {True: [], False: []}
    )
    _order: itertools.count[int] = field(default_factory=itertools.count)

    def offer(self, limit: Limit, text: Judged, value: float) -> None:
        if not limit.decides(text.scores, value, keep=text.keep):
            return
        if not text.keep and not limit.has_refused(text.reason, value):
            return
        # A heap's top is its smallest: the farthest, and of equals the latest.
        heap, order, near = self._nearest[text.keep], next(self._order), -abs(value - limit.value)
        if len(heap) == NEAREST and near <= heap[0][0]:
            return
        push = heapq.heappushpop if len(heap) == NEAREST else heapq.heappush
        push(heap, (near, -order, _example(text, value)))

    def examples(self, *, kept: bool) -> list[dict[str, Any]]:
        """The nearest first."""
        return [example for _, _, example in sorted(self._nearest[kept], key=lambda one: (-one[0], -one[1]))]


def _example(text: Judged, value: float) -> dict[str, Any]:
    return {
        "id": text.id,
        "task": text.task,
        "score": value,
        "detail": text.detail,
        "text": text.text[:EXCERPT],
    }
