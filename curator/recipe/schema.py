"""The recipe schema. Unknown keys are refused; every value keeps its YAML 1.2 meaning."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

# Shares and weights count by their ratios; beyond this their sums would lose digits, or overflow.
_MOST = 1e6


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _share(value: float) -> float:
    if not 0 < value <= _MOST:
        raise ValueError(
            f"a share is a positive number up to {_MOST:,.0f}, not {value:g}; leave out a task without one"
        )
    return value


Share = Annotated[float, Field(allow_inf_nan=True), AfterValidator(_share)]
Weight = Annotated[float, Field(gt=0, le=_MOST)]
Word = Annotated[str, Field(min_length=1)]


def _finite_options(options: dict[str, Any]) -> dict[str, Any]:
    for key, value in options.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"option {key} is {value:g}; give a finite number")
    return options


class Size(_Strict):
    """How large the set is: ``samples`` sequences of exactly ``tokens`` tokens."""

    samples: int = Field(ge=1, le=1_000_000)
    tokens: int = Field(ge=16, le=1_048_576)


class Target(_Strict):
    """Task shares of the set's tokens. They are normalised to sum to 1; zero and negative are refused."""

    tasks: dict[Word, Share] = Field(min_length=1)

    def shares(self) -> dict[str, float]:
        """Shares that sum to 1."""
        total = sum(self.tasks.values())
        return {task: share / total for task, share in self.tasks.items()}


class CorpusSource(_Strict):
    """Text from a corpus card (``curate ls`` shows them)."""

    corpus: Word
    task: Word | None = None
    weight: Weight = 1.0


class JsonlSource(_Strict):
    """Text from a local JSON Lines file: a text field, or ``messages``. The path is relative to the recipe."""

    jsonl: Word
    task: Word
    text: Word = "text"
    language: Word = "und"
    licence: str = "unknown"
    weight: Weight = 1.0


class GenerateSource(_Strict):
    """Synthetic documents from one of our generators."""

    generate: Word
    task: Word | None = None
    weight: Weight = 1.0
    options: Annotated[dict[str, Any], AfterValidator(_finite_options)] = Field(default_factory=dict)


def _source_kind(value: Any) -> str | None:
    if isinstance(value, BaseModel):
        return f"<{next(name for name in ('corpus', 'jsonl', 'generate') if hasattr(value, name))}>"
    if isinstance(value, dict):
        return next((f"<{name}>" for name in ("corpus", "jsonl", "generate") if name in value), None)
    return None


# The tags are no possible keys, so that a position in an error cannot be mistaken for one.
Source = Annotated[
    Annotated[CorpusSource, Tag("<corpus>")]
    | Annotated[JsonlSource, Tag("<jsonl>")]
    | Annotated[GenerateSource, Tag("<generate>")],
    Discriminator(
        _source_kind,
        custom_error_type="source_kind",
        custom_error_message="a source needs one of the keys corpus, jsonl, generate",
    ),
]


class LengthGate(_Strict):
    """Refuse pieces of text shorter than ``min_chars``."""

    min_chars: int = Field(default=200, ge=1)


class RandomTextGate(_Strict):
    """Refuse text of which UUIDs, hexadecimal and base64 make up more than ``max_share`` of the characters."""

    max_share: float = Field(default=0.2, gt=0, le=1)


class DuplicatesGate(_Strict):
    """Refuse text that was already taken, after NFC and with spaces inside lines folded."""


class LanguageGate(_Strict):
    """Keep only these languages (BCP 47). Code is never judged; ``und`` stands for text without evidence."""

    allow: list[Word] = Field(min_length=1)


class Gates(_Strict):
    """Cheap accept-or-refuse steps; ``false`` turns one off."""

    length: LengthGate | Literal[False] = LengthGate()
    random_text: RandomTextGate | Literal[False] = RandomTextGate()
    duplicates: DuplicatesGate | Literal[False] = DuplicatesGate()
    language: LanguageGate | Literal[False] = False


class Continuity(_Strict):
    """Least semantic continuity (z) of prose: ``auto`` is 2.33; ``false`` does not score at all."""

    min: float | Literal["auto", False] = "auto"


class Tokens(_Strict):
    """How documents become sequences.

    ``separator``: what follows a plain-text document. ``bos``: ``auto`` puts the tokenizer's own start
    token before every sequence when it has one, ``never`` does not.
    """

    separator: Literal["eos", "none"] = "eos"
    bos: Literal["auto", "never"] = "auto"


class Recipe(_Strict):
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
