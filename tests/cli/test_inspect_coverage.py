"""`curate inspect --coverage`: which experts of a model a set reaches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from tiny_models.hybrid import save_hybrid
from tiny_models.moe import EXPERTS, PER_TOKEN, UNSEEN, save_moe
from toy_tokenizers import save_tokenizer
from typer.testing import CliRunner

from curator._errors import DependencyError, InputError, RefusedError
from curator.adapters.stored_set import set_sha256
from curator.cli import inspect
from curator.quantize.audit import coverage
from curator.tokens.tokenizer import Tokenizer

TEXTS = ("Low tide at noon. ", "A small boat leaves. ", "def area(a, b): return a * b\n")


def write_set(folder: Path, model: Path) -> int:
    """A set of three samples; returns its tokens."""
    tokenizer = Tokenizer(model)
    rows = [tokenizer.encode(text * 3) for text in TEXTS]
    about = {"task": "prose", "language": "en", "source": "s", "licence": "MIT", "start": 0}
    samples = [
        {"id": f"toy/{number}", "input_ids": row, "parts": [{"id": f"d{number}", "end": len(row), **about}]}
        for number, row in enumerate(rows)
    ]
    folder.mkdir()
    (folder / "samples.jsonl").write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    tokenizer_facts = {"fingerprint": tokenizer.fingerprint, "ids_fingerprint": tokenizer.ids_fingerprint}
    manifest = {
        "name": "toy",
        "set_hash": set_sha256(rows),
        "tokenizer": tokenizer_facts,
        "recipe": {"model": str(model), "trust_remote_code": True},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return sum(map(len, rows))


@pytest.fixture(scope="module")
def moe(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A set for a mixture of experts, and its tokens."""
    folder = tmp_path_factory.mktemp("coverage")
    save_moe(folder / "model", "olmoe")
    return folder / "set", write_set(folder / "set", folder / "model")


def run(*arguments: Any) -> Any:
    app = typer.Typer()
    inspect.register(app)
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "160"})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_each_layer_is_a_row_and_the_unseen_are_named(moe: tuple[Path, int]) -> None:
    folder, tokens = moe
    found = json.loads(run(folder, "--coverage", "--json").stdout)["coverage"]
    assert (found["model"], found["tokens"], found["few"]) == ("model", tokens, 64)
    for number, layer in enumerate(found["layers"]):
        assert layer["name"] == f"model.layers.{number}.mlp.experts"
        assert (layer["experts"], layer["min"], layer["unseen"]) == (EXPERTS, 0, [UNSEEN])
        assert sum(layer["tokens"]) == PER_TOKEN * tokens
        assert layer["share_few"] == sum(seen < 64 for seen in layer["tokens"]) / EXPERTS
        assert layer["median"] == sorted(layer["tokens"])[2]
    printed = run(folder, "--coverage").stdout
    assert f"Experts of model that {tokens} tokens reach" in printed
    row = next(line.split() for line in printed.splitlines() if "layers.1.mlp.experts" in line)
    last = found["layers"][1]
    assert row[1:5] == ["5", "0", str(last["median"]), str(last["max"])]
    assert row[-1] == str(UNSEEN)
    assert "2 expert(s) see no token" in printed


def test_a_dense_model_is_one_line_and_own_code_is_not_run_because_a_set_says_so(tmp_path: Path) -> None:
    save_hybrid(tmp_path / "hybrid")
    write_set(tmp_path / "set", tmp_path / "hybrid")
    with pytest.raises(InputError, match="runs its own code"):
        run(tmp_path / "set", "--coverage")
    printed = run(tmp_path / "set", "--coverage", "--trust-remote-code").stdout
    assert printed.strip().endswith("hybrid is a dense model: every layer sees all tokens of the set.")


def test_a_set_of_another_tokenizer_is_refused(moe: tuple[Path, int], tmp_path: Path) -> None:
    other = save_moe(tmp_path / "other")
    save_tokenizer(other, merges=[("a", "b")])
    with pytest.raises(RefusedError, match="of another tokenizer"):
        run(moe[0], "--coverage", "--model", other)


def test_a_model_larger_than_memory_is_not_loaded(moe: tuple[Path, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "available_memory", lambda: 1000)
    with pytest.raises(DependencyError, match="GB are free; run it on a machine with more"):
        run(moe[0], "--coverage")
