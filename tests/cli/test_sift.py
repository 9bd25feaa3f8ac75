"""`curate sift` over files of rows and over the pools of sets."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from curator._errors import CurateError, InputError, RecipeError
from curator._files import file_sha256
from curator.cli import sift
from curator.export.pool import write_pool
from curator.pipeline.pool import PoolRow
from curator.pipeline.steps.versions import MEASURES

CURATE = str(Path(sys.executable).with_name("curate"))
FAST = ("--set", "continuity.min=false")
PROSE = "The harbour office opens at seven, and the first ferry leaves twenty minutes later for the island."
JUNK = "9f2c4b7a61d04e3f8a7b5c6d7e8f9012 " * 3
ROWS: tuple[Any, ...] = (
    {"id": 0, "text": PROSE, "task": "prose"},
    {"id": "one", "text": JUNK, "task": "prose"},
    {"text": "Thanks, John.", "task": "reply"},
    "{broken",
    {"id": 4, "text": PROSE, "task": "prose"},
)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row) for row in ROWS)
    path.write_text("".join(line + "\n" for line in lines))
    return path


def invoke(*arguments: str | Path) -> Result:
    app = typer.Typer()
    sift.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


def lines(*arguments: str | Path) -> list[dict[str, Any]]:
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def fault(*arguments: str | Path) -> CurateError:
    error = invoke(*arguments).exception
    assert isinstance(error, CurateError), error
    assert "\n" not in str(error)
    return error


def test_a_line_of_json_a_row_in_order(rows: Path) -> None:
    found = lines(rows, *FAST)
    assert [(one["row"], one.get("id"), one["keep"], one["reason"]) for one in found] == [
        (1, 0, True, None),
        (2, "one", False, "random_text"),
        (3, None, True, None),
        (4, None, False, "not JSON"),
        (5, 4, False, "duplicate"),
    ]
    assert "id" not in found[2]
    assert found[0]["scores"]["chars"] == len(PROSE)
    assert all((one["detail"] is None) == one["keep"] for one in found)


def test_set_and_a_recipe_change_the_gates(rows: Path, tmp_path: Path) -> None:
    strict = lines(rows, *FAST, "--set", "gates.length.min_chars=50", "--set", "gates.random_text=false")
    assert [one["reason"] for one in strict] == [None, None, "short", "not JSON", "duplicate"]
    (tmp_path / "r.yaml").write_text(
        "name: r\nsize: {samples: 1, tokens: 16}\ntarget: {tasks: {prose: 1}}\n"
        "sources:\n  - {files: nowhere.jsonl, task: prose}\n"
        "gates: {duplicates: false, near_duplicates: false}\ncontinuity: {min: false}\n"
    )
    own = lines(rows, "--recipe", tmp_path / "r.yaml")
    # The recipe's own default refuses what is short; its sources are not looked at.
    assert [one["reason"] for one in own] == ["short", "short", "short", "not JSON", "short"]
    low = lines(rows, "--recipe", tmp_path / "r.yaml", "--set", "gates.length.min_chars=5")
    assert [one["reason"] for one in low] == [None, "random_text", None, "not JSON", None]


def test_kept_rows_are_written_byte_for_byte(tmp_path: Path) -> None:
    kept = [b'{"text":  "caf\xc3\xa9 one"}\n', b'{"extra": [1.50], "text": "caf\\u00e9 two"}\n']
    held = [kept[0], b'{"text": " "}\n', b"\n", kept[1], kept[0]]
    (tmp_path / "rows.jsonl").write_bytes(b"".join(held))
    assert invoke(tmp_path / "rows.jsonl", *FAST, "--keep", tmp_path / "sub" / "kept.jsonl").exit_code == 0
    assert (tmp_path / "sub" / "kept.jsonl").read_bytes() == b"".join(kept)
    assert str(fault(tmp_path / "rows.jsonl", *FAST, "--keep", tmp_path)).endswith("name a file")
    assert "is the file that is sifted" in str(fault(tmp_path / "rows.jsonl", "--keep", tmp_path / "rows.jsonl"))
    for option in ("--keep", "--html"):
        told = str(fault(tmp_path / "rows.jsonl", option, tmp_path / "rows.jsonl" / "x.html"))
        assert "is no folder that can be written" in told
    assert (tmp_path / "rows.jsonl").read_bytes() == b"".join(held)


def test_tables_fit_eighty_columns_and_hold_reasons_scores_and_the_nearest(rows: Path) -> None:
    result = invoke(rows, *FAST)
    assert result.exit_code == 0, result.output
    printed = result.stdout
    assert max(map(len, printed.splitlines())) <= 80
    assert "rows.jsonl: 2 of 5 kept (40.0 %)" in printed
    told = " ".join(printed.split())
    for part in ("duplicate 1 20.0", "not JSON 1 20.0", "random_text 1 20.0", "reply 1 0 100.0"):
        assert part in told
    assert "nearest to random_share at most 0.2" in told
    assert told.index("kept 0.000 0 The harbour") < told.index("dropped 1.000 one 9f2c4b7a")


def test_a_row_without_an_id_is_found_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in (PROSE, JUNK)))
    told = " ".join(invoke(path, *FAST).stdout.split())
    assert "kept 0.000 row 1 The harbour" in told and "dropped 1.000 row 2 9f2c4b7a" in told
    assert all("id" not in one for one in lines(path, *FAST))


def test_an_empty_file_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("")
    result = invoke(tmp_path / "rows.jsonl", *FAST)
    assert (result.exit_code, result.stdout.splitlines()) == (0, ["rows.jsonl: 0 of 0 kept"])


def test_a_page_is_written_but_over_no_other_file(rows: Path, tmp_path: Path) -> None:
    page = tmp_path / "out" / "sift.html"
    for _ in range(2):
        assert invoke(rows, *FAST, "--html", page).exit_code == 0
    assert "random_share" in page.read_text()
    assert "holds something else" in str(fault(rows, *FAST, "--html", rows))


def test_what_cannot_be_used_is_told(rows: Path, tmp_path: Path) -> None:
    assert isinstance(fault(rows, "--set", "gates.lenght=1"), RecipeError)
    for path in (tmp_path, tmp_path / "none.jsonl"):
        assert isinstance(fault(path), InputError)
    assert "no column 'body'" in str(fault(rows, "--text", "body"))
    assert "nowhere.jsonl" in str(fault(rows, "--set", "gates.leakage.against=[nowhere.jsonl]"))


ROW = PoolRow(
    id="a#1:0", document="a#1", corpus="a", task="prose", language="en", licence="MIT", low_continuity=False,
    conversation=False, keep=True, taken=True, reason=None, detail=None, scores={}, text=PROSE,
)  # fmt: skip
MEASURED = {
    "chars": 500, "random_share": 0.0, "random_stretch": 0, "random_kinds": "", "random_cut": 0,
    "leakage": 0.0,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set folder as far as its pool is asked: two pieces kept, one too short, one random."""
    made = tmp_path / "set"
    made.mkdir()
    (made / "recipe.yaml").write_text(
        "name: r\nsize: {samples: 1, tokens: 16}\ntarget: {tasks: {prose: 1}}\n"
        "sources:\n  - {files: nowhere.jsonl, task: prose}\ncontinuity: {min: false}\n"
        "gates: {duplicates: false, near_duplicates: false, repetition: false}\n"
    )
    scores = [
        MEASURED,
        MEASURED | {"random_share": 0.15},
        {"chars": 90},
        {**MEASURED, "random_share": 0.3, "random_kinds": "hex 30%"},
    ]
    reasons = [None, None, "short", "random_text"]
    del scores[3]["leakage"]
    write_pool(
        made / "pool.parquet",
        [
            dataclasses.replace(ROW, id=f"a#{n}:0", keep=reason is None, reason=reason, detail=reason, scores=one)
            for n, (one, reason) in enumerate(zip(scores, reasons, strict=True))
        ],
    )
    manifest = {"pool_sha256": file_sha256(made / "pool.parquet"), "measures": MEASURES}
    (made / "manifest.json").write_text(json.dumps(manifest))
    return made


