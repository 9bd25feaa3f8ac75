"""What is told of one candidate: lines, floors, gates and lengths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from curator._errors import InputError
from curator._progress import Silent, unseen
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import PHASES, Settings
from curator.measure.candidate import look_ahead, measure_candidate
from curator.measure.collect import collect
from curator.measure.floors import baseline_floors
from curator.measure.gate import Limits, judge_chance
from curator.measure.score_document import Computed, score_document
from curator.measure.summary import by_length, score_summary
from curator.tokens.tokenizer import Tokenizer
from tests.measure.fake_server import PROMPTS, Fake

SETTINGS = Settings(tokens=4, max_new=4, top_k=8, batch_sizes=(4, 1), phases=PHASES)


@pytest.fixture(scope="module")
def base(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    out = tmp_path_factory.mktemp("measured") / "base"
    return collect(Fake(), Tokenizer(tiny_model), PROMPTS, SETTINGS, out, unseen)


def document(base: Baseline, server: Fake, limits: Limits | None = None) -> dict[str, Any]:
    ahead = look_ahead(base, server, (), PHASES)
    measured = measure_candidate(base, server, ahead, Silent())
    return score_document(
        base, measured, lambda _: (0.1, 0.3), limits or Limits(), Computed("W4A4", "float32", "in process"), []
    )


def test_a_line_for_each_phase_and_batch_the_primary_first(base: Baseline) -> None:
    server = Fake()
    server.shift, server.ran = 0.2, {4: 3}
    found = document(base, server)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    lines = found["measured"]
    assert [(line["phase"], line["batch_size"], line["batch_achieved"]) for line in lines] == [
        ("prefill", 4, 3),
        ("prefill", 1, 1),
        ("decode", 4, 3),
        ("decode", 1, 1),
    ]
    assert found["kl_mean"] == lines[0]["kl_mean"] >= found["kl_lower_bound"] > 0
    assert found["estimator"] == "top-8 union"
    means = [line["kl_mean"] for line in lines[:2]]
    assert found["batch_sd"]["prefill"] == pytest.approx(abs(means[0] - means[1]) / np.sqrt(2))
    assert found["by_task"]["prose"]["prompts"] == 3
    # By prompt length in each phase: all are short here, so that a bin is the mean over prompts.
    assert found["by_length"] == lines[0]["by_length"]
    for line in lines:
        ((name, row),) = line["by_length"].items()
        assert (name, row["prompts"]) == ("up to 2k", len(base.prompts))
        assert row["kl_mean"] > 0
    assert lines[2]["by_length"] != lines[0]["by_length"]


def test_floors_are_the_baseline_against_itself(base: Baseline) -> None:
    floors = baseline_floors(base)
    assert {name: floor["phase"] for name, floor in floors.items()} == {
        "prefill_batch_1": "prefill",
        "decode_batch_1": "decode",
        "decode_prefill": "both",
    }
    # The fake's logits are scaled by 1 - batch / 1000, and not at all where it writes.
    rows = np.arange(20.0)

    def kl(one: float, other: float) -> float:
        p, q = (np.exp(rows * scale) / np.exp(rows * scale).sum() for scale in (one, other))
        return float((p * np.log(p / q)).sum())

    assert floors["prefill_batch_1"]["kl"] == pytest.approx(kl(1 - 4e-3, 1 - 1e-3), abs=1e-7)
    assert floors["decode_prefill"]["kl"] == pytest.approx(kl(1, 1 - 4e-3), abs=1e-7)
    assert floors["decode_prefill"]["top1"] == 1
    same = Fake()
    same.shift = -1e-5
    told = document(base, same)["warnings"]
    assert "prefill at batch 4: no further from FP32 than FP32 is from itself at another batch size" in told


def test_lists_that_leave_much_open_are_told(base: Baseline) -> None:
    class Disjoint(Fake):
        """The reference's likeliest id stays, all others of its list are others."""

        def score(self, windows: Any, top_k: int, batch_size: int) -> Any:
            for scores in super().score(windows, top_k, batch_size):
                scores.top_ids[:, 1:] = (scores.top_ids[:, 1:] + 10) % 20
                yield scores

    assert not [line for line in document(base, Fake())["warnings"] if "lists leave" in line]
    found = document(base, Disjoint())
    (told,) = [line for line in found["warnings"] if "lists leave" in line]
    assert f"from {found['kl_lower_bound']:.4g} up, {found['kl_mean']:.4g} is an estimate" in told


def test_gates_are_decided_on_every_line_by_its_mean(base: Baseline) -> None:
    server = Fake()
    server.shift = 0.2
    kls = [line["kl_mean"] for line in document(base, server)["measured"]]
    held = document(base, server, Limits(max(kls), 1.0))["gate"]
    assert held["kl_margin_se"] == pytest.approx(0, abs=1e-9)
    held.pop("kl_margin_se")
    assert held == {
        "judged": "W4A4, in process",
        "max_kl": max(kls),
        "min_top1": 1.0,
        "passed": True,
        "broken": [],
    }
    # The mean of one line is over; the interval, which reaches below, does not excuse it.
    limit = sorted(kls)[-2]
    broken = document(base, server, Limits(limit))["gate"]
    lines = [f"{phase} at batch {size}" for phase in PHASES for size in (4, 1)]
    where = lines[int(np.argmax(kls))]
    assert not broken["passed"]
    assert broken["broken"] == [
        f"mean KL {max(kls):.4g} [0.1, 0.3] is over --max-kl {limit:g} "
        f"by {(max(kls) - limit) / 0.2 * 3.92:.1f} SE ({where}, W4A4, in process)"
    ]
    assert document(base, server)["gate"] is None


