"""The leaderboard: what is measured alike stands in one table, and nothing else does."""

from __future__ import annotations

import copy
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from curator._errors import InputError
from curator.cli.leaderboard import leaderboard as verb
from curator.compare.finished_runs import Found
from curator.compare.leaderboard import EXPLORATORY, _lines, leaderboard
from curator.compare.stored_run import Run
from curator.report.leaderboard_html import leaderboard_html
from curator.report.leaderboard_terminal import print_leaderboard

BASE = np.array([0.1, 0.2, 0.4, 0.5, 0.7])
# Three prompts of one task and two of another, weighing the same: (0.7 / 3 + 1.2 / 2) / 2.
MEAN = (0.7 / 3 + 1.2 / 2) / 2


def draws(step: float, number: int = 5) -> list[list[float]]:
    """Draws whose mean is ``MEAN + step``: they lie 0.001 apart around it."""
    return [(BASE + step + 0.001 * (place - (number - 1) / 2)).tolist() for place in range(number)]


def ranking(**arms: list[list[float]]) -> dict[str, Any]:
    """A ranking document as far as it is read here."""
    return {
        "per_prompt": {
            "ids": list("abcde"),
            "tasks": ["x", "x", "x", "y", "y"],
            "arms": {name: np.mean(rows, axis=0).tolist() for name, rows in arms.items()},
            "draws": arms,
        },
        "primary": {
            **dict.fromkeys(("phase", "estimator", "dtype", "model", "method"), "same"),
            "scheme": "W4A4",
            "batch_size": 8,
            "tokens_per_prompt": 16,
            "weights": {"x": 0.5, "y": 0.5},
        },
        "arms": [
            {
                "name": name,
                "method": "gptq",
                "kind": "null" if name.startswith("no-") else "user",
                "sets": [{"set_hash": f"{name}{number}"} for number in range(len(rows))],
            }
            for name, rows in arms.items()
        ],
        "floors": {"used_sd": 0.0},
        "environment": {"version": "1", "model hash": "m", "held-out prompts": "h" * 64},
    }


def run(folder: Path, content: Any) -> Path:
    folder.mkdir(parents=True)
    (folder / "ranking.json").write_text(json.dumps(content))
    return folder


def test_arms_of_runs_measured_alike_are_ranked_together(tmp_path: Path) -> None:
    run(tmp_path / "a", ranking(low=draws(0), high=draws(0.2)))
    run(tmp_path / "deep" / "b", ranking(middle=draws(0.1), also=draws(0.2), **{"no-data": draws(0.3, 1)}))
    board = leaderboard(tmp_path)
    (group,) = board["groups"]
    assert group["runs"] == ["a", "deep/b"]
    told = [(arm["name"], arm["rank"], arm["kind"]) for arm in group["arms"]]
    # The two at 0.2 are tied: both may be third.
    assert told == [
        ("a/low", [1, 1], "user"),
        ("deep/b/middle", [2, 2], "user"),
        ("a/high", [3, 4], "user"),
        ("deep/b/also", [3, 4], "user"),
        ("deep/b/no-data", None, "null"),
    ]
    means = [MEAN, MEAN + 0.1, MEAN + 0.2, MEAN + 0.2, MEAN + 0.3]
    assert [arm["kl_mean"] for arm in group["arms"]] == pytest.approx(means)
    assert [arm["may_be_best"] for arm in group["arms"]] == [True, False, False, False, False]
    assert len(group["pairs"]) == 6  # of four arms
    assert {(pair["verdict"], pair["scope"]) for pair in group["pairs"]} == {
        ("better", "recipes"),
        ("tied", "recipes"),
    }
    assert group["warnings"][0] == EXPLORATORY
    assert board["apart"] == board["skipped"] == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"primary": {"batch_size": 1}}, "batch size: 8 and 1"),
        ({"primary": {"scheme": "W4A16"}}, "scheme: W4A4 and W4A16"),
        ({"environment": {"model hash": "other"}}, "model (same, same): m and other"),
        ({"environment": {"version": "2"}}, "version: 1 and 2"),
        ({"per_prompt": {"ids": list("abcdz")}}, "held-out prompts: other ids or tasks"),
    ],
)
def test_what_was_measured_otherwise_has_a_table_of_its_own(
    tmp_path: Path, change: dict[str, dict[str, Any]], why: str
) -> None:
    run(tmp_path / "a", ranking(one=draws(0)))
    other = ranking(two=draws(0.1))
    for part, values in change.items():
        other[part] |= values
    run(tmp_path / "b", other)
    board = leaderboard(tmp_path)
    assert [group["runs"] for group in board["groups"]] == [["a"], ["b"]]
    assert not any(group["pairs"] for group in board["groups"])
    assert board["apart"] == [{"first": "a", "second": "b", "why": why}]


