"""`curate export`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from toy_tokenizers import save_tokenizer

from curator._errors import InputError, RefusedError
from curator.adapters.stored_set import set_sha256
from curator.adapters.targets import TARGETS
from curator.cli.export import export
from curator.tokens.tokenizer import Tokenizer

TEXTS = ["ab cd", "ef gh", "ij kl"]


def model_folder(folder: Path, merges: Sequence[tuple[str, str]] = ()) -> Path:
    """As much of a model as its tokenizer needs."""
    save_tokenizer(folder, merges=merges)
    (folder / "config.json").write_text("{}")
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return model_folder(tmp_path / "model")


@pytest.fixture
def folder(tmp_path: Path, model: Path) -> Path:
    """A set of three rows of BOS and five letters."""
    tokenizer = Tokenizer(model)
    rows = [[*tokenizer.sequence_start(), *tokenizer.encode(text)] for text in TEXTS]
    (tmp_path / "set").mkdir()
    lines = [json.dumps({"input_ids": row, "text": tokenizer.decode(row)}) + "\n" for row in rows]
    (tmp_path / "set" / "samples.jsonl").write_text("".join(lines))
    facts = {"set_hash": set_sha256(rows), "tokenizer": {"ids_fingerprint": tokenizer.ids_fingerprint}}
    (tmp_path / "set" / "manifest.json").write_text(json.dumps(facts))
    return tmp_path / "set"


def ids_of(model: Path) -> str:
    return Tokenizer(model).ids_fingerprint[:12]


def script(folder: Path, model: Path, name: str) -> str:
    """The lines when no model is named."""
    return TARGETS[name].script(folder, note=f"MODEL: one with the set's tokenizer (ids {ids_of(model)})")


@pytest.mark.parametrize("name", TARGETS)
def test_the_lines_for_a_library_can_be_copied(
    folder: Path, model: Path, name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    export(folder, name)
    printed = capfd.readouterr().out
    assert script(folder, model, name) in printed
    assert f"writes: {TARGETS[name].writes}"[:60] in printed
    assert "3 rows, 18 tokens" in printed
    own = set(script(folder, model, name).splitlines())
    assert all(len(line) <= 80 for line in printed.splitlines() if line not in own)


def test_json_has_the_script_and_what_holds(folder: Path, model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    export(folder, "modelopt", json=True)
    told = json.loads(capfd.readouterr().out)
    assert told["script"] == script(folder, model, "modelopt")
    assert told["holds"] and told["otherwise"]
    assert (told["rows"], told["tokens"], told["out"], told["model"]) == (3, 18, None, None)


def test_only_the_lines_for_gptqmodel_write_no_nvfp4() -> None:
    assert [name for name, target in TARGETS.items() if not target.writes.startswith("NVFP4")] == ["gptqmodel"]
    assert TARGETS["gptqmodel"].writes.startswith("INT4 weights in groups of 128, not NVFP4")
    assert "group_size=128" in TARGETS["gptqmodel"].script(Path("set"))


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ({"model": "org/one"}, "org/one"),
        ({"model": "two words", "recipe": {"model": "three"}}, "two words"),
        ({"recipe": {"model": "three"}}, "three"),
        ({"model": "a\nimport os"}, r'"a\nimport os"'),
    ],
)
def test_the_lines_name_the_model_that_made_the_set(
    folder: Path, model: Path, told: dict[str, Any], name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    facts = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**facts, **told}))
    export(folder, "modelopt", json=True)
    lines = json.loads(capfd.readouterr().out)["script"].splitlines()
    assert lines[0] == f"# MODEL: {name}, whose tokenizer made the set (ids {ids_of(model)})"
    assert '    "MODEL", dtype="auto", device_map="auto"' in lines


@pytest.mark.parametrize("damage", [{"model": 3}, {"recipe": []}, {"recipe": {"model": None}}, {"tokenizer": "x"}])
def test_a_set_that_does_not_name_its_model_is_still_exported(
    folder: Path, damage: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    facts = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**facts, **damage}))
    export(folder, "auto-round")
    assert "# MODEL: one with the set's tokenizer" in capfd.readouterr().out


def test_a_named_model_is_compared_and_filled_in(
    folder: Path, model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in TARGETS:
        export(folder, name, model=str(model), json=True)
        told = json.loads(capfd.readouterr().out)
        assert told["script"] == TARGETS[name].script(folder, str(model))
        assert told["model"] == str(model)
        assert json.dumps(str(model)) in told["script"] and "MODEL" not in told["script"]
    other = model_folder(tmp_path / "other", merges=[("a", "b")])
    with pytest.raises(RefusedError, match=rf"other has another tokenizer than the set .*set {ids_of(model)}\)"):
        export(folder, "modelopt", tmp_path / "x.py", str(other))
    assert not (tmp_path / "x.py").exists()


def test_a_script_is_written_once_and_over_nothing_else(folder: Path, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "quantise.py"
    for _ in range(2):
        export(folder, "gptqmodel", out)
    assert out.read_text() == script(folder, model, "gptqmodel")
    with pytest.raises(InputError, match=r"quantise\.py: exists and holds something else"):
        export(folder, "modelopt", out)
    assert out.read_text() == script(folder, model, "gptqmodel")
    for no_file in (tmp_path, Path("/dev/null")):
        with pytest.raises(InputError, match="is a folder or a device"):
            export(folder, "modelopt", no_file)


def test_text_for_imatrix_arrives_whole(
    folder: Path, model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    export(folder, "imatrix", tmp_path / "set.txt", str(model), json=True)
    told = json.loads(capfd.readouterr().out)
    assert (tmp_path / "set.txt").read_text() == "ab cd<s>ef gh<s>ij kl\n"
    assert (told["rows_that_arrive_whole"], told["rows_with_the_same_ids"], told["rows"]) == (3, 3, 3)
    assert (told["context"], told["dropped_tokens"]) == (6, 0)
    assert f"-f {tmp_path / 'set.txt'} -c 6 --parse-special" in told["command"]
    assert any("BOS is written over the first token of each chunk" in line for line in told["changes"])


def test_a_folder_with_a_tokenizer_alone_is_enough(
    folder: Path, model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (model / "config.json").unlink()
    export(folder, "imatrix", tmp_path / "set.txt", str(model), json=True)
    assert json.loads(capfd.readouterr().out)["rows_with_the_same_ids"] == 3
    export(folder, "modelopt", None, str(model))
    assert str(model) in capfd.readouterr().out


def test_another_tokenizer_is_refused(folder: Path, tmp_path: Path) -> None:
    other = model_folder(tmp_path / "other", merges=[("a", "b")])
    with pytest.raises(RefusedError, match="another tokenizer than the set"):
        export(folder, "imatrix", tmp_path / "set.txt", str(other))
    assert not (tmp_path / "set.txt").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("autoround", "did you mean auto-round"),
        ("GPTQModel", "did you mean gptqmodel"),
        ("llm_compressor", "did you mean llm-compressor"),
        ("vllm-xyz", "choose one of llm-compressor, modelopt, gptqmodel, auto-round, imatrix"),
        ("imatrix", "needs --out FILE"),
    ],
)
def test_an_unknown_target_is_told_the_nearest(folder: Path, name: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        export(folder, name)


def test_a_changed_set_is_not_handed_over(folder: Path) -> None:
    lines = (folder / "samples.jsonl").read_text().splitlines(keepends=True)
    (folder / "samples.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(InputError, match="set_hash"):
        export(folder, "modelopt")
