"""`curate heldout` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from curator._errors import InputError
from curator.cli import heldout
from curator.measure.heldout import load_prompts
from curator.tokens.tokenizer import Tokenizer
from tests.measure.profiles import profile_of


@pytest.fixture
def profile(tmp_path: Path, tiny_model: Path) -> Path:
    told = [("fwe", "en", 3000, 30), ("fwe", "en", 5000, 700), ("niah", "de", 600, 30)]
    made = profile_of(told, Tokenizer(tiny_model).ids_fingerprint)
    path = tmp_path / "profile.json"
    settings = {
        "windows": 8, "embedder": "none", "least_z": 0.0, "max_random": 0.2, "near_duplicate": 0.8,
    }  # fmt: skip
    fields = type(made.settings).model_fields
    rest: dict[str, Any] = {"window_sentences": 24, "versions": {}}
    held = made.model_dump(mode="json", exclude={"settings"})
    held["settings"] = {name: {**settings, **rest}[name] for name in fields}
    path.write_text(json.dumps(held), encoding="utf-8")
    return path


def invoke(*arguments: str | Path) -> Result:
    app = typer.Typer()
    heldout.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


def test_a_profile_is_matched_within_a_limit(profile: Path, tiny_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "h.jsonl"
    options = (
        "--from-profile",
        profile,
        "--items",
        "6",
        "--max-tokens",
        "640",
        "--model",
        tiny_model,
        "--out",
        out,
    )
    result = invoke(*options, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    prompts = load_prompts(out)
    assert [(row["cell"], row["wanted"], row["got"]) for row in told["cells"]] == [
        ("fwe/en/4096/32", 2, 2), ("fwe/en/8192/1024", 2, 2), ("niah/de/1024/32", 2, 0),
    ]  # fmt: skip
    assert [prompt.output_tokens for prompt in prompts] == [30, 30, 700, 700]
    tokenizer = Tokenizer(tiny_model)
    sizes = [tokenizer.count([prompt.messages[0].content])[0] for prompt in prompts]
    assert all(627 <= size <= 640 for size in sizes)
    notes = "\n".join(told["notes"])
    assert "2 of 3 cells (4 of 6 prompts) are shortened to 640 tokens" in notes
    assert "the model has 512 positions, prompts with their answers have up to 1,348 tokens" in notes
    assert "another tokenizer" not in notes
    assert "--max-tokens 4096 would shorten 1 of the profile's 3 items" in notes
    frozen = out.read_bytes()
    shown = invoke(*options)
    assert out.read_bytes() == frozen
    assert "missing: niah/de/1024/32: 0 of 2: no more held-out text of niah in de" in shown.stdout
    assert f"next: curate baseline --heldout {out}" in shown.stdout


def test_own_prompts_are_frozen_as_they_are_or_matched(profile: Path, tiny_model: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    rows = [{"task": "fwe", "language": "en", "question": f"{number} " * 1500, "gold": "x"} for number in range(3)]
    own.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"task": "talk", "text": "Well then."}]))
    out = tmp_path / "h.jsonl"
    told = json.loads(invoke(own, "--out", out, "--json").stdout)
    assert (told["prompts"], told["by_task"]) == (4, {"fwe": 3, "talk": 1})
    assert load_prompts(out)[0].gold == ("x",)
    profile_options = ("--from-profile", profile, "--items", "3", "--model", tiny_model)
    result = invoke(own, *profile_options, "--out", out, "--json")
    assert result.exit_code == 0, result.output
    (size,) = {Tokenizer(tiny_model).count([prompt.words()])[0] for prompt in load_prompts(own)[:3]}
    assert 2049 <= size <= 4096 or 4097 <= size <= 8192
    got = [row["got"] for row in json.loads(result.stdout)["cells"]]
    assert got == ([1, 0, 0] if size <= 4096 else [0, 1, 0])


def test_what_is_in_the_way_is_told_before_any_work(profile: Path, tmp_path: Path) -> None:
    other = tmp_path / "corpus.jsonl"
    other.write_text('{"text": "two years of work"}\n')
    error = invoke("--from-profile", profile, "--out", other).exception
    assert isinstance(error, InputError)
    assert "holds no frozen prompts" in str(error)
    error = invoke("--from-profile", other, "--out", tmp_path / "h.jsonl").exception
    assert isinstance(error, InputError)
