"""Rows of any file through the gates: each judged once, in order, whatever is wrong with it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from curator._errors import InputError
from curator.corpora.corpus import BadRow, Corpus
from curator.corpora.document import Document
from curator.corpora.files import open_files
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.records import Mended
from curator.pipeline.sift import Sifted, Sifter, open_rows
from curator.pipeline.sift_recipe import default_recipe
from curator.pipeline.sift_workers import AHEAD
from curator.pipeline.steps.chain import BATCH

PROSE = "The harbour office opens at seven, and the first ferry leaves twenty minutes later for the island."
JUNK = "9f2c4b7a61d04e3f8a7b5c6d7e8f9012 " * 3


def write(path: Path, *rows: Any) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def sift(path: Path, *overrides: str, text: str | None = None, task: str = "text") -> list[Sifted]:
    sifter = Sifter(default_recipe(["continuity.min=false", *overrides]))
    return [found for found in sifter.sift(open_rows(path, text, task)) if isinstance(found, Sifted)]


def test_every_row_has_a_verdict_in_order(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "text": PROSE},
        "{broken",
        {"text": "  "},
        {"text": None},
        {"id": 7, "text": JUNK},
        {"x": 1},
    ]
    found = sift(write(tmp_path / "rows.jsonl", *rows))
    assert [one.row for one in found] == [1, 2, 3, 4, 5, 6]
    reasons = [None, "not JSON", "blank", "null", "random_text", "missing column"]
    assert [one.reason for one in found] == reasons
    assert [one.keep for one in found] == [reason is None for reason in reasons]
    assert [one.id for one in found] == ["a", None, None, None, "7", None]
    assert all(one.detail for one in found[1:])


def test_a_blank_line_is_no_row_but_counts_as_a_line(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", {"text": PROSE}, "", {"text": "Thanks, John."})
    assert [one.row for one in sift(path)] == [1, 3]


def test_a_text_that_shows_nothing_has_its_length_and_no_language(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", {"text": "\u200b\u200b"}, {"text": ""}, {"text": PROSE})
    first, second, third = sift(path, "gates.language.allow=[en]")
    for one, reason in ((first, "zero-width"), (second, "empty")):
        assert (one.keep, one.reason, one.scores) == (False, reason, {"chars": 0, "language": "und"})
    assert (third.keep, third.language, third.scores["language"]) == (True, "en", "en")


def test_a_repeated_text_is_told_by_its_row(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", {"text": "cat"}, {"text": "dog"}, {"text": "cat"})
    found = sift(path)
    assert [one.reason for one in found] == [None, None, "duplicate"]
    assert "row 1" in str(found[2].detail)


@pytest.mark.parametrize("column", ["task", "kind"])
def test_a_column_called_task_is_the_rows_task(tmp_path: Path, column: str) -> None:
    rows = [{"text": "Low tide.", column: "poem"}, {"text": "High tide.", column: None}]
    found = sift(write(tmp_path / "rows.jsonl", *rows), "gates.by_task.poem.length.min_chars=40", task="prose")
    assert [one.task for one in found] == (["poem", "prose"] if column == "task" else ["prose", "prose"])
    assert [one.reason for one in found] == (["short", None] if column == "task" else [None, None])


def test_language_and_licence_of_the_rows_are_taken(tmp_path: Path) -> None:
    rows = [
        {"text": PROSE, "language": "cy", "licence": "MIT"},
        {"text": "Other words.", "licence": "GPL-3.0-only"},
    ]
    found = sift(write(tmp_path / "rows.jsonl", *rows), "gates.licence.allow=[MIT]")
    assert (found[0].keep, found[0].language) == (True, "cy")
    assert (found[1].keep, found[1].reason) == (False, "licence")


def test_the_text_column_can_be_named(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rows.jsonl", {"body": PROSE, "title": "Ferry"}, {"body": "Low tide.", "title": "Tide"}
    )
    with pytest.raises(InputError, match=r"Name the text's column with --text body$"):
        open_rows(path, None, "text")
    with pytest.raises(InputError, match=r"no column 'nope'.*--text body$"):
        open_rows(path, "nope", "text")
    assert [one.text for one in sift(path, text="body")] == [PROSE, "Low tide."]


def test_conversations_are_judged_by_their_turns(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "When does it open?"}, {"role": "assistant", "content": "At seven."}]
    (found,) = sift(write(tmp_path / "rows.jsonl", {"messages": turns}), "gates.length.min_chars=5000")
    assert (found.keep, found.text) == (True, "When does it open?\n\nAt seven.")


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_other_formats_have_the_same_verdicts(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"id": ["a", "b", "c"], "text": [PROSE, JUNK, PROSE]})
    path = tmp_path / f"rows.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records")
    assert [one.reason for one in sift(path)] == [None, "random_text", "duplicate"]


def test_mended_rows_are_told_before_they_are_judged(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", r'{"text": "Half of one: \ud83d and on it goes."}')
    sifter = Sifter(default_recipe(["continuity.min=false"]))
    mended, judged = list(sifter.sift(open_rows(path, None, "text")))
    assert isinstance(mended, Mended) and isinstance(judged, Sifted)
    assert "\ufffd" in judged.text


def test_hostile_texts_neither_stop_the_run_nor_give_nan(tmp_path: Path) -> None:
    texts = [
        "\x00" * 50,
        "a" * 100_000,
        "\u0301" * 500,
        "... --- ...",
        "\u202e" * 9 + "x",
        "💥" * 300,
        "\n" * 99 + ".",
    ]
    found = sift(write(tmp_path / "rows.jsonl", *({"text": text} for text in texts)), "gates.language.allow=[en]")
    assert len(found) == len(texts)
    for one in found:
        numbers = [value for value in one.scores.values() if isinstance(value, float)]
        assert all(math.isfinite(value) for value in numbers)
        assert one.keep or (one.reason and one.detail)
        json.dumps(dict(one.scores), allow_nan=False)


def test_workers_change_nothing(tmp_path: Path) -> None:
    rows = [{"id": n, "text": f"{PROSE} Boat {n % 40} is late, says office {n % 5}."} for n in range(120)]
    rows[30] = {"text": JUNK}
    path = write(tmp_path / "rows.jsonl", *rows, "{broken", {"text": r"Write to a.b@example.org or 10.20.30.40."})
    loaded = default_recipe(
        ["continuity.min=false", "gates.language.allow=[en]", "gates.personal_data.action=mask",
         "gates.random_text.stretches=cut"]
    )  # fmt: skip
    reading = Reading(columns=Columns(text="text"))
    parts = open_files([str(path)], Path(), reading, task="text", parts=3, hashed=False, split_above=100)
    assert len(parts.shards) == 3
    whole = open_files([str(path)], Path(), reading, task="text", hashed=False)
    one = list(Sifter(loaded).sift(whole))
    assert list(Sifter(loaded).sift(parts, workers=2)) == one
    assert list(Sifter(loaded).sift(parts, workers=1)) == one
    assert {found.reason for found in one if isinstance(found, Sifted)} >= {None, "duplicate", "not JSON"}


def test_a_folder_and_no_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        open_rows(tmp_path, None, "text")
    with pytest.raises(InputError, match="no such file"):
        open_rows(tmp_path / "none.jsonl", None, "text")


def test_leaks_are_summed_up(tmp_path: Path) -> None:
    question = "Which of the four bridges over the northern river was closed to carts after the great flood?"
    (tmp_path / "eval.jsonl").write_text(
        json.dumps({"id": "e1", "question": question, "answer": "the third"}) + "\n"
    )
    path = write(tmp_path / "rows.jsonl", {"id": "hit", "text": f"Unit 4. {question} Discuss."}, {"text": PROSE})
    sifter = Sifter(default_recipe(["continuity.min=false", f"gates.leakage.against=[{tmp_path / 'eval.jsonl'}]"]))
    hit, miss = [found for found in sifter.sift(open_rows(path, None, "text")) if isinstance(found, Sifted)]
    assert (hit.reason, miss.reason) == ("leakage", None)
    assert "e1" in str(hit.detail) or "eval.jsonl" in str(hit.detail)
    assert "northern river" in str(hit.detail)
    assert list(sifter.leakage().hits.values()) == [1]


def test_the_file_is_named_as_it_was_given(tmp_path: Path) -> None:
    path = write(tmp_path / "odd [1] name.jsonl", {"text": PROSE})
    assert [one.keep for one in sift(path)] == [True]


@dataclass(frozen=True)
class Breaking:
    """A shard whose reader fails behind so many rows."""

    rows: int
    size: int = 0

    def records(self) -> Iterator[Document | BadRow]:
        for row in range(1, self.rows + 1):
            yield Document(f"d{row}", "c", "u", "text", "en", "MIT", f"{PROSE} Boat {row} is late.", row=row)
        raise InputError("rows.jsonl.gz: the file ends in the middle")


@pytest.mark.parametrize("rows", [0, 3, BATCH, BATCH + 3, AHEAD, AHEAD + BATCH + 3])
def test_what_was_read_before_a_fault_is_judged_before_the_fault_is_told(rows: int) -> None:
    sifter = Sifter(default_recipe(["continuity.min=false", "gates.near_duplicates=false"]))
    found: list[int] = []
    with pytest.raises(InputError, match="ends in the middle"):
        for one in sifter.sift(Corpus("c", "text", "MIT", 4.0, (Breaking(rows),))):
            assert isinstance(one, Sifted)
            found.append(one.row)
    assert found == list(range(1, rows + 1))


def test_long_rows_are_handed_on_before_a_batch_of_them_fills_the_memory() -> None:
    # Four of them are more than a million characters.
    text = "The ferry is late. " * 15_000
    read: list[int] = []

    @dataclass(frozen=True)
    class Long:
        size: int = 0

        def records(self) -> Iterator[Document | BadRow]:
            for row in range(1, 9):
                read.append(row)
                yield Document(f"d{row}", "c", "u", "text", "en", "MIT", f"{row}{text}", row=row)

    off = [f"gates.{gate}=false" for gate in ("random_text", "repetition", "near_duplicates")]
    found = Sifter(default_recipe(["continuity.min=false", *off])).sift(Corpus("c", "text", "MIT", 4.0, (Long(),)))
    next(found)
    assert read == [1, 2, 3, 4]
    assert len(list(found)) == 7


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"ask a": PROSE, "note": PROSE}, '"ask a"'),
        ({"question": PROSE, "answer": PROSE, "x": PROSE}, "question"),
        ({"a": "1", "b": "2"}, "NAME"),
    ],
)
def test_no_option_of_recipes_is_proposed(tmp_path: Path, row: dict[str, str], column: str) -> None:
    path = write(tmp_path / "rows.jsonl", row)
    try:
        open_rows(path, None, "text")
    except InputError as error:
        assert str(error).endswith(f"--text {column}") and "{" not in str(error)
    else:
        # Some columns need no choice.
        assert "question" in row


def test_a_row_refused_before_the_language_gate_has_its_language_by_the_recipes_detector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curator.pipeline.sift_workers.detect_language", lambda _text, detector: f"by {detector}")
    path = write(tmp_path / "rows.jsonl", {"text": PROSE}, {"text": JUNK})
    asked = ['gates.language={"allow": ["en"], "detector": "py3langid"}']
    assert [(one.reason, one.language) for one in sift(path, *asked)] == [
        (None, "en"),
        ("random_text", "by py3langid"),
    ]
    assert [one.language for one in sift(path)] == ["by langdetect", "by langdetect"]
