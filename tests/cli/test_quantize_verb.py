"""What `curate quantize` makes of a set's recipe and the command line, before anything is quantised."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from curator._errors import CurateError, InputError, RecipeError
from curator.adapters.stored_set import set_sha256
from curator.cli import quantize
from curator.quantize import run

ROWS = [[5, 6, 7, 8] * 4, [9, 10, 11, 12]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the quantiser is asked for; it does nothing."""
    calls: list[dict[str, Any]] = []

    def fake(model: Path, job: run.Job, **options: Any) -> dict[str, Any]:
        calls.append({"model": model, "job": job, **options})
        made = {"layers": {"nvfp4": 12, "fp8": 2, "not quantised": 1}, "scheme": "W4A4", "kv_cache": "fp8"}
        made |= {"size": 1_234_567, "bits_all": 5.678}
        reached = {"sequences": 2, "tokens": 20} if job.settings.needs_set else None
        told = {"method": job.settings.method, "seconds": 1.0, "warnings": ["a doubt"]}
        return {"linears": 14, "checkpoint": made, "reached_model": reached, **told}

    monkeypatch.setattr(run, "quantize_model", fake)
    return calls


def write_set(folder: Path, **recipe: Any) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "samples.jsonl").write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in ROWS))
    manifest = {"set_hash": set_sha256(ROWS), "recipe": recipe}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(folder)


def invoke(*arguments: Any) -> Result:
    app = typer.Typer()
    quantize.register(app)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=True)
    if isinstance(result.exception, CurateError):
        raise result.exception
    return result


def test_the_sets_recipe_gives_what_the_command_line_leaves_out(
    tiny_model: Path, tmp_path: Path, asked: list[dict[str, Any]]
) -> None:
    held = write_set(tmp_path / "set", quantize={"method": "gptq", "damping": 0.05, "batch_size": 2})
    common = ("--model", tiny_model, "--out", tmp_path / "out", "--device", "cpu")
    result = invoke(held, *common)
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert "linear layers 12 in NVFP4, 2 in FP8, 1 not quantised; W4A4, FP8 KV cache" in words
    assert "1.2 MB, 5.68 bits a parameter; made by gptq in 1.0 s" in words
    assert "reached the model: 2 rows, 20 tokens" in words
    assert f"next: curate verify {tmp_path / 'out'}" in words
    assert "warning: a doubt" in result.stdout
    invoke(held, *common, "--method", "awq-gptq", "--scheme", "W4A16", "--set", "quantize.damping=0.2")
    invoke(held, *common, "--set", "quantize.method=max", "--method", "gptq", "--trust-remote-code")
    invoke("--method", "rtn", *common)
    jobs = [call["job"] for call in asked]
    assert [(job.settings.method, job.settings.damping, job.settings.scheme) for job in jobs] == [
        ("gptq", 0.05, "W4A4"),
        ("awq-gptq", 0.2, "W4A16"),
        ("gptq", 0.05, "W4A4"),
        ("rtn", None, "W4A4"),
    ]
    assert [job.settings.batch_size for job in jobs] == [2, 2, 2, 1]
    assert [job.rows for job in jobs] == [ROWS, ROWS, ROWS, []]
    assert [call["trust_remote_code"] for call in asked] == [False, False, True, False]
    assert asked[0]["devices"] == ("cpu",)


def test_a_strangers_set_cannot_have_code_run(
    tiny_model: Path, tmp_path: Path, asked: list[dict[str, Any]]
) -> None:
    held = write_set(tmp_path / "set", trust_remote_code=True)
    invoke(held, "--model", tiny_model, "--out", tmp_path / "out", "--device", "cpu")
    assert asked[0]["trust_remote_code"] is False


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"recipe": "quantize: {method: rtn}"}, "recipe must be a mapping of keys, not 'quantize: "),
        ({"recipe": None}, "recipe must be a mapping of keys, not nothing"),
        ({"recipe": {"quantize": [1]}}, "quantize must be a mapping of keys, not a list"),
        ({"tokenizer": ["a"]}, "tokenizer must be a mapping of keys, not a list"),
        ({"tokenizer": {"ids_fingerprint": 5}}, "tokenizer.ids_fingerprint must be text, not 5"),
        ({"cut": {"pieces": "3", "tokens": 1}}, "cut.pieces must be a whole number, not '3'"),
        ({"documents": {}}, "documents must be a list, not a mapping"),
    ],
)
def test_a_manifest_of_other_types_is_told_with_file_and_key(
    tiny_model: Path, tmp_path: Path, asked: list[dict[str, Any]], changes: dict[str, Any], words: str
) -> None:
    held = write_set(tmp_path / "set")
    file = tmp_path / "set" / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    with pytest.raises(InputError, match=rf"^{file}: {re.escape(words)}"):
        invoke(held, "--model", tiny_model, "--out", tmp_path / "out")
    assert asked == []


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (("{set}", "--method", "awq"), RecipeError, "method awq does not use damping, an option of gptq"),
        (
            ("{set}", "--method", "rtn", "--set", "quantize.damping=null"),
            InputError,
            "uses no data; leave .*set out",
        ),
        (("--method", "gptq"), InputError, "method gptq needs a calibration set"),
        (
            ("{set}", "--method", "modelopt-mse", "--set", "quantize.kv_cache=fp8"),
            RecipeError,
            "does not use damping, an option of gptq.*; nor kv_cache; leave it out",
        ),
        # The set's recipe has options of max under W4A4: what matters comes first.
        (
            ("{set}", "--method", "max", "--scheme", "W4A16", "--set", "quantize.damping=null"),
            RecipeError,
            "max under W4A16 has nothing that the set could change",
        ),
        (("{set}", "--set", "size.samples=3"), RecipeError, "only quantize"),
        (("{set}", "--set", "quantize.scheme=W8A8"), RecipeError, "--set quantize.scheme=W8A8: .* W4A4 or W4A16"),
        (("{set}", "--device", "cuda:77"), InputError, "--device cuda:77: this machine has"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_done(
    tiny_model: Path,
    tmp_path: Path,
    asked: list[dict[str, Any]],
    arguments: tuple[str, ...],
    kind: type[CurateError],
    words: str,
) -> None:
    held = write_set(tmp_path / "set", quantize={"damping": 0.05})
    given = [argument.replace("{set}", held) for argument in arguments]
    with pytest.raises(kind, match=words):
        invoke(*given, "--model", tiny_model, "--out", tmp_path / "out")
    assert asked == []
    assert not (tmp_path / "out").exists()
