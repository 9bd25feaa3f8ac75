"""The audit itself, for the library that is installed here: what it says, and that it can fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from curator.adapters.targets import TARGETS

SCRIPTS = Path(__file__).parents[2] / "scripts" / "audits"


def test_what_is_printed_is_what_was_audited() -> None:
    results = json.loads((SCRIPTS / "results.json").read_text())
    assert set(results) == {*TARGETS, "imatrix"}
    for name, target in TARGETS.items():
        calls = results[name]["calls"]
        assert target.audited in calls[0]["versions"].values()
        assert {"printed", "adapted", "plain"} <= {call["call"] for call in calls}
        assert {call["batch_size"] for call in calls if call["call"] == "adapted"} == {1, 2, 4}
        assert all(call["passed"] is call["has_to_pass"] for call in calls)


@pytest.mark.full
def test_llm_compressor_gets_the_set_s_ids_and_nothing_else(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, SCRIPTS / "run.py", "llm-compressor", sys.executable, tmp_path / "work", results]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    calls = json.loads(results.read_text())["llm-compressor"]["calls"]
    found = {(call["call"], call["batch_size"]): call for call in calls}
    # Tokens that reach the model are those of the set at every batch size, in whole passes.
    for size in (1, 2, 4):
        call = found["adapted", size]
        assert call["passed"]
        assert call["tokens_seen"] == call["passes"] * call["tokens"] == call["passes"] * 649
    # Without the adapter the same ids come in another order, or cut.
    assert found["plain", 1]["only_the_order_differs"]
    assert found["plain", 4]["rows_not_of_the_set"] > 0


def test_a_difference_of_any_kind_fails_the_audit() -> None:
    sys.path.insert(0, str(SCRIPTS))
    try:
        from witness import compare
    finally:
        sys.path.remove(str(SCRIPTS))
    rows = [[0, 1], [0, 1], [0, 2, 3]]
    seen = [tuple(row) for row in rows]
    assert compare(rows, seen)["passed"]
    assert compare(rows, seen * 3)["passes"] == 3
    wrong = {
        "a repeated row missing": seen[1:],
        "order": [seen[2], seen[0], seen[1]],
        "cut": [seen[0], seen[1], (0, 2)],
        "padded": [*seen[:2], (0, 2, 3, 0)],
        "second BOS": [(0, 0, 1), *seen[1:]],
        "one too many": [*seen, seen[0]],
        "nothing": [],
    }
    assert [name for name, rows_seen in wrong.items() if compare(rows, rows_seen)["passed"]] == []
    assert compare(rows, wrong["order"])["only_the_order_differs"]
