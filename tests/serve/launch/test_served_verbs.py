"""`curate baseline` and `curate score` with a server of their own: what is refused before it, and its key."""

from __future__ import annotations

import json
import re
from pathlib import Path

import launching
import pytest
import typer
from typer.testing import CliRunner

from curator._errors import CurateError, InputError, RefusedError
from curator.cli import baseline, score
from curator.measure.baseline_settings import PHASES, Settings
from curator.measure.collect import begin
from curator.measure.heldout import load_prompts
from curator.tokens.tokenizer import Tokenizer
from tests.quantize.llm_compressor.runs import run

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS = ("Noon.", "The boat", "Is it lit?")
SETTINGS = Settings(tokens=4, max_new=4, batch_sizes=(2, 1), full=False, most_new=4, phases=PHASES)
KEY = "a-key-that-nobody-may-see"


class Served:
    """The verbs, with the pretend server; which leaves a file when it is started."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.folder, self.started = folder, folder / "pids"
        self.prompts = folder / "prompts.jsonl"
        self.prompts.write_text("".join(f"{json.dumps({'text': text})}\n" for text in TEXTS))
        arguments = f"--pids {self.started} --vocabulary {Tokenizer(model).size}"
        server = ["--serve", "sglang", "--server-python", launching.fake_python(folder)]
        self.server = [*server, "--server-args", arguments, "--server-log", folder / "server.log"]
        take = ["baseline", "--model", model, "--heldout", self.prompts, "--out", folder / "base", *self.server]
        self.take = [*take, "--tokens", "4", "--max-new", "4", "--batch-size", "2", "--batch-size", "1"]
        self.measure = ["score", "--baseline", folder / "base", *self.server]

    def typed(self, *arguments: str | Path) -> str:
        """Everything that a verb says."""
        app = typer.Typer()
        baseline.register(app)
        score.register(app)
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if isinstance(result.exception, CurateError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.output

    def refused(self, kind: type[CurateError], words: str, *arguments: str | Path) -> None:
        """Refused, and no server was started for it."""
        with pytest.raises(kind, match=words):
            self.typed(*arguments)
        assert not self.started.exists()


@pytest.fixture
def served(tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CURATE_API_KEY", KEY)
    return Served(tmp_path, tiny_model)


def test_the_key_is_nowhere_and_what_no_server_is_needed_for_is_refused_without_one(
    served: Served, tiny_model: Path, tmp_path: Path
) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text(json.dumps({"text": "Noon.", "task": "essay", "gold": "x"}) + "\n")
    served.refused(InputError, "no scorer for task 'essay'", *served.take, "--tasks", items)
    with begin(tmp_path / "base", Tokenizer(tiny_model), load_prompts(served.prompts), SETTINGS):
        served.refused(InputError, "another curate is at work here", *served.take)

    said = served.typed(*served.take)
    assert f"the server's log: {tmp_path / 'server.log'}" in " ".join(said.split("\n"))
    checkpoint = tmp_path / "rtn"
    run(tiny_model, checkpoint, [[2, 3, 4]], method="rtn", scheme="W4A16")
    said += served.typed(*served.measure, "--checkpoint", checkpoint)
    compared = r": of (\d+) scored tokens decoding was compared at (\d+) at batch 2 and (\d+) at batch 1, until"
    told = re.search(compared, " ".join(said.split()))
    assert told is not None, said
    scored, seen, other = map(int, told.groups())
    assert other <= scored
    assert 0 < seen <= scored
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"baseline.json", "batch-2.npz", "server.log"} <= {file.name for file in kept}
    # The log has the server's whole command line and the names of its environment.
    assert "CURATE_API_KEY" in (tmp_path / "server.log").read_text()
    assert [file for file in kept if KEY.encode() in file.read_bytes()] == []
    assert KEY not in said
    assert launching.living(launching.wait_for(served.started)) == []
    served.started.unlink()

    other = tmp_path / "other"
    other.mkdir()
    for file in checkpoint.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    words = r"the baseline is of another model \(architecture: .*2 layers of 64.*3 layers of 64"
    served.refused(RefusedError, words, *served.measure, "--checkpoint", other)
    here = ("--baseline", tmp_path / "base", "--checkpoint", checkpoint)
    served.refused(RefusedError, "taken by sglang, the candidate is run by transformers", "score", *here)