def test_a_difference_that_is_allowed_is_marked(tmp_path: Path) -> None:
    run(tmp_path / "a", ranking(one=draws(0)))
    other = ranking(two=draws(0.1))
    other["environment"]["version"] = "2"
    run(tmp_path / "b", other)
    (group,) = leaderboard(tmp_path, ["version"])["groups"]
    assert group["warnings"][0] == "not comparable: version differ (--allow)"
    other["primary"]["batch_size"] = 1
    (tmp_path / "b" / "ranking.json").write_text(json.dumps(other))
    # What the number is of cannot be allowed to differ.
    assert len(leaderboard(tmp_path, ["version"])["groups"]) == 2
    with pytest.raises(InputError, match="--allow batch_size: no such fact"):
        leaderboard(tmp_path, ["batch_size"])


def test_a_run_that_tells_less_joins_no_two_that_differ(tmp_path: Path) -> None:
    for name, gpu in (("a", None), ("b", "H200"), ("c", "B200")):
        made = ranking(**{name: draws(0)})
        if gpu:
            made["environment"]["gpu"] = gpu
        run(tmp_path / name, made)
    board = leaderboard(tmp_path)
    assert [group["runs"] for group in board["groups"]] == [["a", "b"], ["c"]]
    assert board["apart"] == [{"first": "b", "second": "c", "why": "gpu: H200 and B200"}]


def test_the_same_numbers_again_are_one_arm(tmp_path: Path) -> None:
    run(tmp_path / "a", ranking(base=draws(0), **{"no-data": draws(0.3, 1)}))
    run(tmp_path / "b", ranking(base=draws(0), new=draws(0.1), **{"no-data": draws(0.3, 1)}))
    # The same sets measured again with other numbers: an arm of its own, as it is a repeat.
    repeat = ranking(base=draws(0.01))
    run(tmp_path / "c", repeat)
    (group,) = leaderboard(tmp_path)["groups"]
    again = {arm["name"]: arm["again_in"] for arm in group["arms"]}
    assert again == {"a/base": ["b/base"], "c/base": [], "b/new": [], "a/no-data": ["b/no-data"]}
    assert len(group["pairs"]) == 3


def test_a_run_holds_no_runs_and_no_name_is_used_twice(tmp_path: Path) -> None:
    run(tmp_path / "a", ranking(**{"b/one": draws(0)}))
    run(tmp_path / "a" / "b", ranking(inner=draws(0.1)))
    run(tmp_path / "c", ranking(one=draws(0.1)))
    (group,) = leaderboard(tmp_path)["groups"]
    assert [arm["name"] for arm in group["arms"]] == ["a/b/one", "c/one"]
    made = [Found("a", Run.model_validate(ranking(**{"b/one": draws(0)})))]
    made.append(Found("a/b", Run.model_validate(ranking(one=draws(0.1)))))
    assert [line.kl.name for line in _lines(made)] == ["a/b/one", "a/b/one'"]


