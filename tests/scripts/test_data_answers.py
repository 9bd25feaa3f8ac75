"""Answers made elsewhere: asked for as a build asks, and found again by it."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from data_experiments import answers
from data_experiments.layout import ExperimentFolder

from curator._errors import InputError
from curator._files import write_json
from curator._progress import Silent
from curator.pipeline.answers.ask import Answerer
from curator.serve.in_process import InProcess
from curator.serve.interface import Sampling
from curator.tokens.tokenizer import Tokenizer

BATCHES = [[[5, 6, 7], [8, 9]], [[10, 11, 12, 13]]]


def test_a_recorder_keeps_each_batch_once_in_order(tiny_model: Path) -> None:
    recorder = answers.Recorder(Tokenizer(tiny_model))
    for batch in (*BATCHES, *BATCHES):
        assert [one.finished for one in recorder.answer(batch, Sampling(4))] == [False] * len(batch)
    assert recorder.batches == BATCHES and recorder.sampling == Sampling(4)


def test_a_build_finds_answers_that_were_made_elsewhere(tmp_path: Path, tiny_model: Path) -> None:
    tokenizer = Tokenizer(tiny_model)
    sampling = {"new_tokens": 4, "temperature": 0.0, "seed": 0}
    asked, made = tmp_path / "asked.json", tmp_path / "made.json.gz"
    write_json(asked, {"sampling": sampling, "tokenizer": tokenizer.fingerprint, "batches": BATCHES})
    assert answers.make(asked, tiny_model, 2, made, Silent()) == 3
    place = ExperimentFolder(tmp_path, "cpu", str(tiny_model))
    assert answers.keep(made, place, tmp_path / "cache") == 3
    told = json.loads((place.texts / "answers.json").read_text())
    assert (told["asked"], told["together"], told["device"]) == (3, 16, "cpu")

    def nobody() -> InProcess:
        raise AssertionError("asked again")

    # As a build asks, and of the model itself, prompt by prompt: the greedy tokens of a float32 model.
    found = Answerer(nobody, lambda: tiny_model, tokenizer, print, tmp_path / "cache")
    server = InProcess(tiny_model)
    for batch in BATCHES:
        own = [next(iter(server.generate([prompt], Sampling(4), 1))) for prompt in batch]
        assert found.answer(batch, Sampling(4)) == own
    with pytest.raises(AssertionError, match="asked again"):
        found.answer(BATCHES[0], Sampling(5))


def test_answers_of_another_model_are_refused(tmp_path: Path, tiny_model: Path) -> None:
    content = {"tokenizer": Tokenizer(tiny_model).fingerprint, "model_hash": "0"}
    file = tmp_path / "made.json.gz"
    file.write_bytes(gzip.compress(json.dumps(content).encode()))
    with pytest.raises(InputError, match="another model"):
        answers.keep(file, ExperimentFolder(tmp_path, "cpu", str(tiny_model)))
    file.write_bytes(gzip.compress(json.dumps({**content, "tokenizer": "0"}).encode()))
    with pytest.raises(InputError, match="another tokenizer"):
        answers.keep(file, ExperimentFolder(tmp_path, "cpu", str(tiny_model)))
