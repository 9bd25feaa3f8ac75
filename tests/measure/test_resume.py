"""A measurement that stops, of whatever cause, goes on and ends in the same bytes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from curator._errors import InputError, RefusedError, ServerError
from curator._files import remove
from curator._lock import folder_lock
from curator._progress import unseen
from curator.cli.score_run import Asked
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import PHASES, Settings
from curator.measure.collect import collect, sweep_finished
from curator.measure.gate import Limits
from curator.measure.partial import Partial, beside, partial_folder
from curator.measure.score import score_candidate
from curator.serve.interface import Scores, Window
from curator.tokens.tokenizer import Tokenizer
from tests.measure.fake_server import PROMPTS, Fake, prompt

SETTINGS = Settings(tokens=4, max_new=4, top_k=8, batch_sizes=(2, 1), phases=PHASES)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer(tiny_model)


@pytest.fixture
def whole(tokenizer: Tokenizer, tmp_path: Path) -> dict[str, bytes]:
    collect(Fake(logits=True), tokenizer, PROMPTS, SETTINGS, tmp_path / "whole", unseen)
    return files(tmp_path / "whole")


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.mark.parametrize("at", [0, 1, 2, 5])
def test_a_baseline_goes_on_at_the_batch_it_stopped_in(
    whole: dict[str, bytes], tokenizer: Tokenizer, tmp_path: Path, at: int
) -> None:
    out, begin, server = tmp_path / "out", at - at % 2, Fake(logits=True)
    server.fail_at = at
    with pytest.raises(ServerError, match="the server died"):
        collect(server, tokenizer, PROMPTS, SETTINGS, out, unseen)
    assert server.asked == [("generate", 6, 2)]
    assert not out.exists()
    counted: list[int] = []
    again = Fake(logits=True)
    collect(again, tokenizer, PROMPTS, SETTINGS, out, counted.append)
    # What was done is not asked again; the batch that was cut is, from its start.
    assert again.asked == [("generate", 6 - begin, 2), ("score", 6, 2), ("score", 6, 1), ("force", 6, 1)]
    assert counted[0] == at
    assert sum(counted) == 4 * len(PROMPTS)
    assert files(out) == whole
    assert not beside(out).exists()


def test_a_server_that_dies_again_and_again(whole: dict[str, bytes], tokenizer: Tokenizer, tmp_path: Path) -> None:
    for _ in range(12):
        server = Fake(logits=True)
        server.fail_at = 3
        try:
            collect(server, tokenizer, PROMPTS, SETTINGS, tmp_path / "out", unseen)
        except ServerError:
            continue
        break
    assert files(tmp_path / "out") == whole


def test_killed_by_the_system_it_goes_on(whole: dict[str, bytes], tokenizer: Tokenizer, tmp_path: Path) -> None:
    class Killed(Fake):
        def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
            for index, scores in enumerate(super().score(windows, top_k, batch_size)):
                if index == 3:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield scores

    out = tmp_path / "out"
    child = os.fork()
    if not child:
        try:
            collect(Killed(logits=True), tokenizer, PROMPTS, SETTINGS, out, unseen)
        finally:
            os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    again = Fake(logits=True)
    collect(again, tokenizer, PROMPTS, SETTINGS, out, unseen)
    assert again.asked == [("score", 4, 2), ("score", 6, 1), ("force", 6, 1)]
    assert files(out) == whole


def begun(tokenizer: Tokenizer, out: Path) -> None:
    server = Fake()
    server.fail_at = 3
    with pytest.raises(ServerError):
        collect(server, tokenizer, PROMPTS, SETTINGS, out, unseen)


def test_other_things_than_were_begun_are_refused_by_name(tokenizer: Tokenizer, tmp_path: Path) -> None:
    out, other = tmp_path / "out", Fake()
    begun(tokenizer, out)
    other.other_facts = {"version": "2"}
    with pytest.raises(InputError, match=r"differs \(server: .*'version': '1'.*then.*'version': '2'.* now\)"):
        collect(other, tokenizer, PROMPTS, SETTINGS, out, unseen)
    with pytest.raises(InputError, match="prompts_sha256"):
        collect(Fake(), tokenizer, [*PROMPTS, prompt(7, "More.")], SETTINGS, out, unseen)
    with pytest.raises(InputError, match=r"settings: .*'top_k': 8.*'top_k': 7"):
        settings = Settings(tokens=4, max_new=4, top_k=7, batch_sizes=(2, 1), phases=PHASES)
        collect(Fake(), tokenizer, PROMPTS, settings, out, unseen)
    swapped = Fake()
    swapped.weights = "0.9 0.25"
    with pytest.raises(RefusedError, match="other weights than when this was begun"):
        collect(swapped, tokenizer, PROMPTS, SETTINGS, out, unseen)
    with folder_lock(beside(out)), pytest.raises(InputError, match="another curate is at work here"):
        collect(Fake(), tokenizer, PROMPTS, SETTINGS, out, unseen)
    assert collect(Fake(), tokenizer, PROMPTS, SETTINGS, out, unseen)


def test_what_other_weights_answered_is_thrown_away(tokenizer: Tokenizer, tmp_path: Path) -> None:
    out, server = tmp_path / "out", Fake()
    # Four prompts came; the last of them after the last good probe.
    server.swap_at = 4
    with pytest.raises(RefusedError, match="other weights"):
        collect(server, tokenizer, PROMPTS, SETTINGS, out, unseen)
    assert [file.name for file in sorted(beside(out).glob("written-*"))] == [
        f"written-00000{number}.npz" for number in range(3)
    ]


def test_a_score_goes_on_and_forgets_at_the_end(tokenizer: Tokenizer, tmp_path: Path) -> None:
    base = Baseline(collect(Fake(), tokenizer, PROMPTS, SETTINGS, tmp_path / "base", unseen).folder)
    folder, candidate = tmp_path / "kept", Fake()
    candidate.shift, candidate.fail_at = 0.1, 3

    def measured(server: Fake, name: str) -> tuple[Partial, float]:
        with partial_folder(folder, {"candidate": name}, server, restart=True) as partial:
            return partial, float(score_candidate(base, server, 1, unseen, "decode", partial)["kl"].mean())

    with pytest.raises(ServerError):
        measured(candidate, "one")
    candidate.fail_at, candidate.asked = None, []
    value = measured(candidate, "one")[1]
    assert candidate.asked == [("force", 3, 1)]
    assert value == pytest.approx(float(score_candidate(base, candidate, 1, unseen, "decode")["kl"].mean()), rel=0)
    assert value > 0
    assert not folder.exists()
    # Another candidate begins anew.
    candidate.fail_at = 3
    with pytest.raises(ServerError):
        measured(candidate, "one")
    other = Fake()
    assert measured(other, "two")[1] == 0
    assert other.asked == [("force", 6, 1)]


@pytest.mark.parametrize("damage", ["cut", "gone", "another shape"])
def test_prompts_whose_logits_are_lost_are_asked_again(
    whole: dict[str, bytes], tokenizer: Tokenizer, tmp_path: Path, damage: str
) -> None:
    class Dies(Fake):
        def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
            self.fail_at = 4
            return super().score(windows, top_k, batch_size)

    out = tmp_path / "out"
    with pytest.raises(ServerError):
        collect(Dies(logits=True), tokenizer, PROMPTS, SETTINGS, out, unseen)
    logits = beside(out) / "full-2.npy"
    kept = logits.read_bytes()
    logits.unlink()
    if damage == "cut":
        logits.write_bytes(kept[:-100])
    elif damage == "another shape":
        np.save(logits, np.zeros((3, 2), dtype=np.float32))
    again = Fake(logits=True)
    collect(again, tokenizer, PROMPTS, SETTINGS, out, unseen)
    assert again.asked == [("score", 6, 2), ("score", 6, 1), ("force", 6, 1)]
    assert files(out) == whole


def test_a_decoded_baseline_of_a_server_that_cannot_be_forced(tokenizer: Tokenizer, tmp_path: Path) -> None:
    """Beside the primary batch size there is nothing but how far each prompt is followed."""
    server = Fake()
    server.unforced = "no custom logit processors"
    settings = Settings(tokens=4, max_new=4, top_k=8, batch_sizes=(2, 1), phases=("decode",))
    base = collect(server, tokenizer, PROMPTS, settings, tmp_path / "out", unseen)
    assert base.manifest["sizes"] == {
        "2": {"phases": ["decode"], "achieved": 2},
        "1": {"phases": [], "followed": [4] * 6},
    }
    assert not (base.folder / "batch-1.npz").exists()
    Asked((), PHASES, (), Limits()).check(base)
    Asked((1,), ("decode",), (), Limits()).check(base)
    with pytest.raises(InputError, match="no decode at batch size 3"):
        Asked((3,), ("decode",), (), Limits()).check(base)


def test_sizes_of_all_prompts_or_more_are_taken_once(tokenizer: Tokenizer, tmp_path: Path) -> None:
    settings = Settings(tokens=4, max_new=4, top_k=8, batch_sizes=(8, 1, 32))
    base = collect(Fake(), tokenizer, PROMPTS, settings, tmp_path / "out", unseen)
    assert {size: entry["achieved"] for size, entry in base.manifest["sizes"].items()} == {"8": 6, "1": 1}
    assert base.manifest["notes"] == ["batch 32 left out: with 6 prompts it is batch 8"]


def test_a_kill_between_a_whole_baseline_and_the_end_leaves_nothing_once_it_is_found(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def killed(path: Path) -> None:
        if path == beside(out):
            raise KeyboardInterrupt
        remove(path)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("curator.measure.partial.remove", killed)
        collect(Fake(logits=True), tokenizer, PROMPTS, SETTINGS, out, unseen)
    assert Baseline(out).prompts and beside(out).is_dir()
    with folder_lock(beside(out)):
        sweep_finished(out)
        # Somebody is at work there.
        assert beside(out).is_dir()
    sweep_finished(out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
