"""`curate inspect` on set folders that are whole, old, foreign and damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from toy_tokenizers import save_tokenizer
from typer.testing import CliRunner, Result

from curator._errors import CurateError, InputError, RefusedError
from curator.adapters.stored_set import set_sha256
from curator.cli import inspect
from curator.tokens.tokenizer import Tokenizer

ABOUT = {"task": "prose", "language": "en", "source": "s", "licence": "MIT"}


def write_set(folder: Path, model: Path, **more: Any) -> Path:
    """A set of two samples by hand: its manifest holds only what is needed."""
    tokenizer = Tokenizer(model)
    one, two = tokenizer.encode("Low tide. "), tokenizer.encode("x <|end|> y" * 20)
    rows = [[*one, 1], two]
    parts = [[("d1", 0, len(rows[0]))], [("d2", 0, 50), ("d3", 50, len(two))]]
    samples = [
        {
            "id": f"toy/0/{number}",
            "input_ids": row,
            "parts": [
                {
                    "id": name,
                    "task": "prose",
                    "language": "en",
                    "source": "s",
                    "licence": "MIT",
                    "start": a,
                    "end": b,
                }
                for name, a, b in parts[number]
            ],
        }
        for number, row in enumerate(rows)
    ]
    manifest = {
        "name": "toy",
        "set_hash": set_sha256(rows),
        "tokenizer": {"fingerprint": tokenizer.fingerprint, "size": tokenizer.size},
        "asked": {"prose": 1.0},
        "recipe": {"model": str(model)},
        **more,
    }
    folder.mkdir()
    (folder / "samples.jsonl").write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture
def made(tmp_path: Path, tiny_model: Path) -> Path:
    return write_set(tmp_path / "set", tiny_model)


def invoke(*arguments: str | Path) -> Result:
    app = typer.Typer()
    inspect.register(app)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fault(*arguments: str | Path) -> CurateError:
    error = invoke(*arguments).exception
    assert isinstance(error, CurateError), error
    assert "\n" not in str(error)
    return error


def test_the_summary_needs_no_tokenizer(tmp_path: Path, tiny_model: Path) -> None:
    folder = write_set(tmp_path / "set", tiny_model, recipe={"model": "nowhere/at-all"})
    result = invoke(folder)
    assert result.exit_code == 0, result.output
    assert "Calibration set toy" in result.stdout
    assert "counted with --tokens" in result.stdout
    # Without --tokens no token is shown.
    assert "¦" not in result.stdout


def test_tokens_are_shown_as_the_model_sees_them(made: Path) -> None:
    result = invoke(made, "--tokens")
    assert result.exit_code == 0, result.output
    assert "sample 0, " in result.stdout
    assert "── d2: prose, s, en, MIT, tokens 0-49" in result.stdout
    # The separator is a control token, the text that looks like it is not.
    assert result.stdout.count("⟦<|end|>⟧") == 1
    assert "tokens not shown" in result.stdout


def test_one_sample_is_shown_whole(made: Path) -> None:
    result = invoke(made, "--sample", "1")
    assert result.exit_code == 0, result.output
    assert "tokens not shown" not in result.stdout
    assert "sample 0" not in result.stdout
    error = fault(made, "--sample", "2")
    assert str(error).endswith("has samples 0 to 1, not 2")


def test_json_holds_the_summary_and_the_tokens(made: Path) -> None:
    found = json.loads(invoke(made, "--json", "--sample", "0").stdout)
    tokens = found["views"][0]["documents"][0]["tokens"]
    assert "".join(token["text"] for token in tokens) == "Low tide. <|end|>"
    assert tokens[-1] == {"id": 1, "text": "<|end|>", "kind": "end"}
    assert [(entry["text"], entry["count"]) for entry in found["control_tokens"]] == [
        ("<|end|>", 1),
        ("<|start|>", 0),
    ]
    plain = json.loads(invoke(made, "--json").stdout)
    assert (plain["views"], plain["control_tokens"], plain["samples"]) == ([], None, 2)


def test_html_is_written_beside_what_is_printed(made: Path, tmp_path: Path) -> None:
    result = invoke(made, "--tokens", "--html", tmp_path / "out" / "set.html")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "out" / "set.html").read_text()
    assert text.startswith("<!doctype html>")
    assert text.count("<details") == 2
    assert isinstance(fault(made, "--html", tmp_path), InputError)


def test_another_tokenizer_is_refused(made: Path, tmp_path: Path) -> None:
    other = save_tokenizer(tmp_path / "other")
    (other / "config.json").write_text("{}")
    error = fault(made, "--tokens", "--model", other)
    assert isinstance(error, RefusedError)
    assert error.exit_code == 3
    assert "another tokenizer" in str(error)
    assert "--model" in str(error)
    # Not asked for, not loaded.
    assert invoke(made, "--model", other).exit_code == 0


def test_another_chat_template_over_the_same_ids_is_no_matter(tmp_path: Path) -> None:
    model = save_tokenizer(tmp_path / "model")
    (model / "config.json").write_text("{}")
    ids = Tokenizer(model).ids_fingerprint
    stored = {"fingerprint": "of another template", "ids_fingerprint": ids}
    folder = write_set(tmp_path / "set", model, tokenizer=stored)
    assert invoke(folder, "--tokens").exit_code == 0


def test_what_is_no_set_folder_is_told(tmp_path: Path, tiny_model: Path) -> None:
    for folder in (tmp_path, tmp_path / "none", tiny_model):
        assert "no set folder" in str(fault(folder))
    file = tmp_path / "file"
    file.write_text("x")
    assert "no set folder" in str(fault(file))


@pytest.mark.parametrize(
    ("parts", "sound"),
    [
        ([{"id": "d", "start": 0, "end": 3}], True),
        ([{"id": "d", "start": 1, "end": 2}, {"id": "e", "start": 2, "end": 3}], True),
        ([{"id": "d", "start": 0, "end": 2}], False),
        ([{"id": "d", "start": 0, "end": 4}], False),
        ([{"id": "d", "start": 0, "end": 1}, {"id": "e", "start": 2, "end": 3}], False),
        ([{"id": "d", "start": -1, "end": 3}], False),
        ([{"id": "d", "start": 0, "end": 3.0}], False),
        ([{"id": 7, "start": 0, "end": 3}], False),
        ([{"start": 0, "end": 3}], False),
        (["d"], False),
        ([], False),
        (None, False),
    ],
)
def test_damaged_parts_are_told_with_their_line(made: Path, parts: Any, sound: bool) -> None:
    ids = [5, 6, 7]
    manifest = json.loads((made / "manifest.json").read_text())
    (made / "manifest.json").write_text(json.dumps({**manifest, "set_hash": set_sha256([ids])}))
    (made / "samples.jsonl").write_text(json.dumps({"id": "x", "input_ids": ids, "parts": parts}) + "\n")
    if sound:
        assert invoke(made).exit_code == 0
    else:
        assert "samples.jsonl:1: parts must lie end to end" in str(fault(made))


def test_a_set_changed_by_hand_or_cut_short_is_told(made: Path) -> None:
    whole = (made / "samples.jsonl").read_text()
    (made / "samples.jsonl").write_text(whole.splitlines()[0] + "\n")
    assert "does not match manifest.json's set_hash" in str(fault(made))
    (made / "samples.jsonl").write_text(whole[:-20])
    assert "samples.jsonl:2: not JSON" in str(fault(made))
    (made / "samples.jsonl").write_text(whole)
    for content in ("[]", "{", "{}"):
        (made / "manifest.json").write_text(content)
        assert "manifest.json" in str(fault(made))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("asked", {"prose": "half"}),
        ("asked", [1]),
        ("documents", [5]),
        ("documents", [{"id": "d", "cut_tokens": "x"}]),
        ("warnings", "short"),
        ("policy", ["eos"]),
        ("cut", {"pieces": None}),
        ("encoding_notes", 3),
        ("tokenizer", "x"),
        ("tokenizer", None),
        ("recipe", {"model": 5}),
        ("recipe", "my recipe"),
        # What looks like a number is none, and what no report can hold is no count.
        ("cut", {"pieces": "3", "tokens": 1}),
        ("cut", {"pieces": 3.0, "tokens": 1}),
        ("cut", {"pieces": True, "tokens": 1}),
        ("documents", [{"id": "d", "cut_tokens": -1}]),
        ("name", ["toy"]),
        ("draw", "0"),
        ("documents", None),
        ("warnings", [None]),
    ],
)
def test_a_manifest_of_other_types_is_told_with_its_key(made: Path, key: str, value: Any) -> None:
    manifest = json.loads((made / "manifest.json").read_text())
    (made / "manifest.json").write_text(json.dumps({**manifest, key: value}))
    told = str(fault(made, "--tokens"))
    assert f"manifest.json: {key}" in told
    assert told.endswith("; build the set again")


@pytest.mark.parametrize("number", ["1e999", f"1{'0' * 400}"])
def test_a_number_that_no_report_can_hold_is_told(made: Path, number: str) -> None:
    manifest = json.loads((made / "manifest.json").read_text())
    (made / "manifest.json").write_text(
        json.dumps({**manifest, "asked": {"prose": 0}}).replace('"prose": 0}', f'"prose": {number}}}')
    )
    told = str(fault(made, "--tokens"))
    assert "manifest.json: not JSON (1" in told
    assert told.endswith("is too large a number)")


def test_a_set_without_samples_is_told(made: Path) -> None:
    manifest = json.loads((made / "manifest.json").read_text())
    (made / "manifest.json").write_text(json.dumps({**manifest, "set_hash": set_sha256([])}))
    (made / "samples.jsonl").write_text("")
    assert "no samples" in str(fault(made))


def test_html_is_written_over_our_own_pages_only(made: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    for _ in range(2):
        assert invoke(made, "--html", page).exit_code == 0
    recipe = tmp_path / "recipe.yaml"
    for text in ("name: mine\n", "", "<!doctype html>\n<p>mine"):
        recipe.write_text(text)
        assert "recipe.yaml: exists and holds something else" in str(fault(made, "--html", recipe))
        assert recipe.read_text() == text
    assert "is a folder or a device" in str(fault(made, "--html", Path("/dev/null")))
    assert Path("/dev/null").is_char_device()


def test_nothing_is_written_into_a_set(made: Path, tmp_path: Path, tiny_model: Path) -> None:
    before = {path: path.read_bytes() for path in made.iterdir()}
    other = write_set(tmp_path / "other", tiny_model)
    (tmp_path / "link").symlink_to(made)
    for place in (
        made / "manifest.json",
        made / "new.html",
        made / "deep" / "new.html",
        tmp_path / "link" / "new.html",
        other / "report.html",
    ):
        assert "lies in a set's folder" in str(fault(made, "--html", place))
    assert {path: path.read_bytes() for path in made.iterdir()} == before
