"""What a comparison reads of a finished ranking, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, Field, ValidationError, model_validator

from curator._errors import InputError
from curator._files import read_json
from curator._seal import unsealed
from curator.rank.statistics import ArmKL

RANKING = "ranking.json"
# No KL comes near these limits; squares of larger numbers could overflow.
KL = Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]


class Prompts(BaseModel):
    """KL by prompt.

    Attributes:
        ids: of the prompts.
        tasks: of the prompts.
        arms: by arm, averaged over draws; nats a token.
        draws: by arm, a list a draw; empty in rankings that did not store it.
        lower: the same from the lumped lower bound, where KL comes from top-K lists.
    """

    ids: list[str]
    tasks: list[str]
    arms: dict[str, list[KL]]
    draws: dict[str, list[list[KL]]] = {}
    lower: dict[str, list[list[KL]]] = {}

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        many = [row for of in (self.draws, self.lower) for rows in of.values() for row in rows]
        if {len(self.tasks), *map(len, self.arms.values()), *map(len, many)} - {len(self.ids)}:
            raise ValueError("one value a prompt")
        if any(not rows for of in (self.draws, self.lower) for rows in of.values()):
            raise ValueError("an arm without draws")
        return self


class Primary(BaseModel):
    """How the primary number was taken."""

    scheme: str
    phase: str
    batch_size: int
    tokens_per_prompt: int
    estimator: str
    weights: dict[str, KL]
    dtype: str
    model: str
    method: Any = ""


class StoredSet(BaseModel):
    """One set of an arm."""

    set_hash: str


class Arm(BaseModel):
    """One arm."""

    name: str
    kind: str = "user"
    recipe: str | None = None
    method: str = ""
    has_draws: bool | None = None
    sets: list[StoredSet] = []
    sparse: dict[str, Any] = {}


class _Floors(BaseModel):
    used_sd: Annotated[KL, Field(ge=0)]


class Run(BaseModel):
    """A ranking as far as it is read here."""

    per_prompt: Prompts
    primary: Primary
    arms: list[Arm]
    floors: _Floors
    environment: dict[str, Any]

    @property
    def named(self) -> dict[str, Arm]:
        """Arms with values, by name."""
        return {arm.name: arm for arm in self.arms if arm.name in self.per_prompt.arms}

    def kl_of(self, name: str, title: str) -> ArmKL:
        """An arm's KL by draw and prompt; of rankings that stored only their mean, that.

        Args:
            name: of the arm.
            title: what the comparison calls it.
        """
        arm, prompts = self.named[name], self.per_prompt
        values = prompts.draws.get(name) or [prompts.arms[name]]
        lower = prompts.lower.get(name)
        # An older ranking does not say which arm is one fixed thing; it has no sets.
        has_draws = bool(arm.sets) if arm.has_draws is None else arm.has_draws
        hashes = tuple(made.set_hash for made in arm.sets)
        return ArmKL(
            title,
            np.array(values),
            has_draws,
            arm.kind == "null",
            None if lower is None else np.array(lower),
            # Draws of the same sets are paired.
            hashes if len(hashes) == len(values) else (),
        )


def read_run(folder: str) -> Run:
    """Read a run's ranking.

    Raises:
        InputError: it cannot be read, or is none of this version; says what is missing.
    """
    file = Path(folder) / RANKING
    value = read_json(file)
    if isinstance(value, dict) and unsealed(value) is None:
        raise InputError(f"{file}: was changed after it was written; remove it and run `curate rank` again")
    try:
        return Run.model_validate(value)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"]) or "the whole"
        raise InputError(
            f"{file}: no ranking of this version ({place} is missing or of another kind); run `curate rank` again"
        ) from error
