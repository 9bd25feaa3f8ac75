"""Other limits on stored scores: nothing is measured again, and what was never measured is not guessed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.pipeline.pool import PoolRow
from curator.pipeline.rethreshold import UNSCORED, measured_otherwise, rethreshold
from curator.pipeline.steps.step import Measured, Step
from curator.recipe.schema import Recipe
from curator.select.pieces import Piece

ROW = PoolRow(
    id="p", document="d", corpus="c", task="prose", language="en", licence="MIT", low_continuity=False,
    conversation=False, keep=True, taken=True, reason=None, detail=None, scores={"a": 1.0, "b": 5.0}, text="x",
)  # fmt: skip


def step(name: str, most: float, *, only: str = "") -> Step:
    """Refuses a score above ``most``; never to be measured."""

    def measure_all(_pieces: Sequence[Piece]) -> list[Measured]:
        raise AssertionError("a stored score was measured again")

    def decide(_document: Document, scores: Mapping[str, Any]) -> Drop | None:
        return Drop(name, f"{scores[name]} over {most}") if scores[name] > most else None

    return Step(name, lambda document: only in ("", document.task), measure_all, decide, (name, f"{name}_of"))


@pytest.mark.parametrize(
    ("scores", "keep", "reason", "detail"),
    [
        ({"a": 1.0, "b": 5.0}, True, None, None),
        ({"a": 1.0, "b": 5.1}, False, "b", "5.1 over 5"),
        # The first gate that refuses gives the reason, as in the build.
        ({"a": 9.0, "b": 9.0}, False, "a", "9.0 over 2"),
        # Refused by what was measured: what was not is of no matter.
        ({"a": 9.0}, False, "a", "9.0 over 2"),
        ({"a": 1.0}, False, UNSCORED, "b was not measured"),
        ({}, False, UNSCORED, "a was not measured"),
    ],
)
def test_each_row_is_decided_by_its_scores(
    scores: dict[str, Any], keep: bool, reason: str | None, detail: str | None
) -> None:
    row = dataclasses.replace(ROW, scores=scores, keep=False, reason="old")
    (found,) = rethreshold([row], [step("a", 2), step("b", 5)])
    assert (found.keep, found.reason, found.detail) == (keep, reason, detail)
    assert (found.row, found.id, found.task, found.text) == (row, "p", "prose", "x")


def test_a_step_that_leaves_the_document_alone_needs_no_score() -> None:
    (found,) = rethreshold(
        [dataclasses.replace(ROW, scores={"a": 1.0})], [step("a", 2), step("b", 5, only="code")]
    )
    assert found.keep


def recipe(**more: Any) -> Recipe:
    sources = [{"files": "x", "task": "prose"}]
    base = {"name": "r", "size": {"samples": 1, "tokens": 16}, "target": {"tasks": {"prose": 1.0}}}
    return Recipe.model_validate({**base, "sources": sources, **more})


@pytest.mark.parametrize(
    ("gates", "continuity", "told"),
    [
        ({"length": {"min_chars": 9}, "random_text": {"max_share": 0.5}}, {"min": 3.0}, []),
        ({"near_duplicates": {"jaccard": 0.9}}, {"min": False}, []),
        # Off says so itself: rows that nobody scored are counted.
        ({"random_text": False}, {}, []),
        ({"random_text": {"stretches": "cut"}}, {}, ["gates.random_text.stretches"]),
        ({}, {"windows": "all", "embedder": "x"}, ["continuity.embedder", "continuity.windows"]),
        (
            {"near_duplicates": {"jaccard": 0.7}},
            {},
            ["gates.near_duplicates.jaccard (pairs below the build's were not looked for)"],
        ),
    ],
)
def test_settings_that_change_the_measuring_are_told(
    gates: dict[str, Any], continuity: dict[str, Any], told: list[str]
) -> None:
    assert measured_otherwise(recipe(), recipe(gates=gates, continuity=continuity)) == told


def test_a_recipe_changes_nothing_against_itself() -> None:
    own = recipe(gates={"language": {"allow": ["en"], "detector": "py3langid"}, "personal_data": {}})
    assert measured_otherwise(own, own) == []
    other = recipe(gates={"language": {"allow": ["de"]}, "personal_data": {"action": "refuse"}})
    assert measured_otherwise(own, other) == ["gates.language.detector", "gates.personal_data.action"]
