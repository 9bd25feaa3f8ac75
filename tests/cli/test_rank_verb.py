"""`curate rank`: how much is measured, by which methods, and what --plan prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_runs import loaded
from typer.testing import CliRunner

from curator._errors import InputError
from curator.cli.app import app
from curator.cli.rank import _without_draws
from curator.cli.rank_options import Amount, drawn_amount, quantize_settings_of


def test_draws_looks_and_budget_each_say_how_much() -> None:
    assert drawn_amount(None, None, None) == Amount(1)
    assert drawn_amount(5, None, None) == Amount(5)
    assert drawn_amount(None, "5, 8,12", None) == Amount(12, (5, 8, 12))
    assert drawn_amount(None, None, "90m") == Amount(1, (), 5400.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((5, "5,8", None), "--draws and --looks both say"),
        ((None, "5,8", "2h"), "--looks and --budget both say"),
        ((None, "5,x", None), "give numbers of draws"),
        ((None, "٥", None), "give numbers of draws"),
        ((None, "", None), "give numbers of draws"),
        ((None, "5,99999", None), "at most 10000 draws"),
        ((None, None, "soon"), "no length of time"),
    ],
)
def test_what_cannot_be_is_refused(given: tuple[int | None, str | None, str | None], words: str) -> None:
    with pytest.raises(InputError, match=words):
        drawn_amount(*given)


def test_methods_take_the_recipes_options(tmp_path: Path) -> None:
    recipe = loaded(tmp_path, "a")
    assert [one.method for one in quantize_settings_of([recipe], None)] == ["gptq"]
    assert [one.method for one in quantize_settings_of([recipe], "awq, gptq")] == ["awq", "gptq"]
    with pytest.raises(InputError, match="'gptqq': no such method; did you mean gptq"):
        quantize_settings_of([recipe], "awq,gptqq")


def test_the_next_command_gives_its_draws_once() -> None:
    for typed in ("curate rank a.yaml 'b c' --draws 2 --out x", "curate rank a.yaml 'b c' --out x --draws=2"):
        assert _without_draws(typed) == "curate rank a.yaml 'b c' --out x"
    assert _without_draws("curate rank a.yaml --null none") == "curate rank a.yaml --null none"


def test_plan_prints_one_json_object_and_touches_nothing(tmp_path: Path, tiny_model: Path) -> None:
    files = [str(loaded(tmp_path, name).path) for name in ("a", "b")]
    command = ["rank", *files, "--model", str(tiny_model), "--out", str(tmp_path / "out"), "--per-task", "3"]
    result = CliRunner().invoke(app, [*command, "--method", "gptq,awq", "--looks", "5,8", "--plan", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [arm["name"] for arm in told["arms"] if arm["kind"] == "user"] == [
        "a (gptq)",
        "b (gptq)",
        "a (awq)",
        "b (awq)",
    ]
    assert told["prompts"] == {"prose": 3, "code": 3, "qa": 3}
    assert not (tmp_path / "out").exists()
    refused = {
        ("--looks", "2,5"): "not known below 3",
        ("--looks", "5,5"): "ascending",
        ("--looks", "0"): "ascending",
        ("--method", "gptq,gptq"): "method gptq is given twice",
    }
    for options, words in refused.items():
        result = CliRunner().invoke(app, [*command, *options])
        assert isinstance(result.exception, InputError) and words in str(result.exception)
    for option in ("--looks", "--method", "--budget"):
        result = CliRunner().invoke(app, [*command, option, "9" * 5000])
        assert isinstance(result.exception, InputError) and len(str(result.exception)) < 500
    for option in ("--tokens", "--batch-size", "--per-task", "--draws"):
        result = CliRunner().invoke(app, [*command, option, "9" * 12, "--plan"])
        assert result.exit_code == 2 and option in result.output
    assert not (tmp_path / "out").exists()
