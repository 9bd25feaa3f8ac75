"""What a set is for: shares of its tokens by task, language and length."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from curator.corpora.languages import Language
from curator.corpora.reading import Strict, Word
from curator.recipe.source_kinds import MOST

LONGEST = 1_048_576
"""Tokens of the longest sequence that a recipe can ask for."""


def _share(value: float) -> float:
    if not 0 < value <= MOST:
        raise ValueError(f"a share is a positive number up to {MOST:,.0f}, not {value:g}; leave out what has none")
    return value


Share = Annotated[
    float,
    Field(allow_inf_nan=True),
    AfterValidator(_share),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": MOST}),
]


class LengthBin(Strict):
    """Texts of about one length.

    ``upto``: the most tokens of such a text; the fewest are one more than the bin before takes. Only the last bin
    may leave it out: it takes all that is longer.
    ``share``: of the tokens; 0 for lengths that are not wanted.
    """

    upto: Annotated[int, Field(ge=1, le=LONGEST)] | None = None
    share: float = Field(ge=0, le=MOST)


def _bins(bins: list[LengthBin]) -> list[LengthBin]:
    edges = [one.upto for one in bins]
    if None in edges[:-1]:
        raise ValueError("only the last bin may leave upto out")
    known = [edge for edge in edges if edge is not None]
    if known != sorted(set(known)):
        raise ValueError(f"bins must rise, each upto more than the one before; not {', '.join(map(str, known))}")
    if not any(one.share for one in bins):
        raise ValueError("every share is 0; give one of them a share")
    return bins


Languages = Annotated[dict[Language, Share], Field(min_length=1)]
Lengths = Annotated[list[LengthBin], Field(min_length=1), AfterValidator(_bins)]


class TaskTarget(Strict):
    """What the texts of one task should be, in place of what is said for all.

    ``languages``: see ``target.languages``; shares of the task's tokens.
    ``lengths``: see ``target.lengths``; shares of the task's tokens.
    """

    languages: Languages | None = None
    lengths: Lengths | None = None


class LowContinuityTarget(Strict):
    """A limit on text without continuous meaning.

    ``max_share``: the most of the tokens that reach the model, counted by score: random text, and windows of
    sentences that do not go on from one to the next. What is cut is given to the other sources, in proportion.
    """

    max_share: float = Field(ge=0, le=1)


class Target(Strict):
    """What the set is for.

    ``tasks``: each task's share of the set's tokens. Shares are normalised to sum to 1, with a word; zero and
    negative ones are refused.
    ``languages``: each language's share of the tokens of texts that have one: code (``zxx``) and random strings
    have none, unless ``zxx`` is named. Texts in other languages are left out. ``zh`` also stands for ``zh-Hant``,
    if that is not named too. With ``extends``, tasks and languages are added to those of the recipe extended, and
    shares of the same name replaced.
    ``lengths``: shares of the tokens by the length of a text, as bins in rising order; a text is a document, or
    the stretch of it that is taken, and is never longer than the longest sequence.
    ``by_task``: languages and lengths of single tasks, such as ``{qa: {languages: {zh: 1}}}``.
    ``low_continuity``: the most text without continuous meaning.
    ``diversity``: ``coverage`` chooses, among three times as many texts, those that cover the space of their
    sentence vectors best; ``none`` takes them in the order of the seed.
    """

    tasks: dict[Word, Share] = Field(min_length=1)
    languages: Languages | None = None
    lengths: Lengths | None = None
    by_task: dict[Word, TaskTarget] = Field(default_factory=dict)
    low_continuity: LowContinuityTarget | None = None
    diversity: Literal["none", "coverage"] = "none"

    def shares(self) -> dict[str, float]:
        """Shares of the tasks, which sum to 1."""
        total = sum(self.tasks.values())
        return {task: share / total for task, share in self.tasks.items()}

    def languages_of(self, task: str) -> dict[str, float] | None:
        """Shares of the languages among a task's tokens, which sum to 1; ``None`` where any will do."""
        own = self.by_task.get(task)
        found = (own.languages if own else None) or self.languages
        return {name: share / sum(found.values()) for name, share in found.items()} if found else None

    def lengths_of(self, task: str) -> list[LengthBin] | None:
        """Bins of a task's texts, whose shares sum to 1; ``None`` where any length will do."""
        own = self.by_task.get(task)
        found = (own.lengths if own else None) or self.lengths
        if not found:
            return None
        total = sum(one.share for one in found)
        return [LengthBin(upto=one.upto, share=one.share / total) for one in found]
