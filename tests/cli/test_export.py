"""`curate export`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

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


@pytest.mark.parametrize("name", TARGETS)
def test_the_lines_for_a_library_can_be_copied(
    folder: Path, name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    export(folder, name)
    printed = capfd.readouterr().out
    assert TARGETS[name].script(folder) in printed
    assert "3 rows, 18 tokens" in printed
    own = set(TARGETS[name].script(folder).splitlines())
    assert all(len(line) <= 80 for line in printed.splitlines() if line not in own)


def test_json_has_the_script_and_what_holds(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    export(folder, "modelopt", json=True)
    told = json.loads(capfd.readouterr().out)
    assert told["script"] == TARGETS["modelopt"].script(folder)
    assert told["holds"] and told["otherwise"]
    assert (told["rows"], told["tokens"], told["out"]) == (3, 18, None)


def test_a_script_is_written_once_and_over_nothing_else(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "quantise.py"
    for _ in range(2):
        export(folder, "gptqmodel", out)
    assert out.read_text() == TARGETS["gptqmodel"].script(folder)
    with pytest.raises(InputError, match=r"quantise\.py: exists and holds something else"):
        export(folder, "modelopt", out)
    assert out.read_text() == TARGETS["gptqmodel"].script(folder)
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
    assert f"-f {tmp_path / 'set.txt'} -c 6 --parse-special" in told["command"]
    assert any("BOS is written over the first token of each chunk" in line for line in told["changes"])


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
