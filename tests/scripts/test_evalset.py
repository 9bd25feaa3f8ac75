"""The stand-in for the evaluation set: its format, proportions and golds, and the predictions of a made-up run."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from evalset import __main__ as program
from evalset.items import Item, make_items
from evalset.predictions import made_up_rows

from curator.corpora.document import Message
from curator.profile.task_scoring import score_prediction


def count(text: str) -> int:
    """A tokenizer of three characters a token."""
    return -(-len(text) // 3)


def templated(text: str) -> int:
    """The same with a chat template of 9 tokens."""
    return count(text) + 9


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return list(make_items(25, 2000, 7, count))


def test_tasks_come_in_blocks_of_equal_size_in_the_order_of_the_real_set(items: list[Item]) -> None:
    blocks = [(task, len(list(block))) for task, block in groupby(items, key=lambda item: item.task)]
    assert blocks == [("mcq", 5), ("niah", 5), ("qa", 5), ("fwe", 5), ("cwe", 5)]


def test_an_odd_number_of_items_gives_the_first_tasks_one_more() -> None:
    assert Counter(item.task for item in make_items(7, 1000, 0, count)) == {
        "mcq": 2, "niah": 2, "qa": 1, "fwe": 1, "cwe": 1,
    }  # fmt: skip


def test_rows_have_the_fields_and_golds_of_the_real_set(items: list[Item]) -> None:
    for item in items:
        row = item.row()
        assert list(row) == ["task", "question", "gold"]
        assert isinstance(row["question"], str)
        if item.task == "mcq":
            assert row["gold"] in tuple("ABCD")
        else:
            assert isinstance(row["gold"], list)
            assert all(isinstance(gold, str) and gold for gold in row["gold"])


def test_prompts_keep_the_real_sets_proportions(items: list[Item]) -> None:
    # 73,984, 71,570, 68,155 and 74,164 tokens on average in the real set.
    wanted = {"niah": 1995, "qa": 1930, "fwe": 1838, "cwe": 2000}
    for item in items:
        if item.task == "mcq":
            # 271 on average in the real set.
            assert 265 <= count(item.question) <= 271
        else:
            assert 0.98 * wanted[item.task] - 1 <= count(item.question) <= wanted[item.task]


def test_golds_are_to_be_found_in_the_questions(items: list[Item]) -> None:
    for item in items:
        if item.task != "mcq":
            assert all(gold.casefold() in item.question.casefold() for gold in item.gold)


def test_lists_have_their_golds_as_the_most_frequent_words(items: list[Item]) -> None:
    for item in items:
        if item.task in ("fwe", "cwe"):
            lines = item.question.split("\n\n")
            words = Counter(re.findall(r"[a-z]+", max(lines, key=len)))
            assert {word for word, _ in words.most_common(len(item.gold))} == set(item.gold)


def test_coded_words_and_uuids_are_in_it_as_in_the_real_set(items: list[Item]) -> None:
    fwe = next(item for item in items if item.task == "fwe")
    assert all(re.fullmatch(r"[a-z]{6}", gold) for gold in fwe.gold)
    uuid = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    niah = [item.gold[0] for item in items if item.task == "niah"]
    assert sum(bool(re.fullmatch(uuid, gold)) for gold in niah) == 2


def test_right_answers_score_one_and_the_question_alone_does_not_choose(items: list[Item]) -> None:
    for item in items:
        assert score_prediction(item.task, item.answer, item.gold) == 1


def test_equal_arguments_give_equal_items_and_other_seeds_others(items: list[Item]) -> None:
    assert [item.row() for item in make_items(25, 2000, 7, count)] == [item.row() for item in items]
    others = {item.question for item in make_items(25, 2000, 8, count)}
    assert not others & {item.question for item in items}


def test_a_run_without_noise_is_all_right(items: list[Item]) -> None:
    rows = list(made_up_rows(items, 0.0, 1, count, templated))
    assert [row["score"] for row in rows] == [1] * 25
    assert [row["index"] for row in rows] == list(range(25))
    assert all(row["synthetic"] for row in rows)
    assert rows[0]["prediction"].startswith("<think>\n")
    for row, item in zip(rows, items, strict=True):
        assert row["input_tokens"] == count(item.question) + 9
        assert row["output_tokens"] == count(row["prediction"])


def test_a_run_of_noise_alone_is_all_wrong(items: list[Item]) -> None:
    assert [row["score"] for row in made_up_rows(items, 1.0, 1, count, templated)] == [0] * 25


def test_noise_is_a_share_of_the_items(items: list[Item]) -> None:
    right = [row["score"] for seed in range(40) for row in made_up_rows(items, 0.3, seed, count, templated)]
    # 1,000 draws: three standard errors are 0.044.
    assert abs(sum(right) / len(right) - 0.7) < 0.044


def test_the_program_writes_both_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Tokenizer:
        def __init__(self, folder: Path) -> None:
            assert folder == tmp_path
            self.template = True

        def encode(self, text: str) -> list[int]:
            return [0] * count(text)

        def encode_chat(self, messages: list[Message], *, answer_next: bool) -> list[int]:
            assert answer_next
            return [0] * (count(messages[0].content) + 9)

    monkeypatch.setattr("curator.tokens.tokenizer.Tokenizer", Tokenizer)
    monkeypatch.setattr(program, "locate_tokenizer", lambda model: tmp_path)
    target, answers = tmp_path / "eval.jsonl", tmp_path / "run.jsonl"
    arguments = [str(target), "--items", "5", "--tokens", "1000", "--predictions", str(answers), "--noise", "0"]
    monkeypatch.setattr(sys, "argv", ["make_evalset", *arguments])
    assert program.main() == 0
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [row["task"] for row in rows] == ["mcq", "niah", "qa", "fwe", "cwe"]
    run = [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]
    assert [row["score"] for row in run] == [1] * 5
    assert [row["input_tokens"] for row in run] == [count(row["question"]) + 9 for row in rows]
    assert "no model was asked" in capsys.readouterr().out
    before = target.read_bytes()
    assert program.main() == 0
    assert target.read_bytes() == before


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--items", "4"),
        ("--tokens", "499"),
        ("--tokens", "128001"),
        ("--tokens", "1k"),
        ("--noise", "nan"),
        ("--noise", "2"),
    ],
)
def test_values_out_of_range_are_refused(
    option: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_evalset", "out.jsonl", option, value])
    with pytest.raises(SystemExit):
        program.main()
    assert f"{value!r}: give a" in capsys.readouterr().err


def test_a_missing_model_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_evalset", str(tmp_path / "o"), "--model", str(tmp_path / "none")])
    assert program.main() == 1
    assert capsys.readouterr().err.startswith("make_evalset: ")
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["."], "is a folder"),
        (["o", "--predictions", "."], "is a folder"),
        (["o", "--predictions", "o"], "is FILE and --predictions at once"),
        (["file/o"], "cannot be written"),
    ],
)
def test_files_that_cannot_be_written_are_one_line_before_any_work(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(program, "locate_tokenizer", lambda model: None)
    monkeypatch.setattr("curator.tokens.tokenizer.Tokenizer", lambda folder: None)
    monkeypatch.setattr(program, "make_items", lambda *_: pytest.fail("made in vain") or iter(()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["make_evalset", *arguments])
    assert program.main() == 1
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
