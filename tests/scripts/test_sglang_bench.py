from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from curator._progress import unseen
from curator.measure.partial import Partial
from curator.serve.http import Connection
from curator.serve.interface import Window
from curator.serve.sglang import SGLang
from tests.serve.stub_sglang import VOCABULARY, Stub

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from sglang_bench.replay import compare_readers, recorded
from sglang_bench.shapes import compare_shapes
from sglang_bench.work import Work, decode_and_score, make_prompts, slices


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    server.info["max_req_input_len"] = 500
    yield server
    server.stop()


def test_figures_of_a_run_and_of_one_that_goes_on(stub: Stub, tmp_path: Path) -> None:
    work = Work(prompts=5, longest=100, tokens=4, top_k=8, seed=0)
    prompts = make_prompts(work, VOCABULARY)
    assert [len(prompt) for prompt in prompts] == [64, 72, 80, 89, 100]
    server = SGLang(stub.url, vocabulary=VOCABULARY)
    phases = decode_and_score(server, prompts, work, 2, Partial(tmp_path, ""), unseen)
    asked = stub.sent("/generate")
    assert [len(body["input_ids"]) for body in asked] == [2, 2, 1] * 2
    assert [body["logprob_start_len"] for body in asked[3:]] == [[63, 71], [79, 88], [99]]
    # Decoding and scoring are the same function of the prefix in the stub.
    assert phases["prefill"]["decoded_to_prefilled_logprob_max"] == 0
    for figures in phases.values():
        assert figures["requests"] >= 3
        assert figures["bytes_received"] == pytest.approx(figures["bytes_received_per_token"] * 20, abs=2)
        assert 0 <= figures["waiting_for_server_seconds"] <= figures["wall_seconds"]
    # All is kept: nothing is asked again, and the figures are the same; but for what is lost.
    count = len(stub.sent("/generate"))
    assert decode_and_score(server, prompts, work, 2, Partial(tmp_path, ""), unseen) == phases
    assert len(stub.sent("/generate")) == count
    (tmp_path / "prefill-2-000000.npz").write_bytes(b"cut")
    again = decode_and_score(server, prompts, work, 2, Partial(tmp_path, ""), unseen)
    assert again["decode"] == phases["decode"]
    assert len(stub.sent("/generate")) == count + 3
    assert slices(70, 8) == [slice(0, 32), slice(32, 64), slice(64, 96)]


def test_the_two_shapes_hold_the_same_numbers(stub: Stub) -> None:
    connection = Connection(stub.url, timeout=5.0, tries=1, backoff=0.0)
    found = compare_shapes(connection, Window(tuple(range(20)), 12), 32, VOCABULARY)
    # The stub prints float64 in its nested lists.
    assert found["largest_difference"] < 1e-6
    assert found["nested_lists"]["bytes_per_token"] > 1.5 * found["flat_base64"]["bytes_per_token"]


def test_replayed_answers_are_read_by_both_readers_alike() -> None:
    work = Work(prompts=3, longest=70, tokens=4, top_k=16, seed=0)
    lists = recorded(4, 16, 0)
    # As 0.5.16 prints them: the digits of a float32 as a double, and no two positions alike.
    assert all(value == np.float32(value) for row in lists for value, _, _ in row)
    assert len({row[0][1] for row in lists}) == 4
    found = compare_readers(work, 2, 0.01)
    assert found["scored_tokens"] == 12
    for name in ("python_json", "tables"):
        assert len(found[name]["runs"]) == 2
        # Two requests wait at least so long.
        assert found[name]["wall_seconds"] >= 0.02
        assert found[name]["outside_server_share"] < 1
