"""Times of a run: damaged ones are left out, whatever they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.rank.ledger import LEDGER, Ledger

GOOD = {"step": "score", "of": "a", "seconds": 2.0}


@pytest.mark.parametrize(
    "bad",
    [
        None,
        {"step": "score", "seconds": 1.0},
        {"step": "score", "of": "b", "seconds": -1},
        {"step": "score", "of": "b", "seconds": 1.0, "scheme": ["W4A4"]},
        {"step": "score", "of": "b", "seconds": 1.0, "scheme": {}},
        {"step": "build", "of": "b", "seconds": 1.0, "draws": 0},
    ],
)
def test_a_damaged_line_is_left_out_and_the_next_is_written(tmp_path: Path, bad: Any) -> None:
    (tmp_path / LEDGER).write_text(json.dumps({"steps": [bad, GOOD]}))
    ledger = Ledger(tmp_path)
    assert ledger.steps() == [GOOD]
    ledger.put({"step": "score", "of": "c", "seconds": 3.0})
    assert ledger.steps() == [GOOD, {"step": "score", "of": "c", "seconds": 3.0}]


@pytest.mark.parametrize(
    "text", ['{"steps": [{"step": "score", "of": "b", "seconds": 1e999}]}', "[]", '{"steps": 1}']
)
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, text: str) -> None:
    (tmp_path / LEDGER).write_text(text)
    assert Ledger(tmp_path).steps() == []
