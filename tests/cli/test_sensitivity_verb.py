"""`curate sensitivity` and `curate mix`, from the command line to the recipe's fragment."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from curator._errors import InputError
from curator.adapters.stored_set import set_sha256
from curator.cli import mix, sensitivity

TEXT = "The ferry leaves the harbour at noon and comes back before the tide turns, every day but one. "


@pytest.fixture(scope="module")
def folder(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verb")
    rows = [[(5 * i + 7 * j) % 290 + 2 for j in range(30)] for i in range(3)]
    (folder / "set").mkdir()
    lines = [json.dumps({"input_ids": row}) + "\n" for row in rows]
    (folder / "set" / "samples.jsonl").write_text("".join(lines))
    (folder / "set" / "manifest.json").write_text(json.dumps({"set_hash": set_sha256(rows)}))
    prompts = [
        {"id": f"p{i}", "task": ("prose", "code")[i % 2], "corpus": "c", "unit": "u", "language": "en"}
        | {"licence": "MIT", "text": TEXT[i : i + 30]}
        for i in range(8)
    ]
    (folder / "heldout.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    return folder


@pytest.fixture
def run(folder: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(folder)
    app = typer.Typer()
    sensitivity.register(app)
    mix.register(app)

    def call(*arguments: str) -> str:
        found = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100"}, catch_exceptions=True)
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return found.stdout

    return call


def test_from_a_set_to_a_recipe(run: Callable[..., str], folder: Path, tiny_model: Path) -> None:
    common = ("--model", str(tiny_model), "--by", "pattern", "--prompts", "4", "--tokens", "6")
    printed = run("sensitivity", "set", *common, "--heldout", "heldout.jsonl", "--out", "first")
    assert "4 prompts" in printed
    assert re.search(r"all 4 parts in NVFP4: 0\.\d+ \[.*\]; the parts' own KL adds up to 0\.\d+", printed)
    assert re.search(r"^mlp\.down_proj +0\.\d+ ± \S+ +0\.\d+ ± \S+ +16,384$", printed, re.MULTILINE)
    assert "next: curate mix first/sensitivity.json --bits 5 --out first-mix" in printed
    # The windows of a baseline that is there already are the same windows.
    again = json.loads(
        run("sensitivity", "set", *common, "--baseline", "first/baseline", "--out", "again", "--json")
    )
    first = json.loads((folder / "first" / "sensitivity.json").read_text())
    assert again["parts"] == first["parts"]

    chosen = run("mix", "first", "--bits", "6", "--out", "mix")
    assert re.search(r"random mix, mean of 3 +\d\.\d+", chosen)
    assert "for the recipe: mix/recipe.yaml" in chosen
    document = json.loads((folder / "mix" / "mix.json").read_text())
    assert document["bits"] <= 6
    assert {arm["name"] for arm in document["arms"]} == {"mix", "uniform NVFP4", "random mix"}
    # A second call measures nothing anew, and says the same.
    assert json.loads(run("mix", "first", "--bits", "6", "--out", "mix", "--json")) == document


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sensitivity", "--out", "o"], "W4A4 needs activation scales: give a set folder"),
        (["sensitivity", "set", "--out", "o", "--formats", "int4"], "--formats 'int4': give nvfp4 or nvfp4,fp8"),
        (
            ["sensitivity", "set", "--out", "o", "--heldout", "a", "--baseline", "b"],
            "either --heldout or --baseline",
        ),
        (["sensitivity", "nowhere", "--out", "o"], "nowhere: no set folder"),
        (["mix", "nowhere.json", "--out", "o", "--bits", "5"], r"nowhere\.json: no such file"),
        (["mix", "nowhere.json", "--out", "o"], "give either --bits or --size-gb"),
        (
            ["mix", "nowhere.json", "--out", "o", "--bits", "5", "--size-gb", "1"],
            "give either --bits or --size-gb",
        ),
        (["mix", "nowhere.json", "--out", "o", "--bits", "nan"], "--bits nan: give a number above 0"),
    ],
)
def test_bad_input_is_one_line(run: Callable[..., str], arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        run(*arguments)
    assert "\n" not in str(error.value)
