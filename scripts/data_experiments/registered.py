"""The registered plan: experiments, arms, what is expected, and the sizes at which they are run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from ruamel.yaml import YAML

from curator._errors import InputError
from curator.rank.plan import NullArm

FILE = Path(__file__).with_name("registered.yaml")
PromptKind = Literal["general", "evaluation"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scale(_Strict):
    """A model and the size of sets.

    Attributes:
        model: as ``curate --model`` takes it, or the name of one that is given as a folder.
        weights: SHA-256 of its ``model.safetensors``, wherever its folder lies.
        device: what checkpoints are made on.
        samples: sequences of a set.
        tokens: of each of them.
        scored: tokens of each prompt that are scored.
        nulls: null arms.
        books: also take prose from books of Debian, where cards have too little.
        experiments: those run at this scale, in the order of their worth.
    """

    model: str
    weights: str
    device: str
    samples: Annotated[int, Field(ge=1)]
    tokens: Annotated[int, Field(ge=16)]
    scored: Annotated[int, Field(ge=1)]
    nulls: tuple[NullArm, ...]
    books: bool
    experiments: tuple[str, ...]


class GeneralPrompts(_Strict):
    """Prompts of three kinds, as `curate heldout` makes them.

    Attributes:
        per_task: of each kind.
    """

    per_task: Annotated[int, Field(ge=2)]


class EvaluationPrompts(_Strict):
    """Prompts like those of a stand-in evaluation set.

    Attributes:
        items: how many.
        most: tokens of the longest.
        evaluation_tokens: of the longest in the evaluation set that recipes are derived from.
    """

    items: Annotated[int, Field(ge=10)]
    most: Annotated[int, Field(ge=64)]
    evaluation_tokens: Annotated[int, Field(ge=500)]


class Prompts(_Strict):
    """The two kinds of held-out prompts."""

    general: GeneralPrompts
    evaluation: EvaluationPrompts


class Expected(_Strict):
    """What we expected of a pair before it was measured.

    Attributes:
        why: the reason.
        better: the arm with the lower KL, and
        than: the other; or
        tied: two arms that we expect not to be told apart.
    """

    why: str
    better: str | None = None
    than: str | None = None
    tied: tuple[str, str] | None = None

    @property
    def pair(self) -> frozenset[str]:
        """The two arms."""
        return frozenset(self.tied or (str(self.better), str(self.than)))

    @model_validator(mode="after")
    def _one_of_both(self) -> Expected:
        if (self.better is None) != (self.than is None) or (self.better is None) == (self.tied is None):
            raise ValueError("give better and than, or tied")
        return self


class Experiment(_Strict):
    """One question.

    Attributes:
        question: in words.
        prompts: what it is measured on.
        arms: recipes by name, of ``recipes/`` or made by `build`.
        unequal: arms differ in the lengths of sequences, at as many tokens.
        expected: of its pairs.
    """

    question: str
    prompts: PromptKind
    arms: tuple[str, ...]
    unequal: bool = False
    expected: tuple[Expected, ...]

    @model_validator(mode="after")
    def _of_its_arms(self) -> Experiment:
        if any(not one.pair <= set(self.arms) for one in self.expected):
            raise ValueError("something is expected of an arm that is not in arms")
        return self


class Registered(_Strict):
    """The whole plan; see registered.yaml."""

    draws: Annotated[int, Field(ge=1)]
    method: str
    scales: dict[str, Scale]
    prompts: Prompts
    experiments: dict[str, Experiment]

    @model_validator(mode="after")
    def _of_its_experiments(self) -> Registered:
        if any(not set(scale.experiments) <= set(self.experiments) for scale in self.scales.values()):
            raise ValueError("a scale runs an experiment that there is not")
        return self

    def asked(self, scale: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """The experiments that were asked for by name, or all of a scale.

        Raises:
            InputError: no such experiment at this scale.
        """
        there = self.scales[scale].experiments
        unknown = next((name for name in names if name not in there), None)
        if unknown is not None:
            raise InputError(f"{unknown!r}: no experiment at scale {scale}; choose from {', '.join(there)}")
        return names or there


def registered() -> Registered:
    """The plan as it is in the repository."""
    return Registered.model_validate(YAML(typ="safe", pure=True).load(FILE))
