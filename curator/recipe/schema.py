"""The recipe schema. Unknown keys are refused; every value keeps its YAML 1.2 meaning."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from curator.corpora.reading import Strict, Word
from curator.recipe.source_kinds import MOST, Source


def _share(value: float) -> float:
    if not 0 < value <= MOST:
        raise ValueError(
            f"a share is a positive number up to {MOST:,.0f}, not {value:g}; leave out a task without one"
        )
    return value


Share = Annotated[float, Field(allow_inf_nan=True), AfterValidator(_share)]
Samples = Annotated[int, Field(ge=1, le=1_000_000)]
Length = Annotated[int, Field(ge=16, le=1_048_576)]


class Lengths(Strict):
    """``samples`` sequences of ``tokens`` tokens, one part of a set of mixed lengths."""

    samples: Samples
    tokens: Length


class Size(Strict):
    """How large the set is: ``samples`` sequences of ``tokens`` tokens, or a ``mix`` of several lengths."""

    samples: Samples | None = None
    tokens: Length | None = None
    mix: Annotated[list[Lengths], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Size:
        plain = self.samples is not None and self.tokens is not None
        mixed = self.mix is not None and self.samples is None and self.tokens is None
        if not (mixed or (plain and self.mix is None)):
            raise ValueError("give samples and tokens, or a mix (a list of samples and tokens), not both")
        return self

    def lengths(self) -> list[int]:
        """The length of every sequence, longest first."""
        parts = self.mix or [Lengths(samples=self.samples or 0, tokens=self.tokens or 0)]
        return sorted((part.tokens for part in parts for _ in range(part.samples)), reverse=True)

    @property
    def count(self) -> int:
        """Number of sequences."""
        return len(self.lengths())

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence."""
        return self.lengths()[0]

    @property
    def total(self) -> int:
        """Tokens of all sequences."""
        return sum(self.lengths())


class Target(Strict):
    """Task shares of the set's tokens. They are normalised to sum to 1; zero and negative are refused."""

    tasks: dict[Word, Share] = Field(min_length=1)

    def shares(self) -> dict[str, float]:
        """Shares that sum to 1."""
        total = sum(self.tasks.values())
        return {task: share / total for task, share in self.tasks.items()}


class LengthGate(Strict):
    """Refuse pieces of text shorter than ``min_chars``."""

    min_chars: int = Field(default=200, ge=1)


class RandomTextGate(Strict):
    """Refuse text of which UUIDs, hexadecimal and base64 make up more than ``max_share`` of the characters."""

    max_share: float = Field(default=0.2, gt=0, le=1)


class DuplicatesGate(Strict):
    """Refuse text that was already taken, after NFC and with spaces inside lines folded."""


class LanguageGate(Strict):
    """Keep only these languages (BCP 47). Code is never judged; ``und`` stands for text without evidence."""

    allow: list[Word] = Field(min_length=1)


class LicenceGate(Strict):
    """Keep only documents whose licence (an SPDX expression) can be met; ``unknown`` stands for none told.

    ``allow``: the expression must be satisfied with these licences alone. ``forbid``: none of these may be needed.
    """

    allow: Annotated[list[Word], Field(min_length=1)] | None = None
    forbid: list[Word] = []

    @model_validator(mode="after")
    def _says_something(self) -> LicenceGate:
        if self.allow is None and not self.forbid:
            raise ValueError("give allow, forbid or both; leave licence out to take every licence")
        return self


class Gates(Strict):
    """Cheap accept-or-refuse steps; ``false`` turns one off."""

    length: LengthGate | Literal[False] = LengthGate()
    random_text: RandomTextGate | Literal[False] = RandomTextGate()
    duplicates: DuplicatesGate | Literal[False] = DuplicatesGate()
    language: LanguageGate | Literal[False] = False
    licence: LicenceGate | Literal[False] = False


class Continuity(Strict):
    """Least semantic continuity (z) of prose: ``auto`` is 2.33; ``false`` does not score at all."""

    min: float | Literal["auto", False] = "auto"


class Tokens(Strict):
    """How documents become sequences.

    ``template``: ``model`` is the chat template of the model; else the path of a Jinja file, relative to the recipe.
    ``refused``: a conversation that the template refuses is left out and counted, or stops the run.
    ``reasoning``: ``keep`` hands it to the template, which may drop it; ``inline`` writes it into the answer
    between think tags, so that it surely reaches the model; ``strip`` leaves it out.
    ``separator``: what follows a plain-text document.
    ``bos``: ``auto`` puts the tokenizer's own start token before every sequence when the tokenizer or the
    template writes one; ``sequence`` before every sequence; ``document`` before every document instead;
    ``never`` nowhere. A template's own start token is never a second one.
    ``pack``: ``concat`` lays documents end to end and cuts; ``bfd`` (best fit decreasing) keeps documents whole
    and leaves little room unused; ``none`` gives one document a sequence. Nothing is ever padded.
    """

    template: Word = "model"
    refused: Literal["skip", "stop"] = "skip"
    reasoning: Literal["keep", "inline", "strip"] = "keep"
    separator: Literal["eos", "none"] = "eos"
    bos: Literal["auto", "sequence", "document", "never"] = "auto"
    pack: Literal["concat", "bfd", "none"] = "concat"


class Recipe(Strict):
    """A whole recipe."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    title: str = ""
    seed: int = Field(default=0, ge=0, le=2**63 - 1)
    model: Word | None = None
    size: Size
    target: Target
    sources: list[Source] = Field(min_length=1)
    gates: Gates = Gates()
    continuity: Continuity = Continuity()
    tokens: Tokens = Tokens()
    export: list[Literal["jsonl", "parquet", "datasets"]] = Field(default=["jsonl", "parquet"], min_length=1)
