"""The JSON files of a finished run, given to everything that reads them without running again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_runs import Fakes, loaded, plan
from hypothesis import strategies as st
from tiny_llama import save_tiny_llama

from curator._outputs import refuse_foreign
from curator._progress import Silent
from curator.cli.set_samples import read_samples
from curator.compare.runs import compare_runs
from curator.compare.sets import compare_sets
from curator.measure.baseline import Baseline
from curator.measure.heldout import load_prompts
from curator.rank.budget import stored_draw_plan
from curator.rank.cost import Costs
from curator.rank.experiment import run
from curator.rank.ledger import Ledger
from curator.rank.plan import RUN_FOLDER, Plan, refuse_other_plan
from curator.rank.planned_prompts import planned_prompts
from curator.report.inspect_summary import inspection
from fuzz_runs.changes import as_json, changed_bytes, changed_json
from fuzz_runs.target import Ready, Target

_PAYLOADS = (b"null", b"1e999", b"NaN", b"[", b"]", b"{", b"}", b'"', b",", b"9" * 5000, b"\xff", b"[" * 3000)
_SET = "arms/words/draw-0/set"


def _of_plan(asked: Plan) -> None:
    refuse_foreign(asked.out, RUN_FOLDER)
    stored_draw_plan(replace(asked, budget=60.0))
    refuse_other_plan(asked)


def _of_ledger(asked: Plan) -> None:
    Ledger(asked.out).steps()
    Costs(asked, planned_prompts(asked)).whole().words()


def _of_baseline(asked: Plan) -> None:
    baseline = Baseline(asked.out / "baseline")
    for size in baseline.sizes:
        for phase in baseline.phases(size):
            baseline.scores(size, phase)


def _of_set(asked: Plan) -> None:
    manifest, samples = read_samples(asked.out / _SET)
    inspection(manifest, samples, None, {})
    compare_sets(str(asked.out / _SET), str(asked.out / "arms/others/draw-0/set"))


# What of a run is read by what.
_READ: dict[str, Callable[[Plan], Any]] = {
    "plan.json": _of_plan,
    "ledger.json": _of_ledger,
    "ranking.json": lambda asked: compare_runs(str(asked.out), str(asked.out)),
    "heldout.jsonl": lambda asked: load_prompts(asked.out / "heldout.jsonl"),
    "baseline/baseline.json": _of_baseline,
    f"{_SET}/manifest.json": _of_set,
    f"{_SET}/samples.jsonl": _of_set,
}


@contextmanager
def _ready(folder: Path) -> Iterator[Ready]:
    model = folder / "model"
    save_tiny_llama(model)
    recipes = (loaded(folder, "words", task="random-words"), loaded(folder, "others"))
    asked = plan(folder, model, recipes, draws=2, nulls=())
    with pytest.MonkeyPatch.context() as patches:
        Fakes(model).install(patches)
        run(asked, Silent())
    whole = {name: (asked.out / name).read_bytes() for name in _READ}

    def check(case: tuple[str, bytes]) -> bool:
        name, content = case
        try:
            (asked.out / name).write_bytes(content)
            _READ[name](asked)
        finally:
            (asked.out / name).write_bytes(whole[name])
        return True

    yield Ready(st.one_of(*(_inputs(name, content) for name, content in whole.items())), check)


def _inputs(name: str, content: bytes) -> st.SearchStrategy[tuple[str, bytes]]:
    """Changed values and changed bytes of one file."""
    if name.endswith(".jsonl"):
        rows = changed_json([[json.loads(line) for line in content.splitlines()]])
        values = rows.map(lambda found: b"".join(as_json(row) + b"\n" for row in found) if found else b"")
    else:
        value = json.loads(content)
        # Without its checksum, as older versions wrote it and as whoever changes it on purpose would leave it.
        bare = {key: item for key, item in value.items() if key != "checksum"}
        values = changed_json([value, bare, bare]).map(as_json)
    return st.tuples(st.just(name), values | changed_bytes([content], _PAYLOADS))


RUN_FILES = Target("run files", "the JSON files of a run and of its sets and baseline, by seven readers", _ready)
