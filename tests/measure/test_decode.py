from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
import torch
from decode_faults import fp8_cache_with_wrong_scale

from curator._errors import ServerError
from curator._progress import unseen
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Settings
from curator.measure.collect import collect
from curator.measure.decode import decode_summary, free_running, own_survival
from curator.measure.heldout import Prompt
from curator.measure.partial import Partial
from curator.measure.score import score_candidate
from curator.measure.survival import survival
from curator.serve.in_process import InProcess
from curator.serve.interface import Continuation, Sampling
from curator.tokens.tokenizer import Tokenizer

TEXTS = [
    "The ferry leaves",
    "She counted the boats again",
    "def area(width",
    "one, two",
    "harbour at noon and",
    "a",
]
PROMPTS = [
    Prompt(f"p{number}", ("prose", "code")[number % 2], "file", "unit", "en", "MIT", text, output_tokens=own)
    for number, (text, own) in enumerate(zip(TEXTS, (None, 14, None, 20, 14, None), strict=True))
]
SETTINGS = Settings(tokens=20, max_new=20, top_k=16, batch_sizes=(4, 1), full=False, phases=("prefill", "decode"))


@pytest.fixture(scope="module")
def model(tiny_model: Path) -> InProcess:
    return InProcess(tiny_model)


@pytest.fixture(scope="module")
def baseline(model: InProcess, tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    out = tmp_path_factory.mktemp("baseline") / "base"
    return collect(model, Tokenizer(tiny_model), PROMPTS, SETTINGS, out, unseen)


@pytest.fixture
def kept(tmp_path: Path) -> Partial:
    return Partial(tmp_path / "kept", "")


class Writes:
    """Writes the baseline's text, but another token at some places; ends there or goes on."""

    def __init__(self, baseline: Baseline, model: InProcess, departs: dict[int, int]) -> None:
        self.texts = {
            baseline.windows[index].ids[: baseline.windows[index].prompt]: (index, baseline.continuation(index))
            for index in range(len(baseline.windows))
        }
        self.departs = departs
        self.model = model
        self.asked: list[list[int]] = []
        self.achieved: dict[int, int] = {}

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        batch_size: int,
        **more: Any,
    ) -> Iterator[Continuation]:
        self.asked.append(more["limits"])
        for ids, own in zip(prompts, self.model.generate(prompts, sampling, batch_size, **more), strict=True):
            index, text = self.texts[tuple(ids)]
            at = self.departs.get(index, len(text))
            yield Continuation((*text[:at], *((token + 1) % 290 for token in text[at:])), own.finished, own.scores)


def test_a_model_follows_itself_to_the_end(baseline: Baseline, model: InProcess, kept: Partial) -> None:
    done: list[int] = []
    run = free_running(baseline, model, 4, done.append, kept)
    assert sum(done) == len(PROMPTS)
    assert run.prompts["prompt"].tolist() == [prompt["id"] for prompt in baseline.prompts]
    assert run.prompts["followed"].tolist() == run.prompts["length"].tolist()
    assert (run.following["kl"] == 0).all()
    summary = decode_summary(baseline, run)
    assert json.loads(json.dumps(summary, allow_nan=False))["candidate"]["departures"] == 0
    assert summary["tokens_while_following"] == run.prompts["length"].sum() == baseline.manifest["scored_tokens"]
    assert set(summary["by_task"]) == {"prose", "code"}


def test_departures_are_counted_and_nothing_behind_them_is_compared(
    baseline: Baseline, model: InProcess, kept: Partial
) -> None:
    lengths = [len(baseline.continuation(index)) for index in range(6)]
    server: Any = Writes(baseline, model, {0: 0, 2: 5, 3: lengths[3] - 1})
    run = free_running(baseline, server, 4, unseen, kept)
    followed = [0, lengths[1], 5, lengths[3] - 1, lengths[4], lengths[5]]
    assert run.prompts["followed"].tolist() == followed
    assert run.prompts["length"].tolist() == lengths
    # The token that departs was predicted behind the same text.
    at_risk = [min(own + 1, length) for own, length in zip(followed, lengths, strict=True)]
    by_prompt = run.following.groupby("prompt")["position"].max()
    assert [by_prompt[prompt["id"]] + 1 for prompt in baseline.prompts] == at_risk
    summary = decode_summary(baseline, run)
    assert summary["candidate"] == asdict(survival(np.array(followed), np.array(lengths)))
    assert (summary["candidate"]["departures"], summary["candidate"]["at_risk"]) == (3, sum(at_risk))
    # In the baseline's order and batches, and no further than its texts go.
    cut = {length for length, prompt in zip(lengths, baseline.prompts, strict=True) if not prompt["finished"]}
    (limits,) = server.asked
    assert set(limits) <= cut | {max(lengths)}
    assert all(limit >= length for limit, length in zip(limits, lengths, strict=True))


