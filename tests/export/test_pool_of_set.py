"""A set's pool, from the build to other limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toy_tokenizers import save_tokenizer

from curator.export.pool import POOL_FILE, read_pool, write_pool
from curator.pipeline.build import build_draws
from curator.pipeline.pool import PoolRow, pool_rows
from curator.pipeline.rethreshold import UNSCORED, rethreshold
from curator.pipeline.steps.chain import chain
from curator.pipeline.steps.leakage import watched
from curator.recipe.load import load_recipe
from curator.recipe.schema import Recipe
from curator.scores.scorer import Scorer
from curator.tokens.tokenizer import Tokenizer

PROSE = "Boat number {} leaves the harbour at {} past seven, and comes back when the tide of the day has turned."
GATES = {
    "length": {"min_chars": 60},
    "random_text": {"max_share": 0.3},
    "language": {"allow": ["en", "und"]},
    "personal_data": {"action": "refuse"},
    "by_task": {"note": {"length": {"min_chars": 5}}},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recipe, list[PoolRow]]:
    """The pool of a set whose sources hold every kind of text that its gates refuse."""
    folder = tmp_path_factory.mktemp("set")
    good = [PROSE.format(number, number * 7) for number in range(60)]
    junk = [" ".join(f"{number * 7919 + k:08x}" for k in range(12)) for number in range(6)]
    other = ["Das Boot verlässt den Hafen um sieben Uhr und kommt erst mit der Flut am Abend zurück, sagt er."]
    mail = [
        "Write to the harbour office at anna.berg@nordhafen.de before the ferry leaves at seven in the morning."
    ]
    texts = {"prose": [*good, *junk, *other, *mail, good[0], "too short"], "note": ["Low tide.", "High tide."]}
    for task, rows in texts.items():
        (folder / f"{task}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in rows))
    recipe: dict[str, Any] = {
        "name": "t",
        "size": {"samples": 40, "tokens": 256},
        "target": {"tasks": {"prose": 0.98, "note": 0.02}},
        "sources": [{"files": f"{task}.jsonl", "task": task} for task in texts],
        "gates": GATES,
        "continuity": {"min": False},
    }
    (folder / "recipe.yaml").write_text(json.dumps(recipe))
    loaded = load_recipe(folder / "recipe.yaml")
    (built,) = build_draws(loaded, Tokenizer(save_tokenizer(folder / "model")), 1, ())
    write_pool(folder / POOL_FILE, pool_rows(built.judged, built.placed()))
    return loaded.recipe, read_pool(folder / POOL_FILE)


def again(recipe: Recipe, rows: list[PoolRow], **gates: Any) -> list[tuple[bool, str | None, str | None]]:
    changed = recipe.model_copy(update={"gates": recipe.gates.model_copy(update=gates)})
    steps = chain(changed, watched(None, ()), Scorer(changed.continuity))
    return [(one.keep, one.reason, one.detail) for one in rethreshold(rows, steps)]


def test_every_judged_piece_is_there_once_with_its_verdict(made: tuple[Recipe, list[PoolRow]]) -> None:
    _, rows = made
    assert len({row.id for row in rows}) == len(rows) == 72
    assert {row.reason for row in rows} >= {None, "short", "random_text", "language", "personal_data", "duplicate"}
    assert all(row.keep == (row.reason is None) for row in rows)
    assert any(row.taken for row in rows) and all(row.keep for row in rows if row.taken)


def test_its_own_recipe_decides_every_piece_as_the_build_did(made: tuple[Recipe, list[PoolRow]]) -> None:
    recipe, rows = made
    assert again(recipe, rows) == [(row.keep, row.reason, row.detail) for row in rows]


def test_a_tighter_limit_only_drops_and_a_looser_one_knows_what_it_does_not_know(
    made: tuple[Recipe, list[PoolRow]],
) -> None:
    recipe, rows = made
    tight = again(recipe, rows, length=recipe.gates.length.model_copy(update={"min_chars": 500}))  # type: ignore[union-attr]
    assert not any(keep and not row.keep for (keep, *_), row in zip(tight, rows, strict=True))
    assert {reason for (_, reason, _), row in zip(tight, rows, strict=True) if row.task == "prose"} == {
        "short",
        "personal_data",
    }
    loose = again(recipe, rows, length=False, random_text=False)
    for (keep, reason, _), row in zip(loose, rows, strict=True):
        assert keep == row.keep
        assert reason == (UNSCORED if row.reason in ("short", "random_text") else row.reason)