def test_gates_of_top1_and_of_what_is_not_known() -> None:
    line = {"phase": "prefill", "batch_size": 8, "kl_mean": 0.1, "kl_ci": None, "top1": 0.9}
    lines = [line, {**line, "phase": "decode", "top1": 0.8}, {**line, "batch_size": 1, "top1": None}]
    assert Limits(None, 0.9).judge(lines[:1], "W4A4")["passed"]
    assert Limits(None, 0.9).judge(lines[:2], "W4A4")["broken"] == [
        "top-1 agreement 0.8 is under --min-top1 0.9 (decode at batch 8, W4A4)"
    ]
    assert Limits(None, 0.5).judge(lines, "W4A4")["broken"] == [
        "top-1 agreement unknown is under --min-top1 0.5 (prefill at batch 1, W4A4)"
    ]
    assert Limits(1.0).judge([{**line, "kl_mean": None}], "W4A4")["broken"] == [
        "mean KL unknown is over --max-kl 1 (prefill at batch 8, W4A4)"
    ]
    with pytest.raises(InputError, match="--max-kl nan"):
        Limits(float("nan"))
    with pytest.raises(InputError, match=r"--min-top1 95.0: give a share from 0 to 1"):
        Limits(None, 95.0)


def test_the_chance_of_a_score_is_a_limit_too() -> None:
    chance = {"chance": 0.4, "ci": (0.1, 0.8), "items": 500, "threshold": 0.7}
    told = "chance 0.4 [0.1, 0.8] that 500 items score 0.7 or more is under --min-chance 0.5 (W4A16, twin)"
    gate = judge_chance(None, chance, 0.5, "W4A16, twin")
    assert (gate["passed"], gate["broken"]) == (False, [told])
    assert judge_chance(None, chance, 0.4, "W4A16")["passed"]
    # Beside limits of the distributions: each broken one is told, and one is enough.
    broken = {"judged": "W4A16, twin", "max_kl": 0.1, "passed": False, "broken": ["mean KL"]}
    assert judge_chance(broken, chance, 0.5, "W4A16, twin")["broken"] == ["mean KL", told]
    assert not judge_chance(broken, chance, 0.1, "W4A16, twin")["passed"]


def test_only_what_the_baseline_has_and_the_server_can_run(base: Baseline) -> None:
    server = Fake()
    assert look_ahead(base, server, (1,), ("prefill",)).passes == (("prefill", 1),)
    with pytest.raises(InputError, match=r"no batch size 32; taken: \[4, 1\]"):
        look_ahead(base, server, (32,), PHASES)
    server.limit = 2
    ahead = look_ahead(base, server, (), PHASES)
    assert ahead.passes == (("prefill", 1), ("decode", 1))
    assert "batch 4 left out" in ahead.notes[0]
    with pytest.raises(InputError, match=r"none of its batch sizes can be run \(batch 4 left out"):
        look_ahead(base, server, (4,), PHASES)
    server.limit, server.unforced = 100, "no code is run there"
    ahead = look_ahead(base, server, (), PHASES)
    assert ahead.passes == (("prefill", 4), ("prefill", 1))
    assert (ahead.unforced, ahead.free) == ("no code is run there", (4, 1))
    with pytest.raises(InputError, match="decoding cannot be forced"):
        look_ahead(base, server, (), ("decode",))


def test_kl_by_prompt_length_has_the_bins_that_have_prompts() -> None:
    lengths = {"a": 512, "b": 2_048, "c": 2_049, "d": 74_000}
    rows = [("a", 1.0), ("a", 3.0), ("b", 4.0), ("c", 5.0), ("d", 7.0)]
    table = pd.DataFrame(rows, columns=["prompt", "kl"]).assign(top1=1.0)
    assert by_length(table, lengths) == {
        "up to 2k": {"kl_mean": 3.0, "top1": 1.0, "prompts": 2},
        "2k to 16k": {"kl_mean": 5.0, "top1": 1.0, "prompts": 1},
        "over 48k": {"kl_mean": 7.0, "top1": 1.0, "prompts": 1},
    }


def test_kl_is_told_apart_by_the_family_of_the_prompts() -> None:
    rows = [
        ("one", "a", "books", 1.0),
        ("one", "a", "books", 3.0),
        ("two", "a", "books", 4.0),
        ("three", "b", "code", 8.0),
    ]
    table = pd.DataFrame(rows, columns=["prompt", "task", "corpus", "kl"])
    table = table.assign(kl_lumped=0.0, kl_uniform=0.0, js=0.0, delta_logprob=0.0, cosine=1.0, top1=1.0)
    summary = score_summary(table, None, {"one": 1, "two": 1, "three": 1})
    # Tokens, then prompts: (2 + 4) / 2. The primary number weighs tasks: (3 + 8) / 2.
    assert summary["by_family"] == {
        "books": {"kl_mean": pytest.approx(3.0), "prompts": 2},
        "code": {"kl_mean": pytest.approx(8.0), "prompts": 1},
    }
    assert summary["kl_mean"] == pytest.approx(5.5)


def test_a_broken_candidate_is_refused_with_the_prompt(base: Baseline) -> None:
    class Broken(Fake):
        def score(self, windows: Any, top_k: int, batch_size: int) -> Any:
            for index, scores in enumerate(super().score(windows, top_k, batch_size)):
                if index == 2:
                    scores.top_logprobs[1, 3] = np.nan
                yield scores

    with pytest.raises(InputError, match=rf"prompt {base.prompts[2]['id']}: a logprob of the candidate at scored"):
        document(base, Broken())