def test_free_decoding_goes_on_at_the_batch_it_stopped_in(
    baseline: Baseline, model: InProcess, kept: Partial
) -> None:
    class Dies(Writes):
        def generate(self, *asked: Any, **more: Any) -> Iterator[Continuation]:
            for place, one in enumerate(super().generate(*asked, **more)):
                if place == 5:
                    raise ServerError("the server died")
                yield one

    departs = {1: 3, 4: 2}
    with pytest.raises(ServerError):
        free_running(baseline, cast(Any, Dies(baseline, model, departs)), 4, unseen, kept)
    again, done = Writes(baseline, model, departs), list[int]()
    run = free_running(baseline, cast(Any, again), 4, done.append, kept)
    # Five prompts were done; the second batch, of two, is asked again from its start.
    assert (done, list(map(len, again.asked))) == ([5, 1], [2])
    whole = free_running(baseline, cast(Any, again), 4, unseen, Partial(kept.folder / "whole", ""))
    pd.testing.assert_frame_equal(run.prompts, whole.prompts)
    pd.testing.assert_frame_equal(run.following, whole.following)
    assert run.prompts["followed"].tolist()[1] == 3


def test_the_references_own_survival_from_forced_lists_and_from_counts(
    baseline: Baseline, model: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert baseline.followed(1) is None
    (own,) = own_survival(baseline, 20).values()
    assert (own["departures"], own["prompts"]) == (0, 6)
    assert own["at_risk"] == baseline.manifest["scored_tokens"]
    stored = baseline.scores(1, "decode")
    # The written token of prompt 2 is no longer the likeliest at its fourth token, nor at its sixth.
    stored[2].top_logprobs[[3, 5], 0] += 0.25
    monkeypatch.setattr(baseline, "scores", lambda size, phase: stored)
    (own,) = own_survival(baseline, 20).values()
    lengths = np.array([len(baseline.continuation(index)) for index in range(6)])
    followed = lengths.copy()
    followed[2] = 3
    assert own == asdict(survival(followed, lengths, 20))
    monkeypatch.setattr(baseline, "followed", lambda size: np.minimum(lengths, 7).astype(np.int32))
    (own,) = own_survival(baseline, 10).values()
    assert own == asdict(survival(np.minimum(lengths, 7), lengths, 10))


def test_lists_that_do_not_begin_behind_the_prompt(
    model: InProcess, tiny_model: Path, tmp_path: Path, kept: Partial
) -> None:
    tail = Settings(tokens=4, max_new=12, top_k=16, batch_sizes=(4, 1), full=False, phases=("decode",))
    base = collect(model, Tokenizer(tiny_model), PROMPTS[:3], tail, tmp_path / "base", unseen)
    ends = [len(base.continuation(index)) for index in range(3)]
    server: Any = Writes(base, model, {1: 2, 2: ends[2] - 3})
    run = free_running(base, server, 4, unseen, kept)
    places = {name: rows["position"].tolist() for name, rows in run.following.groupby("prompt")}
    names = [prompt["id"] for prompt in base.prompts]
    assert places[names[0]] == list(range(ends[0] - 4, ends[0]))
    assert names[1] not in places
    assert places[names[2]] == [ends[2] - 4, ends[2] - 3]
    assert (run.following["kl"] == 0).all()
    # What lies before the stored lists is not known: no survival is made up.
    assert own_survival(base, 12) == {}


def test_a_fault_of_the_decode_cache_that_prefill_does_not_show(
    baseline: Baseline, model: InProcess, kept: Partial
) -> None:
    with torch.inference_mode(), fp8_cache_with_wrong_scale(model.model, 2**-12):
        prefill = score_candidate(baseline, model, 4, unseen)
        forced = score_candidate(baseline, model, 4, unseen, phase="decode")
        run = free_running(baseline, model, 4, unseen, kept)
    assert (prefill["kl"] == 0).all()
    assert (prefill["top1"] == 1).all()
    assert forced["kl"].mean() > 0.05
    assert forced["top1"].mean() < 1
    summary = decode_summary(baseline, run)
    assert summary["candidate"]["departures"] >= 3
    assert (
        summary["candidate"]["tokens_ci"][1]
        < summary["reference"]["1"]["tokens"]
        == pytest.approx(survival(run.prompts["length"].to_numpy(), run.prompts["length"].to_numpy()).tokens)
    )
    # Where it still follows it looks better than it is.
    assert 0 < summary["kl_while_following"] < forced["kl"].mean()
