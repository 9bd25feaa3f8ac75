"""Answers of the model for `generate: self`, made on another machine than the sets.

python -m data_experiments.answers ask --work FOLDER --out asked.json
    here: all prompts, put together as a build puts them
python -m data_experiments.answers make asked.json --model FOLDER --out answers.json.gz
    there: needs the model and no corpus
python -m data_experiments.answers keep answers.json.gz --work FOLDER
    here: into the user's cache, where the build finds them

There more prompts are answered at once than in a build: padding and batch may move the last digits of logits.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from curator._errors import CurateError, InputError
from curator._files import atomic_write, read_json, write_json
from curator._progress import Narrator, unseen
from curator.cli.progress import narrator
from curator.engine.local import usable_cores
from curator.measure.heldout import load_prompts
from curator.models.fingerprint import model_fingerprint
from curator.pipeline.answers import stock
from curator.pipeline.answers.ask import BATCH, Answerer
from curator.pipeline.build import build_draws
from curator.pipeline.sources import open_sources
from curator.recipe.load import load_recipe
from curator.serve.interface import Continuation, Sampling, Server
from curator.tokens.tokenizer import Tokenizer
from data_experiments.collect import ANSWERS
from data_experiments.layout import ExperimentFolder

ARM = "traces-self"


class Recorder(Answerer):
    """Writes down what it is asked and answers nothing, so that a build asks for all that there is."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__(_nobody, lambda: None, tokenizer, lambda _line: None)
        self.batches: list[list[list[int]]] = []
        self.sampling: Sampling | None = None

    def answer(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Continuation]:
        """See `Answerer.answer`."""
        self.sampling = sampling
        asked = [list(prompt) for prompt in prompts]
        # A build that found nothing begins again at the first prompt.
        if asked not in self.batches:
            self.batches.append(asked)
        return [Continuation((), False) for _ in prompts]


class Replay:
    """A server that has one answer to give."""

    notes: Sequence[str]

    def __init__(self, found: list[Continuation], notes: Sequence[str]) -> None:
        self._found, self.notes = found, list(notes)

    def generate(self, *_: Any) -> list[Continuation]:
        """The answer."""
        return self._found

    def close(self) -> None:
        """Nothing to close."""


def ask(place: ExperimentFolder, out: Path) -> int:
    """Write the batches of prompts that building the arm asks for, in its order; returns their number."""
    loaded = load_recipe(place.recipes / f"{ARM}.yaml")
    tokenizer = Tokenizer(place.model_folder)
    recorder = Recorder(tokenizer)
    prompts = load_prompts(place.prompts("general"))
    # It would give up after so many answers in vain.
    stock._VAIN = sys.maxsize
    try:
        build_draws(loaded, tokenizer, 1, prompts, unseen, open_sources(loaded, usable_cores()), recorder)
    except InputError:
        # Nothing was answered, so that there is no set.
        if not recorder.batches:
            raise
    sampling = asdict(recorder.sampling) if recorder.sampling else {}
    write_json(out, {"sampling": sampling, "tokenizer": tokenizer.fingerprint, "batches": recorder.batches})
    return len(recorder.batches)


def make(asked: Path, model: Path, together: int, out: Path, narrator: Narrator) -> int:
    """Answer the batches, several of them at once; returns the number of answers."""
    from curator.serve.in_process import InProcess

    wanted = read_json(asked)
    server, batches = InProcess(model), wanted["batches"]
    sampling, answers = Sampling(**wanted["sampling"]), []
    for at in range(0, len(batches), together):
        own = batches[at : at + together]
        prompts = [prompt for batch in own for prompt in batch]
        found = iter(list(server.generate(prompts, sampling, len(prompts))))
        for batch in own:
            written = [next(found) for _ in batch]
            answers.append({"ids": [one.ids for one in written], "finished": [one.finished for one in written]})
        narrator.say(f"{sum(len(answer['ids']) for answer in answers)} answers")
    made = {"model_hash": model_fingerprint(model), "notes": list(server.notes), "facts": server.facts()}
    content = {**wanted, **made, "together": together * BATCH, "answers": answers}
    with atomic_write(out) as handle:
        handle.write(gzip.compress(json.dumps(content).encode()))
    return sum(len(answer["ids"]) for answer in answers)


def keep(answers: Path, place: ExperimentFolder, cache: Path | None = None) -> int:
    """Put answers where a build looks for them; returns their number.

    Raises:
        InputError: they are of another model or tokenizer.
    """
    content = json.loads(gzip.decompress(answers.read_bytes()))
    tokenizer = Tokenizer(place.model_folder)
    if content["tokenizer"] != tokenizer.fingerprint:
        raise InputError(f"{answers}: answers of another tokenizer")
    if content["model_hash"] != model_fingerprint(place.model_folder):
        raise InputError(f"{answers}: answers of another model")
    kept = 0
    finished = [end for answer in content["answers"] for end in answer["finished"]]
    facts = {"device": content["facts"].get("device", "cpu"), "together": content["together"]}
    write_json(place.texts / ANSWERS, {**facts, "asked": len(finished), "ended": sum(finished)})
    for batch, answer in zip(content["batches"], content["answers"], strict=True):
        pairs = zip(answer["ids"], answer["finished"], strict=True)
        replay = Replay([Continuation(tuple(ids), finished) for ids, finished in pairs], content["notes"])
        one = Answerer(lambda replay=replay: replay, lambda: place.model_folder, tokenizer, _ignored, cache)
        kept += len(one.answer(batch, Sampling(**content["sampling"])))
        one.close()
    return kept


def _nobody() -> Server:
    raise InputError("nobody answers here")


def _ignored(_line: str) -> None:
    """Nothing to tell."""


def main(words: Sequence[str] | None = None) -> int:
    """Do one step; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m data_experiments.answers")
    parser.add_argument("step", choices=("ask", "make", "keep"))
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--model", help="the embedded model's folder")
    parser.add_argument("--together", type=int, default=16, help="batches answered at once (16)")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args(words)
    try:
        if asked.step == "make":
            done = make(asked.file, Path(asked.model), asked.together, asked.out, narrator())
        else:
            place = ExperimentFolder(asked.work, "cpu", asked.model)
            done = ask(place, asked.out) if asked.step == "ask" else keep(asked.file, place)
    except CurateError as error:
        sys.stderr.write(f"answers: {error}\n")
        return 1
    sys.stdout.write(f"{asked.step}: {done}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
