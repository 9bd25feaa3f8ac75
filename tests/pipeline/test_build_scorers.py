"""Scoring by several processes of this machine: the same set, and nothing is embedded here."""

from __future__ import annotations

import json
import pydoc_data.topics
from pathlib import Path

import pytest
from recipe_builds import QUIET, rows
from toy_tokenizers import save_tokenizer

from curator.engine import actors
from curator.pipeline.build import build_draws
from curator.pipeline.calibration_set import CalibrationSet
from curator.recipe.load import load_recipe
from curator.scores.embedder import Embedder
from curator.tokens.tokenizer import Tokenizer


def made(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, workers: int) -> CalibrationSet:
    monkeypatch.setenv("CURATE_CACHE", str(cache))
    tokenizer = Tokenizer(save_tokenizer(folder / f"toy-{workers}"))
    return build_draws(load_recipe(folder / "recipe.yaml"), tokenizer, 1, [], workers=workers)[0]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Topics of Python's documentation: continuous prose, and longer than a sequence."""
    texts = sorted(pydoc_data.topics.topics.values(), key=len)[-40:-28]
    rows(tmp_path / "topics.jsonl", texts)
    recipe = {
        "name": "t",
        "size": {"samples": 4, "tokens": 1000},
        "target": {"tasks": {"prose": 1}},
        "sources": [{"files": "topics.jsonl", "task": "prose"}],
        "gates": QUIET,
    }
    (tmp_path / "recipe.yaml").write_text(json.dumps(recipe), encoding="utf-8")
    return tmp_path


@pytest.mark.full
@pytest.mark.model
def test_two_processes_score_what_one_would(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = made(recipe, recipe / "cache-1", monkeypatch, 1)
    monkeypatch.setattr(actors, "_MANY_TOKENS", 0)
    monkeypatch.setattr(Embedder, "encode", lambda *_: pytest.fail("embedded in the process that builds"))
    spread = made(recipe, recipe / "cache-2", monkeypatch, 2)
    assert spread.rows == alone.rows and len(alone.rows) == 4
    assert spread.judged == alone.judged
    assert any("continuity" in verdict.scores for verdict in alone.judged)


def test_few_tokens_are_scored_here() -> None:
    with actors.actors_for(8, 1000) as few, actors.actors_for(1, 10**9) as alone:
        assert few is None and alone is None
