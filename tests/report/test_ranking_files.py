"""The files of a finished run: the numbers behind each figure, as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from samples import TASKS, minimal_ranking, ranking

from curator._seal import unsealed
from curator.report.ranking_figures import figures
from curator.report.ranking_files import as_csv, write_ranking


def test_every_link_of_the_report_is_a_file_and_every_file_is_linked(tmp_path: Path) -> None:
    document = ranking()
    write_ranking(tmp_path, document)
    linked = set(re.findall(r'href="(figures/[^"]+)"', (tmp_path / "report.html").read_text()))
    written = {str(file.relative_to(tmp_path)) for file in (tmp_path / "figures").iterdir()}
    assert linked == written and len(written) == 24
    assert unsealed(json.loads((tmp_path / "ranking.json").read_text())) == document
    for file in (tmp_path / "figures").glob("*.csv"):
        rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode())))
        stored = json.loads(file.with_suffix(".json").read_text())
        assert [list(row) for row in rows] == [list(row) for row in stored]
        as_text = [{name: "" if value is None else str(value) for name, value in row.items()} for row in stored]
        assert rows == as_text
    # A run with less to show leaves no figure of the earlier one behind.
    less = minimal_ranking()
    less["arms"][0]["cosine"] = None
    write_ranking(tmp_path, less)
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {"arms.csv", "arms.json"}


def test_figures_hold_the_numbers_of_the_document() -> None:
    document = ranking()
    made = figures(document)
    arms = {row["arm"]: row for row in made["arms"]}
    for arm in document["arms"]:
        assert arms[arm["name"]]["kl_mean"] == arm["kl_mean"]
        assert [arms[arm["name"]][f"kl_{end}"] for end in ("low", "high")] == arm["kl_ci"]
    assert arms["balanced"]["rank"] == "1-2"
    assert len(made["domains"]) == 6 * len(TASKS)
    assert len(made["prompts"]) == 6 * 48
    assert len(made["positions"]) == 6 * 3 and made["positions"][0]["phase"] == "prefill"
    assert made["draws"][4] == {
        "arm": "balanced",
        "draw": 4,
        "kl_mean": document["arms"][0]["draw_means"][4],
        **{name: document["arms"][0]["sets"][4][name] for name in ("set_hash", "samples", "tokens", "overlap")},
    }
    assert made["layers"][2] == {
        "kind": "self_attn.q_proj", "block": 2, "layers": 1, "best": 0.13, "worst": 0.26,
        "rounding": 0.095, "best_input": 8.0, "worst_input": 8.0,
    }  # fmt: skip
    assert sum(row["seconds"] for row in made["cost"]) == 1200


def test_the_columns_of_an_interval_say_of_what_kind_it_is() -> None:
    made = figures(ranking())
    kinds = {name: {key.removesuffix("_low") for row in rows for key in row if key.endswith("_low")}
             for name, rows in made.items()}  # fmt: skip
    assert {name: found for name, found in kinds.items() if found} == {
        # Each arm by itself, tasks weighed, floors in it; the distance from the best holds for all arms at once.
        "arms": {"kl", "other_kl", "from_best_simultaneous"},
        "pairs": {"difference_simultaneous"},
        "domains": {"kl"},
        # Means over the prompts of a bin, whatever their task: see `by_place`.
        "positions": {"kl_plain"},
        "lengths": {"kl_plain"},
    }
    assert "kl_plain_mean" in made["lengths"][0] and "kl_mean" not in made["lengths"][0]


@pytest.mark.parametrize("text", ['a,"b"\nc', "a=1+1", "", "‮x"])
def test_text_comes_back_from_csv_as_it_was(text: str) -> None:
    assert list(csv.DictReader(io.StringIO(as_csv([{"text": text, "n": 0.1}])))) == [{"text": text, "n": "0.1"}]


def test_a_text_is_no_formula_in_a_spreadsheet_and_a_number_stays_one() -> None:
    texts = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "a-b"]
    rows = list(csv.reader(io.StringIO(as_csv([{"=text": text, "difference": -0.5} for text in texts]))))
    assert rows[0] == ["'=text", "difference"]
    assert [row[0] for row in rows[1:]] == [*(f"'{text}" for text in texts[:5]), "a-b"]
    assert {row[1] for row in rows[1:]} == {"-0.5"}
