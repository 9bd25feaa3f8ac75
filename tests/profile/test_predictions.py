"""Predictions matched to items, their tokens and scores; numbers by hand, one token a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError
from curator.profile.predictions import read_predictions
from curator.profile.read_items import RawItem
from curator.profile.schema import Profile
from curator.report.profile_values import scored
from tests.profile.profile_files import profiled, write_rows

ITEMS = [RawItem(1, "mcq", "Which?", ("A",), "letter"), RawItem(2, "qa", "Who?", ("Ann",), "string")]
EVAL = [
    {"task": "mcq", "question": "Which of these two?", "gold": "A"},
    {"task": "mcq", "question": "Which of those two?", "gold": "B"},
    {"task": "qa", "question": "Who?", "gold": ["Ann"]},
]
# Words: 3 + </think> + 2, of which 4 are reasoning (its tag is one); 1; nothing said of the third.
RUN = [
    {"index": 0, "task": "mcq", "prediction": "let us see </think> ANSWER: A", "score": 1, "input_tokens": 9,
     "output_tokens": 7},
    {"index": 1, "task": "mcq", "prediction": "C", "score": 0.0, "input_tokens": 9, "output_tokens": 2},
    {"index": 2, "task": "qa", "prediction": "It was Ann", "score": True, "input_tokens": 6, "output_tokens": 4},
]  # fmt: skip


def found(tmp_path: Path, *rows: Any) -> list[Any]:
    return list(read_predictions(write_rows(tmp_path / "run.jsonl", rows), ITEMS))


def test_any_order_and_either_first_number(tmp_path: Path) -> None:
    zero = found(tmp_path, {"index": 1, "prediction": "b"}, {"index": 0, "prediction": "a"})
    one = found(tmp_path, {"index": 1, "prediction": "a"}, {"index": 2, "prediction": "b"})
    assert [each.text for each in zero] == [each.text for each in one] == ["a", "b"]


def test_items_may_be_missing_and_columns_too(tmp_path: Path) -> None:
    (first, second) = found(tmp_path, {"index": 0})
    assert second is None
    assert (first.text, first.score, first.input_tokens, first.output_tokens) == (None, None, None, None)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (({"prediction": "a"},), "run.jsonl:1: needs an index"),
        (({"index": 0}, {"index": 0}), "run.jsonl:2: index 0 is there twice"),
        (({"index": 0}, {"index": 7}), "run.jsonl:2: index 7 is of no item, there are 2"),
        (({"index": -1},), "run.jsonl:1: index -1 is of no item"),
        (({"index": 0, "task": "qa"},), "run.jsonl:1: task 'qa', but item 0 is of task 'mcq'"),
        (
            ({"index": 1, "gold": "Ann"}, {"index": 0, "gold": "B"}),
            "run.jsonl:2: gold 'B', but that of item 0 (row 1) is 'A'",
        ),
        (
            ({"index": 1, "gold": ["Ann", "Bob"]}, {"index": 0}),
            "run.jsonl:1: gold 'Ann | Bob', but that of item 1",
        ),
        (({"index": 0, "score": "high"},), "run.jsonl:1: score must be a finite number"),
        (({"index": 0, "score": 10**400},), "run.jsonl:1: score must be a finite number"),
        (({"index": 0, "score": -1e308},), "run.jsonl:1: score must be a finite number"),
        (({"index": 0, "input_tokens": 10**400},), "run.jsonl:1: input_tokens must be a whole number"),
        (({"index": 0, "prediction": 4},), "run.jsonl:1: prediction must be text"),
        (({"index": 0, "output_tokens": -4},), "run.jsonl:1: output_tokens must be a whole number"),
        (({"index": 0, "input_tokens": 1.5},), "run.jsonl:1: input_tokens must be a whole number"),
        (({"index": 0}, "{broken"), "run.jsonl:2: "),
        ((), "no predictions"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, rows: tuple[Any, ...], told: str) -> None:
    with pytest.raises(InputError) as error:
        found(tmp_path, *rows)
    assert told in str(error.value)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("run")
    run = write_rows(folder / "run.jsonl", RUN)
    with pytest.MonkeyPatch.context() as patch:
        yield profiled(write_rows(folder / "eval.jsonl", EVAL), patch, outputs=run)


def test_output_lengths_are_the_servers(profile: Profile) -> None:
    assert [item.output_tokens for item in profile.items] == [7, 2, 4]
    spread = profile.tasks["mcq"].output_tokens
    assert spread is not None and (spread.sum, spread.median) == (9, 4.5)


def test_shares_by_all_measures(profile: Profile) -> None:
    shares = profile.tasks["mcq"].shares
    # Prompts have 4, 4 and 1 words; answers 7, 2 and 4 tokens.
    assert shares.items == 2 / 3
    assert shares.input_tokens == 8 / 9
    assert shares.output_tokens == 9 / 13
    assert shares.total_tokens == 17 / 22


def test_scores_with_intervals(profile: Profile) -> None:
    score = profile.tasks["mcq"].score
    assert score is not None
    # Wilson's interval of 1 of 2.
    assert (score.n, score.mean) == (2, 0.5)
    assert (score.low, score.high) == (pytest.approx(0.0945, abs=1e-3), pytest.approx(0.9055, abs=1e-3))
    assert profile.tasks["qa"].score is not None and profile.tasks["qa"].score.mean == 1


def test_reasoning_is_what_stands_before_the_last_end_of_thought(profile: Profile) -> None:
    # Of mcq's 6 + 1 words 4 are reasoning; qa has none.
    assert profile.tasks["mcq"].reasoning_share == round(4 / 7, 4)
    assert profile.tasks["qa"].reasoning_share == 0


def test_the_files_counts_beside_ours(profile: Profile) -> None:
    outputs = profile.outputs
    assert outputs is not None and (outputs.items, outputs.missing) == (3, 0)
    # The template adds 5 tokens to each prompt.
    told = outputs.input_tokens["mcq"]
    assert (told.items, told.told, told.ours) == (2, 18, 8 + 2 * 5)
    told = outputs.output_tokens["mcq"]
    assert (told.items, told.told, told.ours) == (2, 9, 7)


def test_cells_have_output_lengths(profile: Profile) -> None:
    cells = {(cell.task, cell.prompt_upto, cell.output_upto): cell.items for cell in profile.cells}
    assert cells == {("mcq", 4, 2): 1, ("mcq", 4, 8): 1, ("qa", 1, 4): 1}


def test_missing_predictions_leave_token_shares_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_rows(tmp_path / "run.jsonl", RUN[:2])
    part = profiled(write_rows(tmp_path / "eval.jsonl", EVAL), monkeypatch, outputs=run)
    assert part.tasks["mcq"].shares.output_tokens is None
    assert part.tasks["qa"].output_tokens is None and part.tasks["qa"].reasoning_share is None
    assert "items without a prediction: 1" in part.warnings


def test_the_same_gold_in_another_form_is_the_same(tmp_path: Path) -> None:
    forms: tuple[object, ...] = ("['Ann']", ["ann"], "Ann ", {"text": ["Ann"]}, None, [])
    for form in forms:
        assert found(tmp_path, {"index": 1, "gold": form, "prediction": "x"})[1].text == "x"
    # Without word characters the texts themselves are compared.
    signs = [RawItem(1, "t", "Which sign?", ("+",), "string")]
    with pytest.raises(InputError, match="gold '-', but that of item 0"):
        read_predictions(write_rows(tmp_path / "run.jsonl", [{"index": 0, "gold": "-"}]), signs)


def test_a_mean_says_of_how_many_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{**row, "score": None} if row["index"] == 1 else row for row in RUN]
    run = write_rows(tmp_path / "run.jsonl", rows)
    made = profiled(write_rows(tmp_path / "eval.jsonl", EVAL), monkeypatch, outputs=run)
    assert "1 of 3 predictions without a score: the means are of the others" in made.warnings
    groups = made.model_dump(mode="json")["tasks"]
    assert [(scored(groups[task]), groups[task]["score"]["mean"]) for task in ("mcq", "qa")] == [
        ("1", 1),
        ("1", 1),
    ]
