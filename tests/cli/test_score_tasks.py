"""Answers to an evaluation's items, and the same measurement again, through the command line on a tiny model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator._errors import InputError, RefusedError
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling
from curator.tokens.tokenizer import Tokenizer
from tests.cli.test_own_code import typed
from tests.quantize.llm_compressor.runs import run

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS = ("The boat waits for the tide.", "Is the lighthouse lit?", "A bell rings on the bridge.")


@pytest.fixture
def written(tiny_model: Path) -> list[str]:
    """What the model goes on with after each text, eight tokens."""
    tokenizer, server = Tokenizer(tiny_model), InProcess(tiny_model)
    prompts = [[*tokenizer.sequence_start(), *tokenizer.encode(text)] for text in TEXTS]
    found = [tokenizer.decode(list(one.ids)) for one in server.generate(prompts, Sampling(8), 1)]
    server.close()
    return found


def test_answers_are_scored_beside_bf16_and_runs_repeated(
    tiny_model: Path, tmp_path: Path, written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))
    tasks, prompts, checkpoint = tmp_path / "eval.jsonl", tmp_path / "prompts.jsonl", tmp_path / "rtn"
    golds = [written[0][2:5] or "?", "never written", written[2][:4]]
    rows = [{"text": text, "task": "niah", "gold": gold} for text, gold in zip(TEXTS, golds, strict=True)]
    tasks.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    prompts.write_text("".join(f"{json.dumps({'text': text})}\n" for text in TEXTS))
    run(tiny_model, checkpoint, [[2, 3, 4]], method="rtn")
    take = ("baseline", "--model", tiny_model, "--heldout", prompts, "--tokens", "6", "--out", tmp_path / "base")
    measure = ("score", "--baseline", tmp_path / "base", "--checkpoint", checkpoint, "--tasks", tasks)

    typed(*take)
    with pytest.raises(InputError, match=r"no answers of the reference.*curate baseline --tasks .*eval\.jsonl"):
        typed(*measure)
    typed(*take, "--tasks", tasks, "--answer-tokens", "8")
    found = json.loads(
        typed(
            *measure, "--repeats", "2", "--pass-score", "0.5", "--min-chance", "0", "--eval-items", "2", "--json"
        )
    )

    every = found["tasks"]["all"]
    assert (found["tasks"]["max_new"], every["items"]) == (8, 3)
    assert every["reference"]["score"]["mean"] == pytest.approx(2 / 3, abs=1e-4)
    flips = every["flips"]
    gone = flips["right_to_wrong"] - flips["wrong_to_right"]
    assert every["candidate"]["score"]["mean"] == pytest.approx((2 - gone) / 3, abs=1e-4)
    assert 0 < found["tasks"]["chance"]["chance"] < 1
    # The same process computes the same again.
    assert [line["runs"] for line in found["jitter"]] == [2] * len(found["measured"])
    assert {line["kl_sd"] for line in found["jitter"]} == {0.0}
    assert {line["how"] for line in found["jitter"]} == {"run"}

    # Told only, with 0; else the chance is a limit, whatever the distributions say.
    assert found["gate"] is None
    with pytest.raises(RefusedError, match=r"chance 0\.\d+ .* is under --min-chance 1 \(W4A4, in process\)"):
        typed(*measure, "--phase", "prefill", "--pass-score", "0.5", "--min-chance", "1")
    shown = typed(*measure, "--repeats", "2", "--pass-score", "0.5", "--min-chance", "0.001")
    assert "passed: chance of 50.0 % or more at least 0.1 % (W4A4, in process)" in " ".join(shown.split())
    assert "McNemar" in shown
    assert "chance that 3 such items score 50.0 % or more" in shown
    assert "The same measurement again: 2 runs of one model that stayed" in shown
    assert max(map(len, shown.splitlines())) <= 80
    # A random model ends nothing: all its answers are cut.
    assert "100% of the answers of FP32 were cut at 8 tokens" in " ".join(shown.split())

    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(rows[0]) + "\n")
    with pytest.raises(InputError, match=r"one item tells no chance"):
        typed(*measure[:-1], other, "--pass-score", "0.5")
    other.write_text(json.dumps({**rows[0], "gold": "something else"}) + "\n")
    with pytest.raises(InputError, match=r"answers to other items than those of .*other\.jsonl"):
        typed(*measure[:-1], other)
    for row, words in (({"task": "essay"}, "no scorer for task 'essay'"), ({"gold": ""}, "no gold")):
        other.write_text(json.dumps({**rows[0], **row}) + "\n")
        with pytest.raises(InputError, match=words):
            typed(*measure[:-1], other)
