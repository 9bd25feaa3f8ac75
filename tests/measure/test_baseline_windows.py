"""Which tokens of which prompts a baseline holds, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator._errors import DependencyError, InputError
from curator._progress import unseen
from curator.measure import full_logits
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import PHASES, Settings
from curator.measure.collect import collect, passes
from curator.measure.heldout import Prompt
from curator.measure.score import score_candidate
from curator.serve.interface import Continuation, Sampling
from curator.tokens.tokenizer import Tokenizer
from tests.measure.fake_server import PROMPTS, Fake, prompt

SETTINGS = Settings(tokens=6, max_new=9, top_k=16, batch_sizes=(4, 1), phases=PHASES)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer(tiny_model)


def test_a_prompt_that_sets_the_length_of_its_answer_has_its_own_limit(
    tokenizer: Tokenizer, tmp_path: Path
) -> None:
    prompts = [
        Prompt(f"p{number}", "t", "c", "u", "en", "MIT", "a" * (number + 1), output_tokens=own)
        for number, own in enumerate((None, 9, 3, 40, 9))
    ]
    asked: list[tuple[int, list[int]]] = []

    class Asked(Fake):
        def generate(
            self, prompts: Sequence[Sequence[int]], sampling: Sampling, batch_size: int, **more: Any
        ) -> Iterator[Continuation]:
            asked.append((sampling.new_tokens, more["limits"]))
            return super().generate(prompts, sampling, batch_size, **more)

    def new_tokens(settings: Settings) -> list[int]:
        base = collect(Asked(), tokenizer, prompts, settings, tmp_path / "base", unseen)
        by_id = {row["id"]: len(window.ids) for row, window in zip(base.prompts, base.windows, strict=True)}
        return [by_id[prompt.id] - len(prompt.encode(tokenizer)) for prompt in prompts]

    # As many as are scored at least.
    assert new_tokens(Settings(tokens=4, max_new=6, top_k=5, full=False)) == [6, 9, 4, 40, 9]
    # Batches are made of the prompts in their order, whatever the limits, as in every other pass.
    assert asked == [(40, [6, 9, 4, 40, 9])]
    assert new_tokens(Settings(tokens=4, max_new=8, top_k=5, full=False, most_new=8)) == [8, 8, 4, 8, 8]


def test_windows_are_the_last_tokens_and_never_reach_into_the_prompt(tokenizer: Tokenizer, tmp_path: Path) -> None:
    lengths = [len(item.encode(tokenizer)) for item in PROMPTS]
    # Shorter than the window, exactly as long, longer, and one that ended at once.
    answers = {lengths[0]: [7, 8, 1], lengths[1]: [7] * 6, lengths[2]: list(range(2, 11)), lengths[3]: [1]}
    base = collect(Fake(answers), tokenizer, PROMPTS, SETTINGS, tmp_path / "base", unseen)
    by_id = dict(zip([row["id"] for row in base.prompts], base.windows, strict=True))
    assert by_id["p0"].ids[by_id["p0"].start :] == (7, 8, 1)
    assert by_id["p1"].ids[by_id["p1"].start :] == (7,) * 6
    assert by_id["p2"].ids[by_id["p2"].start :] == (5, 6, 7, 8, 9, 10)
    assert by_id["p3"].ids[by_id["p3"].start :] == (1,)
    for item, length in zip(PROMPTS, lengths, strict=True):
        assert by_id[item.id].ids[:length] == tuple(item.encode(tokenizer))
        assert by_id[item.id].start >= length
    assert base.manifest["scored_tokens"] == sum(window.scored for window in base.windows)


def test_first_and_spread_windows(tokenizer: Tokenizer, tmp_path: Path) -> None:
    lengths = [len(item.encode(tokenizer)) for item in PROMPTS]
    written = {length: list(range(2, 11)) for length in lengths} | {lengths[0]: [7, 8, 1]}

    def taken_by_id(place: str) -> tuple[dict[str, int], Baseline]:
        settings = Settings(4, 9, 5, (4, 2), False, phases=PHASES, place=place)  # type: ignore[arg-type]
        base = collect(Fake(written), tokenizer, PROMPTS, settings, tmp_path / place, unseen)
        return {row["id"]: index for index, row in enumerate(base.prompts)}, base

    place, first = taken_by_id("first")
    assert first.continuation(place["p1"]) == (2, 3, 4, 5)
    assert first.continuation(place["p0"]) == (7, 8, 1)
    place, spread = taken_by_id("spread")
    # Nine tokens, four of them: the ends and two between, at 8/3 and 16/3.
    assert spread.picked[place["p1"]].tolist() == [0, 3, 5, 8]
    assert spread.picked[place["p0"]].tolist() == [0, 1, 2]
    for phase in PHASES:
        for size in (4, 2):
            own = spread.scores(size, phase)[place["p1"]]
            # The fake's likeliest id is the one before the token.
            assert own.top_ids[:, 0].tolist() == [1, 4, 6, 9]
    table = score_candidate(spread, Fake(written), 4, unseen)
    assert (table["kl"] == 0).all()
    assert table[table["prompt"] == "p1"]["position"].tolist() == [0, 3, 5, 8]


def test_what_is_told_of_lists_and_batches(tokenizer: Tokenizer, tmp_path: Path) -> None:
    server = Fake()
    server.limit, server.ran, server.unforced = 4, {4: 2}, "no code is run there"
    settings = Settings(3, 3, 2, (4, 1, 5), False, phases=PHASES)
    counts = {len(PROMPTS[0].encode(tokenizer)): [5, 5]}
    base = collect(server, tokenizer, PROMPTS, settings, tmp_path / "base", unseen)
    assert base.sizes == [4, 1]
    assert base.phases(1) == ["prefill"]
    assert base.manifest["sizes"]["4"] == {"phases": ["prefill", "decode"], "achieved": 2}
    assert base.followed(1).tolist() == [3] * 6
    assert base.followed(4) is None
    assert "batch 5 left out: the server holds 4 of these prompts" in base.manifest["notes"][0]
    assert base.manifest["notes"][-1] == "decoded distributions at batch 4 only: no code is run there"
    # The two likeliest of 20 ids whose logits fall by one (a little flatter by the batch size): 1 - e^-2, nearly.
    mass = base.manifest["mass"]["prose"]
    assert mass["mean"] == pytest.approx(1 - np.exp(-2), abs=2e-3)
    assert mass["least"] == pytest.approx(mass["mean"], abs=1e-6)

    class Departs(Fake):
        def generate(self, prompts: Any, sampling: Sampling, batch_size: int, **lists: Any) -> Any:
            self.continuations = {} if batch_size == 4 else {len(ids): [5, 6, 5] for ids in prompts} | counts
            return super().generate(prompts, sampling, batch_size, **lists)

    departing = Departs()
    departing.unforced = "no"
    base = collect(departing, tokenizer, PROMPTS, settings, tmp_path / "again", unseen)
    assert sorted(base.followed(1)) == [1, 1, 1, 1, 1, 2]


def test_order_is_by_length_then_id_and_progress_counts_every_pass(tokenizer: Tokenizer, tmp_path: Path) -> None:
    counted: list[int] = []
    base = collect(Fake(), tokenizer, PROMPTS, SETTINGS, tmp_path / "base", counted.append)
    lengths = [window.start for window in base.windows]
    assert lengths == sorted(lengths)
    assert sum(counted) == len(PROMPTS) * passes(SETTINGS, (4, 1)) == len(PROMPTS) * 4


def test_an_empty_prompt_is_named(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="held-out prompt p9: no tokens"):
        collect(Fake(), tokenizer, [prompt(9, "")], SETTINGS, tmp_path / "base", unseen)


def test_a_full_disk_is_told_before_the_work(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(full_logits.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(DependencyError, match="--no-full"):
        collect(Fake(), tokenizer, PROMPTS, SETTINGS, tmp_path / "base", unseen)
    lists_only = Fake()
    lists_only.other_facts = {"backend": "sglang"}
    assert collect(lists_only, tokenizer, PROMPTS, SETTINGS, tmp_path / "base", unseen)
