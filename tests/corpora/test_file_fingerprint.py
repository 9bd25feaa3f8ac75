from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.corpora import fingerprint
from curator.corpora.fingerprint import content_id


def test_a_file_is_known_by_its_sha256(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc" * 1000)
    assert content_id(tmp_path / "a") == hashlib.sha256(b"abc" * 1000).hexdigest()


def test_a_large_file_is_known_by_its_length_and_blocks_from_its_first_to_its_last_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "WHOLE", 100)
    monkeypatch.setattr(fingerprint, "BLOCKS", 3)
    monkeypatch.setattr(fingerprint, "BLOCK", 4)
    content = bytes(range(200))
    (tmp_path / "a").write_bytes(content)
    read = (200).to_bytes(8, "big") + content[:4] + content[98:102] + content[196:]
    assert content_id(tmp_path / "a") == f"sampled-sha256:{hashlib.sha256(read).hexdigest()}"
    for at, seen in ((0, True), (99, True), (199, True), (50, False)):
        (tmp_path / "b").write_bytes(content[:at] + b"x" + content[at + 1 :])
        assert (content_id(tmp_path / "b") != content_id(tmp_path / "a")) == seen, at


def test_no_file_has_no_fingerprint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        content_id(tmp_path / "none")
