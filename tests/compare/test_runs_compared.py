"""Two rankings: which may be compared, what is damaged, and arms of one name paired by prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator._errors import InputError, RefusedError
from curator.compare.things import compare_things


def ranking(**arms: list[list[float]]) -> dict[str, Any]:
    """A ranking of three prompts of one task and two of another."""
    names = ("scheme", "phase", "estimator", "dtype", "model")
    draws = arms or {"one": [[0.1, 0.2, 0.4, 0.5, 0.7]]}
    return {
        "per_prompt": {
            "ids": list("abcde"),
            "tasks": ["x", "x", "x", "y", "y"],
            "arms": {name: np.mean(rows, axis=0).tolist() for name, rows in draws.items()},
            **({"draws": draws} if arms else {}),
        },
        "primary": {
            **dict.fromkeys(names, "same"),
            "batch_size": 8,
            "tokens_per_prompt": 16,
            "weights": {"x": 0.5, "y": 0.5},
        },
        "arms": [
            {"name": name, "sets": [{"set_hash": f"{name}{number}"} for number in range(len(rows))]}
            for name, rows in draws.items()
        ],
        "floors": {"used_sd": 0.0},
        "environment": {"version": "1", "model hash": "m"},
    }


def run(folder: Path, content: Any) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "ranking.json").write_text(json.dumps(content))
    return str(folder)


def test_equal_runs_have_no_difference(tmp_path: Path) -> None:
    found = compare_things(run(tmp_path / "a", ranking()), run(tmp_path / "b", {**ranking(), "command": "b"}))
    assert found["differences"] == {"plan": [], "arms": []}
    assert [(pair["name"], pair["diff"], pair["scope"]) for pair in found["pairs"]] == [("one", 0.0, "sets")]
    assert found["verdict"] == "no arm differs between the runs by more than chance"
    assert found["warnings"] == [
        "a ranking that stored no KL by draw: verdicts are about these sets; rank again for more"
    ]


def test_arms_of_one_name_are_paired_by_prompt_with_their_draws(tmp_path: Path) -> None:
    base = np.array([0.1, 0.2, 0.4, 0.5, 0.7])
    draws = {
        name: [(base + step + 0.001 * number).tolist() for number in range(5)]
        for name, step in (("one", 0), ("two", 0))
    }
    other = {"one": [(np.array(row) - [0.05, 0.05, 0.05, 0.03, 0.03]).tolist() for row in draws["one"]]}
    first, second = ranking(**draws), ranking(**other, new=draws["two"])
    second["arms"][0]["method"] = "awq"
    found = compare_things(run(tmp_path / "a", first), run(tmp_path / "b", second))
    (pair,) = found["pairs"]
    assert pair["scope"] == "recipes" and pair["verdict"] == "worse" and pair["ci"][0] > 0
    assert pair["diff"] == pytest.approx(0.04)
    assert {task: one["diff"] for task, one in pair["by_task"].items()} == pytest.approx({"x": 0.05, "y": 0.03})
    assert pair["words"].startswith("one (first) is higher than one (second) by 0.0400 nats")
    assert [change["words"] for change in found["differences"]["arms"]] == [
        "one: method none -> awq",
        "two: only in the first run",
        "new: only in the second run",
    ]
    assert found["verdict"] == "1 of 1 arms differ between the runs: one"


def test_a_run_of_one_method_meets_one_that_names_its_methods(tmp_path: Path) -> None:
    rows = [[0.1, 0.2, 0.4, 0.5, 0.7]]
    first, second = ranking(one=rows), ranking(**{"one, awq": rows, "one, gptq": rows})
    first["arms"][0] |= {"recipe": "one", "method": "gptq"}
    for arm, method in zip(second["arms"], ("awq", "gptq"), strict=True):
        arm |= {"recipe": "one", "method": method, "sets": first["arms"][0]["sets"]}
    found = compare_things(run(tmp_path / "a", first), run(tmp_path / "b", second))
    assert [(pair["name"], pair["diff"]) for pair in found["pairs"]] == [("one", 0.0)]
    assert "one (first) and one, gptq (second)" in found["pairs"][0]["words"]
    assert [one["words"] for one in found["differences"]["arms"]] == ["one, awq: only in the second run"]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("primary", "scheme"), "W4A16", "scheme: same and W4A16"),
        (("primary", "tokens_per_prompt"), 32, "scored tokens a prompt: 16 and 32"),
        (("primary", "weights"), {"x": 0.4, "y": 0.6}, r"weights: x 0\.5, y 0\.5 and x 0\.4, y 0\.6"),
        (("per_prompt", "ids"), list("abcdf"), "held-out prompts: other ids or tasks"),
        (("environment", "model hash"), "n", r"model \(same, same\): m and n"),
        (("environment", "version"), "2", "version: 1 and 2"),
        (("primary", "dtype"), "bfloat16", "compute type: same and bfloat16"),
    ],
)
def test_runs_that_were_not_measured_alike_are_refused_by_name(
    tmp_path: Path, path: tuple[str, str], value: Any, words: str
) -> None:
    other = ranking()
    other[path[0]][path[1]] = value
    pair = run(tmp_path / "a", ranking()), run(tmp_path / "b", other)
    with pytest.raises(RefusedError, match=rf"were not measured alike \({words}\)") as caught:
        compare_things(*pair)
    assert "\n" not in str(caught.value)
    if path[1] in ("version", "dtype"):
        assert f"--allow {path[1]}" in str(caught.value)
        assert compare_things(*pair, [path[1]])["warnings"][0] == f"not comparable: {path[1]} differ (--allow)"
    else:
        assert "--allow" not in str(caught.value)
    with pytest.raises(InputError, match=r"--allow scheme: no such fact"):
        compare_things(*pair, ["scheme"])


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ((), {}, "per_prompt"),
        ((), [], "the whole"),
        ((), None, "the whole"),
        (("per_prompt", "ids"), None, r"per_prompt\.ids"),
        (("per_prompt", "arms", "one"), [0.1], "per_prompt"),
        (("per_prompt", "arms", "one"), ["x"] * 5, r"per_prompt\.arms\.one\.0"),
        (("per_prompt", "draws"), {"one": []}, "per_prompt"),
        (("primary",), {}, r"primary\.scheme"),
        (("floors", "used_sd"), -1, r"floors\.used_sd"),
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
