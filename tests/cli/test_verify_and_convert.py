"""`curate verify` and `curate convert` as they are typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
import typer
from typer.testing import CliRunner, Result

from curator._errors import InputError, RefusedError
from curator._progress import Advance, Silent
from curator.cli import convert, verify
from curator.quantize.checkpoint import tensors_sha256
from tests.quantize.checkpoint.made_checkpoints import DOWN, make, plain_weights


def invoke(verb: Any, *arguments: str | Path) -> Result:
    app = typer.Typer()
    verb.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


@pytest.fixture
def model(tmp_path: Path) -> Path:
    from safetensors.torch import save_file

    (tmp_path / "model").mkdir()
    save_file(plain_weights(), tmp_path / "model" / "model.safetensors")
    (tmp_path / "model" / "config.json").write_text('{"model_type": "llama"}')
    return tmp_path / "model"


def test_a_good_checkpoint_leaves_with_zero(tmp_path: Path, model: Path) -> None:
    good = make(kv=True).write(tmp_path / "good")
    result = invoke(verify, good, "--reference", model)
    assert result.exit_code == 0
    assert "no fault found" in result.stdout
    assert "Error of the weights against" in result.stdout
    # No layer is further off than rounding makes it.
    assert "told below" not in result.stdout
    document = json.loads(invoke(verify, good, "--reference", model, "--json").stdout)
    assert document["checkpoint"] == str(good)
    assert (document["layout"], document["scheme"], document["kv_cache"]) == ("compressed-tensors", "W4A4", "fp8")
    assert document["faults"] == []
    assert len(document["errors"]) == 7
    assert document["errors"][0]["far"] is False


def test_the_bar_knows_how_many_layers_there_are(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars: list[tuple[str, int | None]] = []
    told: list[int] = []

    class Listener(Silent):
        @contextmanager
        def bar(self, label: str, total: int | None) -> Iterator[Advance]:
            bars.append((label, total))
            yield told.append

    monkeypatch.setattr(verify, "narrator", Listener)
    assert invoke(verify, make().write(tmp_path / "good"), "--reference", model).exit_code == 0
    assert bars == [("compare layers", 7)]
    assert told == [1] * 7


def test_a_fault_is_refused_after_all_was_told(tmp_path: Path) -> None:
    made = make("modelopt")
    made.tensors[f"{DOWN}.input_scale"] = torch.tensor(float("nan"))
    bad = made.write(tmp_path / "bad")
    for arguments in ((), ("--json",)):
        result = invoke(verify, bad, *arguments)
        assert isinstance(result.exception, RefusedError)
        assert result.exception.exit_code == 3
        assert str(result.exception) == f"{bad}: 1 fault; mend it before it is served"
        assert f"{DOWN}.input_scale is not finite" in " ".join(result.stdout.split())
    assert json.loads(result.stdout)["faults"] == [f"{DOWN}.input_scale is not finite"]
    weight_only = make(activations=False).write(tmp_path / "weight-only")
    assert invoke(verify, weight_only).exit_code == 0
    assert isinstance(invoke(verify, weight_only, "--asked", "W4A4").exception, RefusedError)


def test_what_is_no_checkpoint_is_bad_input(tmp_path: Path, model: Path) -> None:
    for folder in (tmp_path / "nothing", model):
        result = invoke(verify, folder)
        assert isinstance(result.exception, InputError)
        assert result.exception.exit_code == 2


def test_there_and_back_and_dequantised(tmp_path: Path) -> None:
    first = make(kv=True).write(tmp_path / "first")
    there, back, plain = tmp_path / "there", tmp_path / "back", tmp_path / "plain"
    result = invoke(convert, first, "--to", "modelopt", "--out", there)
    assert result.exit_code == 0
    assert "7 quantised layers as modelopt has them" in " ".join(result.stdout.split())
    assert "next: curate verify" in result.stdout
    assert invoke(verify, there).exit_code == 0
    result = invoke(convert, there, "--to", "compressed-tensors", "--out", back, "--json")
    assert json.loads(result.stdout)["tensors_sha256"] == tensors_sha256(first)
    result = invoke(convert, there, "--to", "dequantised", "--dtype", "bfloat16", "--out", plain)
    assert result.exit_code == 0
    assert "note: bfloat16 rounds" in result.stdout
    assert "KV cache's FP8 scales are left out" in " ".join(result.stdout.split())
    # Our own output may be replaced, a stranger's folder not.
    assert invoke(convert, first, "--to", "modelopt", "--out", there).exit_code == 0
    for arguments in (
        ("--to", "modelopt", "--out", first),
        ("--to", "modelopt", "--out", tmp_path),
        ("--to", "modelopt", "--out", plain),
        ("--to", "modelopt", "--dtype", "float32", "--out", there),
        ("--to", "compressed-tensors", "--out", tmp_path / "new"),
    ):
        result = invoke(convert, first, *arguments)
        assert isinstance(result.exception, InputError), arguments
    assert not (tmp_path / "new").exists()
