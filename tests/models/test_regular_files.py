from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.models.fingerprint import model_fingerprint
from curator.models.locate import locate_model, locate_tokenizer
from curator.models.regular_files import refuse_irregular
from curator.quantize.preflight.folder import check_folder

KINDS: dict[str, Callable[[Path], None]] = {
    "a pipe or a device": os.mkfifo,
    # Endless, where it is read.
    "a pipe or a device, which": lambda path: path.symlink_to("/dev/zero"),
    "a link that leads nowhere": lambda path: path.symlink_to("gone"),
    "a link that": lambda path: path.symlink_to(path.name),
    "a folder": Path.mkdir,
}


@pytest.mark.parametrize("words", KINDS)
@pytest.mark.parametrize("name", ["model-00001-of-00002.safetensors", "config.json", "own_code.py"])
def test_what_is_no_file_is_named_and_never_waited_for(tmp_path: Path, words: str, name: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "tokenizer.json").write_text("{}")
    # No reader opens these.
    os.mkfifo(tmp_path / "notes")
    (tmp_path / "original").mkdir()
    refuse_irregular(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    KINDS[words](tmp_path / name)
    for read in (locate_model, locate_tokenizer, model_fingerprint, check_folder):
        with pytest.raises(InputError, match=rf"^{tmp_path / name}: {words}.*; put the file itself there"):
            read(tmp_path if read in (model_fingerprint, check_folder) else str(tmp_path))


def test_what_is_no_folder_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").mkdir()
    os.mkfifo("a/pipe")
    Path("a/link").symlink_to("gone")
    # Not taken for a hub id.
    for name in ("a/pipe", "a/link"):
        with pytest.raises(InputError, match=f"^model {name}: no folder"):
            locate_model(name)
