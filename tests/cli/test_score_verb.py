"""`curate baseline` and `curate score` as typed, on a tiny model and its twins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from curator._errors import InputError, RefusedError
from curator.cli import baseline, score, score_run
from curator.measure.baseline import Baseline
from curator.measure.partial import claimed
from tests.quantize.llm_compressor.runs import run

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS = ("The boat waits for the tide.", "Is the lighthouse lit?", "A bell rings on the bridge.", "Noon.")


def typed(*arguments: str | Path) -> str:
    return str(ran(*arguments).stdout)


def ran(*arguments: str | Path) -> Any:
    app = typer.Typer()
    baseline.register(app)
    score.register(app)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        result.exception.add_note(result.stdout)
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def work(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline of four prompts, and a checkpoint."""
    folder = tmp_path_factory.mktemp("verbs")
    (folder / "prompts.jsonl").write_text("".join(f"{json.dumps({'text': text})}\n" for text in TEXTS))
    run(tiny_model, folder / "rtn", [[2, 3, 4]], method="rtn", scheme="W4A16")
    taken = typed(
        *("baseline", "--model", tiny_model, "--heldout", folder / "prompts.jsonl", "--tokens", "6"),
        *("--batch-size", "2", "--batch-size", "1", "--out", folder / "base"),
    )
    # Lines are wrapped.
    taken = " ".join(taken.split())
    assert "4 prompts, 24 scored tokens, batch 2: prefill, decode; 1: prefill, decode" in taken
    assert "probability in the top 256: " in taken
    return folder


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_both_phases_at_every_batch_size_and_a_gate(work: Path, cache: Path) -> None:
    ask = ("score", "--baseline", work / "base", "--checkpoint", work / "rtn")
    found: dict[str, Any] = json.loads(typed(*ask, "--json"))
    assert [(line["phase"], line["batch_size"]) for line in found["measured"]] == [
        ("prefill", 2),
        ("prefill", 1),
        ("decode", 2),
        ("decode", 1),
    ]
    assert found["scheme"] == "W4A16"
    assert found["kl_ci"][0] < found["kl_mean"] < found["kl_ci"][1]
    kls = [line["kl_mean"] for line in found["measured"]]
    assert min(kls) > 0.001
    # One model read and decoded: the same to the rounding of float32 and of lists.
    assert max(kls) == pytest.approx(min(kls), rel=0.02)
    assert found["floors"]["decode_prefill"]["kl"] < 1e-6
    assert found["gate"] is None
    # Nothing of a finished measurement is left.
    assert not list(cache.glob("score/*"))
    printed = typed(*ask, "--batch-size", "1", "--phase", "prefill", "--max-kl", "1", "--min-top1", "0")
    assert re.search(
        r"passed: mean KL at most 1 \(by \d+\.\d SE\), top-1 at least 0\.0 % \(W4A16, in process\)", printed
    )
    assert "KL(FP32 || candidate), nats a token, W4A16, full vocabulary, float32" in printed
    assert "decode" not in printed.split("Noise floors")[0]
    assert "next:" not in printed
    assert "--max-kl NATS --min-top1 SHARE" in typed(*ask, "--batch-size", "1", "--phase", "prefill")
    with pytest.raises(RefusedError) as refused:
        typed(*ask, "--max-kl", "0.0001", "--min-top1", "1", "--json")
    assert refused.value.exit_code == 3
    lines = str(refused.value).split("\n")
    assert lines[0].startswith("mean KL 0.")
    assert re.search(r"is over --max-kl 0\.0001 by \d+\.\d SE \(.*, W4A16, in process\)$", lines[0])
    assert json.loads(refused.value.__notes__[0])["gate"]["broken"] == lines