def test_scores_of_another_version_are_told(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["measures"]["random_text"] = "0"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert "measured by another version of random_text: build the set again" in invoke(folder).output


def test_the_pool_of_another_set_is_refused(folder: Path) -> None:
    (folder / "manifest.json").write_text(json.dumps({"pool_sha256": "0" * 64}))
    assert "pool.parquet: is not the pool that the set was built from" in str(fault(folder))
    (folder / "manifest.json").write_text("[]")
    assert "manifest.json: not a manifest" in str(fault(folder))


def test_the_sets_own_recipe_decides_as_it_did(folder: Path) -> None:
    found = lines(folder)
    assert [(one["id"], one["keep"], one["reason"]) for one in found] == [
        ("a#0:0", True, None),
        ("a#1:0", True, None),
        ("a#2:0", False, "short"),
        ("a#3:0", False, "random_text"),
    ]
    assert found[3]["before"] == {"keep": False, "reason": "random_text"}


def test_other_limits_are_laid_on_stored_scores(folder: Path) -> None:
    found = lines(folder, "--set", "gates.random_text.max_share=0.1")
    assert [one["reason"] for one in found] == [None, "random_text", "short", "random_text"]
    assert found[1]["before"] == {"keep": True, "reason": None}


def test_what_was_never_measured_is_unscored_and_told(folder: Path) -> None:
    loose = ("--set", "gates.length.min_chars=50", "--set", "gates.random_text.max_share=0.5")
    found = lines(folder, *loose)
    assert [one["reason"] for one in found] == [None, None, "unscored", "unscored"]
    assert [one["detail"] for one in found[2:]] == ["random_share was not measured", "leakage was not measured"]
    told = " ".join(invoke(folder, *loose).stdout.split())
    assert "pieces that cannot be decided: 1 (random_share was not measured when the set was built" in told
    assert "rebuild to score them" in told


def test_before_and_now_are_printed(folder: Path) -> None:
    printed = invoke(folder, "--set", "gates.random_text.max_share=0.1").stdout
    assert max(map(len, printed.splitlines())) <= 80
    told = " ".join(printed.split())
    assert "set: 1 of 4 kept (25.0 %)" in told
    assert "before now % of all random_text 1 2 50.0 short 1 1 25.0" in told
    assert "prose 2 1 3 25.0" in told


def test_settings_that_measure_otherwise_are_told_to_need_a_rebuild(folder: Path) -> None:
    told = " ".join(invoke(folder, "--set", "gates.random_text.stretches=cut").stdout.split())
    assert "gates.random_text.stretches: changes what is measured" in told


@pytest.mark.parametrize(
    "options", [("--text", "x"), ("--task", "x"), ("--all-windows",), ("--keep", "kept.jsonl")]
)
def test_options_of_files_are_refused_for_a_set(folder: Path, options: tuple[str, ...]) -> None:
    assert str(fault(folder, *options)).startswith(f"{options[0]} is for files of rows")


def test_a_set_without_a_pool_and_a_page_within_it_are_refused(folder: Path) -> None:
    assert "lies in a set's folder" in str(fault(folder, "--html", folder / "x.html"))
    (folder / "pool.parquet").unlink()
    assert "build the set again" in str(fault(folder))


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env={**os.environ, "C": CURATE}, capture_output=True, timeout=120,
        check=False,
    )  # fmt: skip


def test_a_reader_that_goes_away_is_no_error(rows: Path) -> None:
    many = rows.parent / "many.jsonl"
    many.write_text("".join(json.dumps({"id": n, "text": f"{PROSE} {n}"}) + "\n" for n in range(2000)))
    result = shell(
        "$C sift many.jsonl --set continuity.min=false --json | head -1; exit ${PIPESTATUS[0]}", rows.parent
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert json.loads(result.stdout)["id"] == 0
