"""What differs between two recipes, two sets or two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import BaseModel, ValidationError, model_validator

from curator._errors import InputError
from curator._files import read_json
from curator.adapters.stored_set import read_set
from curator.rank.differences import changes, manifest_changes, recipe_changes
from curator.rank.pair_result import PairResult
from curator.rank.statistics import ArmKL, Design
from curator.rank.verdict import compare, describe
from curator.recipe.load import find_recipe, load_recipe


class _Prompts(BaseModel):
    ids: list[str]
    tasks: list[str]
    arms: dict[str, list[float]]

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if {len(self.tasks), *map(len, self.arms.values())} - {len(self.ids)}:
            raise ValueError("one value a prompt")
        return self


class _Primary(BaseModel):
    scheme: str
    phase: str
    batch_size: int
    tokens_per_prompt: int
    estimator: str
    weights: dict[str, float]
    dtype: str
    model: str


class _Set(BaseModel):
    set_hash: str


class _Arm(BaseModel):
    name: str
    sets: list[_Set] = []


class _Floors(BaseModel):
    used_sd: float


class _Run(BaseModel):
    """What is read here of a ranking."""

    per_prompt: _Prompts
    primary: _Primary
    arms: list[_Arm]
    floors: _Floors
    environment: dict[str, Any]


def compare_things(first: str, second: str) -> dict[str, Any]:
    """Compare two things of one kind.

    Args:
        first: a run folder, a set folder, or a recipe (file or shipped name).
        second: the same kind.

    Returns:
        ``{"kind", "differences": {heading: [line]}, "pairs": [...], "warnings": [...]}``.

    Raises:
        InputError: they are of two kinds, or of none.
    """
    kinds = (_kind(first), _kind(second))
    if kinds[0] != kinds[1]:
        raise InputError(f"{first} is a {kinds[0]} and {second} is a {kinds[1]}; compare two of the same kind")
    return {"recipe": _recipes, "set": _sets, "run": _runs}[kinds[0]](first, second)


def _kind(name: str) -> str:
    path = Path(name)
    if (path / "ranking.json").is_file():
        return "run"
    if (path / "manifest.json").is_file():
        return "set"
    if path.is_dir():
        raise InputError(f"{name}: neither a finished run (ranking.json) nor a set (manifest.json)")
    return "recipe"


def _recipes(first: str, second: str) -> dict[str, Any]:
    a, b = (load_recipe(find_recipe(name)).recipe.model_dump(mode="json") for name in (first, second))
    return {"kind": "recipe", "differences": {"recipe": recipe_changes(a, b)}, "pairs": [], "warnings": []}


def _sets(first: str, second: str) -> dict[str, Any]:
    a, b = read_set(Path(first)), read_set(Path(second))
    pieces = [{document["id"] for document in _documents(stored.manifest)} for stored in (a, b)]
    told = manifest_changes(a.manifest, b.manifest)
    if pieces[0] != pieces[1]:
        shared = len(pieces[0] & pieces[1])
        told["set"].append(f"pieces: {len(pieces[0])} -> {len(pieces[1])}, {shared} in both")
    told["recipe"] = recipe_changes(a.manifest.get("recipe"), b.manifest.get("recipe"))
    return {"kind": "set", "differences": told, "pairs": [], "warnings": []}


def _documents(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    documents = manifest.get("documents", [])
    if not isinstance(documents, list) or not all(isinstance(item, dict) and "id" in item for item in documents):
        raise InputError(f"{manifest.get('name')}: manifest.json's documents are damaged; build the set again")
    return documents


def _runs(first: str, second: str) -> dict[str, Any]:
    a, b = _read_run(first), _read_run(second)
    same_prompts = a["per_prompt"]["ids"] == b["per_prompt"]["ids"] and _conditions(a) == _conditions(b)
    pairs, warnings = [], []
    if same_prompts:
        pairs = [
            _pair(a, b, name)
            for name in a["per_prompt"]["arms"]
            if name in b["per_prompt"]["arms"] and name != "no-data"
        ]
    else:
        warnings.append("the runs were measured under different conditions: their KL cannot be compared")
    lines = [f"{pair['name']}: {pair['words']}" for pair in pairs]
    for label, one, other in (("first", a, b), ("second", b, a)):
        only = sorted(set(one["per_prompt"]["arms"]) - set(other["per_prompt"]["arms"]))
        if only:
            lines.append(f"only in the {label} run: {', '.join(only)}")
    sets = [
        {arm["name"]: [made["set_hash"] for made in arm.get("sets", [])] for arm in run["arms"]} for run in (a, b)
    ]
    return {
        "kind": "run",
        "differences": {
            "plan": changes(a["primary"], b["primary"]) + changes(a["environment"], b["environment"]),
            "sets": changes(sets[0], sets[1]),
            "KL": lines,
        },
        "pairs": pairs,
        "warnings": warnings,
    }


def _read_run(name: str) -> dict[str, Any]:
    file = Path(name) / "ranking.json"
    run = read_json(file)
    try:
        _Run.model_validate(run)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"]) or "the whole"
        raise InputError(
            f"{file}: no ranking of this version ({place} is missing or of another kind); run `curate rank` again"
        ) from error
    checked: dict[str, Any] = run
    return checked


def _conditions(run: dict[str, Any]) -> dict[str, Any]:
    names = ("scheme", "phase", "batch_size", "tokens_per_prompt", "estimator", "weights", "dtype", "model")
    facts = {name: run["primary"][name] for name in names}
    return {
        **facts,
        "prompts": run["environment"].get("held-out prompts"),
        "model hash": run["environment"].get("model hash"),
    }


def _pair(a: dict[str, Any], b: dict[str, Any], name: str) -> dict[str, Any]:
    """The arm of the first run against its namesake in the second, over the same prompts.

    Only draw-averaged values are stored a prompt, so the verdict is about these sets.
    """
    tasks = tuple(a["per_prompt"]["tasks"])
    design = Design(
        tasks,
        a["primary"]["weights"],
        floor_sd=max(a["floors"]["used_sd"], b["floors"]["used_sd"]),
        data_acts="weights",
    )
    arms = [
        ArmKL(f"{name} ({label})", np.array([run["per_prompt"]["arms"][name]]), True, False)
        for label, run in (("first", a), ("second", b))
    ]
    pair: PairResult = compare(arms[0], arms[1], design)
    return {
        "name": name,
        "diff": pair.diff,
        "ci": list(pair.ci),
        "verdict": pair.verdict,
        "equivalent": pair.equivalent,
        "scope": "sets",
        "words": describe(pair),
    }