def test_the_widest_floor_counts(tmp_path: Path) -> None:
    run(tmp_path / "a", ranking(one=draws(0)))
    noisy = ranking(two=draws(0.1))
    noisy["floors"]["used_sd"] = 0.2
    run(tmp_path / "b", noisy)
    (group,) = leaderboard(tmp_path)["groups"]
    assert group["floor_sd"] == 0.2
    assert [pair["verdict"] for pair in group["pairs"]] == ["tied"]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    run(tmp_path / "good", ranking(one=draws(0)))
    run(tmp_path / "half", {"arms": []})
    (run(tmp_path / "torn", {}) / "ranking.json").write_text('{"arms": [')
    run(tmp_path / ".curate.7.good.x.tmp", ranking(two=draws(0.1)))
    (tmp_path / "round").symlink_to(tmp_path)
    board = leaderboard(tmp_path)
    assert [group["runs"] for group in board["groups"]] == [["good"]]
    assert [skipped["run"] for skipped in board["skipped"]] == ["half", "torn"]
    assert "run `curate rank` again" in board["skipped"][0]["why"]
    with pytest.raises(InputError, match="no run that can be read"):
        leaderboard(tmp_path / "half")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no ranking\.json in it or below; `curate rank"):
        leaderboard(tmp_path / "empty")
    with pytest.raises(InputError, match="no such folder"):
        leaderboard(tmp_path / "nowhere")


def test_a_run_that_cannot_be_ranked_leaves_the_others(tmp_path: Path) -> None:
    run(tmp_path / "a", ranking(one=draws(0)))
    few = ranking(one=[[0.1, 0.2]])
    few["per_prompt"] |= {"ids": ["a", "b"], "tasks": ["x", "y"]}
    run(tmp_path / "b", few)
    groups = leaderboard(tmp_path)["groups"]
    assert [len(group["arms"]) for group in groups] == [1, 0]
    assert "has 1 held-out prompt(s)" in groups[1]["warnings"][0]


def test_names_act_neither_on_the_page_nor_on_the_terminal(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\x1b[31m"
    made = ranking(**{evil: draws(0)})
    made["primary"]["model"] = '"><img src=x onerror=alert(1)>'
    run(tmp_path / "a<b>[red]", made)
    (run(tmp_path / "torn", {}) / "ranking.json").write_text("<i>")
    run(tmp_path / "z", ranking(two=draws(0.1)))
    board = leaderboard(tmp_path)
    page = leaderboard_html(board)
    assert "<script" not in page and "<img" not in page and "<b>" not in page and "\x1b" not in page
    assert "&lt;script&gt;" in page
    shown = StringIO()
    print_leaderboard(board, Console(file=shown, width=200))
    assert "\x1b" not in shown.getvalue() and "a<b>[red]" in shown.getvalue()


def test_the_verb_prints_writes_and_overwrites_nothing_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path / "runs" / "a", ranking(one=draws(0), two=draws(0.2)))
    page = tmp_path / "board.html"
    verb(tmp_path / "runs", html=page)
    shown = capfd.readouterr().out
    assert "May be the best: one (1 of 2 arms)." in shown and f"page: {page}" in shown
    assert page.read_text().count("<h2>") == 1 + page.read_text().count("<h2>Warning")
    verb(tmp_path / "runs", html=page, json=True)
    assert json.loads(capfd.readouterr().out) == json.loads(json.dumps(leaderboard(tmp_path / "runs")))
    page.write_text("notes of mine")
    with pytest.raises(InputError, match="holds something else"):
        verb(tmp_path / "runs", html=page)
    assert page.read_text() == "notes of mine"


def test_nothing_depends_on_the_order_of_the_disk(tmp_path: Path) -> None:
    for name in "cab":
        run(tmp_path / name, ranking(**{name: draws(0.1 * "abc".index(name))}))
    first = leaderboard(tmp_path)
    assert first["groups"][0]["runs"] == ["a", "b", "c"]
    assert leaderboard(tmp_path) == copy.deepcopy(first)