def test_a_finished_baseline_is_replaced_by_no_other(work: Path, tiny_model: Path) -> None:
    kept = {file.name: file.read_bytes() for file in (work / "base").iterdir()}
    take = ("baseline", "--model", tiny_model, "--tokens", "6", "--batch-size", "2", "--batch-size", "1")
    same = (*take, "--heldout", work / "prompts.jsonl", "--out", work / "base")
    other = work / "others.jsonl"
    other.write_text(json.dumps({"text": TEXTS[0]}) + "\n")
    for asked, words in (
        ((*take, "--heldout", other, "--out", work / "base"), "other prompts"),
        ((*same, "--top-k", "7"), "other settings"),
        ((*same, "--batch-size", "3"), "other batch sizes"),
    ):
        with pytest.raises(
            InputError, match=f"holds a finished baseline of .*{words}.*4 prompts, tokens 6, batch 2, 1"
        ):
            typed(*asked)
    assert "4 prompts, 24 scored tokens" in " ".join(typed(*same).split())
    assert {file.name: file.read_bytes() for file in (work / "base").iterdir()} == kept


def test_steps_are_told_by_number_and_tokens(work: Path, cache: Path) -> None:
    told = ran("score", "--baseline", work / "base", "--checkpoint", work / "rtn", "--repeats", "2").stderr
    # Four prompts of which six tokens each were decoded, read whole or decoded again.
    prompts = sum(window.prompt for window in Baseline(work / "base").windows)
    assert prompts > 24
    steps = re.findall(r"^(\d/\d .*, [\d,]+ tokens) \.\.\.$", told, re.MULTILINE)
    assert steps[:4] == steps[4:]
    assert steps[:4] == [
        f"1/4 prefill at batch 2, {prompts + 24:,} tokens",
        f"2/4 prefill at batch 1, {prompts + 24:,} tokens",
        "3/4 decode at batch 2, 24 tokens",
        "4/4 decode at batch 1, 24 tokens",
    ]
    assert re.search(r"^again: 2 of 2, (a few seconds|about \d+ (s|min)) left$", told, re.MULTILINE)


def test_a_second_command_is_told_of_the_first_in_the_users_words(work: Path, cache: Path) -> None:
    base, checkpoint = Baseline(work / "base"), str(work / "rtn")
    first = score_run._folder(base, score_run.Candidate(never, "W4A16", checkpoint, False), 0)
    with claimed(first, {}), pytest.raises(InputError) as refused:
        typed("score", "--baseline", work / "base", "--checkpoint", checkpoint)
    words = f"another curate measures {checkpoint} against {work / 'base'} already; wait for it to end"
    assert str(refused.value) == words


def never() -> Any:
    """Open no server."""
    raise AssertionError


def test_the_reference_is_no_candidate_of_a_gate(
    work: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curator.cli.score_run.same_weights", lambda *_: True)
    ask = ("score", "--baseline", work / "base", "--checkpoint", work / "rtn", "--phase", "prefill")
    with pytest.raises(RefusedError, match=r"the baseline's own weights, .* or give --allow weights"):
        typed(*ask, "--max-kl", "5")
    assert "passed" in typed(*ask, "--max-kl", "5", "--allow", "weights")
    assert "is this the candidate?" in " ".join(typed(*ask).split())


def test_a_reader_that_has_gone_lifts_no_limit(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr("curator.cli.score._print", gone)
    ask = ("score", "--baseline", work / "base", "--checkpoint", work / "rtn", "--phase", "prefill")
    with pytest.raises(RefusedError, match=r"is over --max-kl 0\.0001"):
        typed(*ask, "--max-kl", "0.0001")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give --checkpoint DIR, alone or with --serve, or --url URL"),
        (("--checkpoint", "x", "--url", "http://127.0.0.1:9"), "give --checkpoint DIR, alone or with --serve"),
        (
            ("--dtype", "bfloat16", "--url", "http://127.0.0.1:9"),
            "--dtype bfloat16 is for a model that is opened here",
        ),
        (("--checkpoint", "x", "--max-kl", "-1"), "--max-kl -1.0: give nats a token"),
        (
            ("--checkpoint", "x", "--max-kl", "-1", "--min-top1", "82"),
            "(?s)--max-kl -1.0: .*--min-top1 82.0: give a share",
        ),
        (("--checkpoint", "x", "--batch-size", "3"), "no prefill at batch size 3"),
    ],
)
def test_what_cannot_be_asked(work: Path, arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        typed("score", "--baseline", work / "base", *arguments)
