"""Comparing what is damaged: one line, no guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError
from curator.rank.compare import compare_things


def ranking() -> dict[str, Any]:
    names = ("scheme", "phase", "estimator", "dtype", "model")
    return {
        "per_prompt": {"ids": ["a", "b", "c"], "tasks": ["x"] * 3, "arms": {"one": [0.1, 0.2, 0.4]}},
        "primary": {
            **dict.fromkeys(names, "same"), "batch_size": 8, "tokens_per_prompt": 16, "weights": {"x": 1.0},
        },
        "arms": [{"name": "one", "sets": [{"set_hash": "h"}]}],
        "floors": {"used_sd": 0.0},
        "environment": {},
    }  # fmt: skip


def run(folder: Path, content: Any) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "ranking.json").write_text(json.dumps(content))
    return str(folder)


def test_equal_runs_have_no_difference(tmp_path: Path) -> None:
    found = compare_things(run(tmp_path / "a", ranking()), run(tmp_path / "b", ranking()))
    assert found["differences"]["plan"] == found["differences"]["sets"] == found["warnings"] == []
    assert [(pair["name"], pair["diff"]) for pair in found["pairs"]] == [("one", 0.0)]


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ((), {}, "per_prompt"),
        ((), [], "the whole"),
        ((), None, "the whole"),
        (("per_prompt", "ids"), None, r"per_prompt\.ids"),
        (("per_prompt", "arms", "one"), [0.1], "per_prompt"),
        (("primary",), {}, r"primary\.scheme"),
        (("floors", "used_sd"), "x", r"floors\.used_sd"),
        (("arms", 0), {}, r"arms\.0\.name"),
        (("environment",), [], "environment"),
    ],
)
def test_a_damaged_ranking_is_named(tmp_path: Path, path: tuple[Any, ...], value: Any, place: str) -> None:
    whole: dict[str, Any] = {"root": ranking()}
    target: Any = whole
    steps = ("root", *path)
    for step in steps[:-1]:
        target = target[step]
    target[steps[-1]] = value
    good, bad = run(tmp_path / "good", ranking()), run(tmp_path / "bad", whole["root"])
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(
            InputError, match=rf"bad/ranking\.json: no ranking of this version \({place} is"
        ) as caught:
            compare_things(*pair)
        assert "\n" not in str(caught.value)
