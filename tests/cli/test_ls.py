from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curator.cli.app import app
from curator.corpora.shelf import load_cards


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, columns: int = 80) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = CliRunner().invoke(app, ["ls", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "curate"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")


@pytest.mark.parametrize("columns", [80, 100])
def test_a_line_for_each_corpus(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    lines = run(monkeypatch, "corpora", columns=columns).splitlines()
    rows = {line.split()[0]: line for line in lines if line.split() and line.split()[0] in load_cards()}
    assert list(rows) == list(load_cards())
    assert max(map(len, lines[: len(rows) + 2])) <= columns
    assert rows["squad"].split() == ["squad", "qa", "en", "CC-BY-SA-4.0", "88", "k,", "14", "MB", "hub"]
    assert rows["python-topics"].split() == ["python-topics", "prose", "en", "Python-2.0", "yes"]


def test_what_must_be_typed_stands_below(monkeypatch: pytest.MonkeyPatch) -> None:
    from curator.corpora import shelf

    monkeypatch.setattr(shelf, "find_files", lambda *_: [])
    assert "apt-get" not in run(monkeypatch, "corpora")
    (row,) = [row for row in json.loads(run(monkeypatch, "corpora", "--json"))["corpora"] if row["id"] == "squad"]
    assert row["home"] == "https://huggingface.co/datasets/rajpurkar/squad"
    assert (row["here"], row["install"], row["size"]) == ("hub", "", "88 k rows, 14 MB")


def test_offline_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    rows = json.loads(run(monkeypatch, "corpora", "--json"))["corpora"]
    assert {row["here"] for row in rows if row["home"].startswith("https://huggingface.co")} == {"offline"}


def test_probe_says_for_each_why_it_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    output = run(monkeypatch, "corpora", "--probe", columns=100)
    assert "data set rajpurkar/squad: no connection to 127.0.0.1 (ConnectError)" in output
    assert [line for line in output.splitlines() if line.startswith("squad ") and line.endswith("not reached")]


def test_the_folder_of_an_embedded_model_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "curate" / "models"
    told = f"folder of smollm2-135m-instruct: {place}"
    assert f"{told}, made on first use" in run(monkeypatch, "models")
    made = place / "smollm2-135m-instruct-0123456789ab"
    made.mkdir(parents=True)
    (made / "config.json").write_text("{}")
    assert f"folder of smollm2-135m-instruct: {made}\n" in run(monkeypatch, "models")
