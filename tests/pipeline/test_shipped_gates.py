"""A gate that ships is in all the rooms that CONTRIBUTING.md names; one that is left out of a room is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import curator.gates
from curator.pipeline.limits import limits_of
from curator.pipeline.steps.chain import chain
from curator.pipeline.steps.leakage import watched
from curator.recipe.added_gates import added_gates
from curator.recipe.gate_settings import Gates
from curator.recipe.json_schema import recipe_json_schema
from curator.recipe.schema import Recipe
from curator.scores.scorer import Scorer
from curator.scores.store import ScoreStore

SHIPPED = [name for name in Gates.model_fields if name != "by_task" and name not in added_gates()]
# What a gate must be told before it can be on.
NEEDED: dict[str, dict[str, Any]] = {
    "language": {"allow": ["en"]},
    "licence": {"allow": ["MIT"]},
    "leakage": {"against": ["x.jsonl"]},
    "personal_data": {"action": "refuse"},
}
# Their limits are no number: a text is the same as another, in a language, under a licence, in a file, or not.
NO_NUMBER = {"duplicates", "language", "licence", "leakage"}


def recipe(**gates: Any) -> Recipe:
    values = {"name": "t", "size": {"samples": 1, "tokens": 64}, "target": {"tasks": {"t": 1}}, "gates": gates}
    return Recipe.model_validate({**values, "sources": [{"corpus": "x"}], "continuity": {"min": False}})


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_measured_set_asked_limited_and_explained(name: str, tmp_path: Path) -> None:
    rooms = {path.stem for path in Path(curator.gates.__path__[0]).iterdir()}
    assert {name, f"{name}s"} & rooms, "nothing in gates/"
    schema = recipe_json_schema()["$defs"]
    assert schema["Gates"]["properties"][name]["description"]
    own = recipe(**{name: NEEDED.get(name, {})})
    scorer = Scorer(own.continuity, store=ScoreStore(pytest.fail, tmp_path))
    assert [step.name for step in chain(own, watched(None, []), scorer)].count(name) == 1, "no step in chain.py"
    off = recipe(**{name: False})
    more = {limit.score for limit in limits_of(own, "t")} - {limit.score for limit in limits_of(off, "t")}
    assert bool(more) == (name not in NO_NUMBER), "limits.py"
