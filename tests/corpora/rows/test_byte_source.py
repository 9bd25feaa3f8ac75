import os
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.corpora.rows.byte_source import LocalFile


def test_a_file_is_opened_at_its_start_each_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    source = LocalFile(tmp_path / "a", "a")
    for _ in range(2):
        with source.open() as handle:
            assert handle.read(2) == b"ab"


def test_what_is_no_file_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match=r"^shown: a pipe or device, not a file; save"):
            LocalFile(path, "shown").open()
    with pytest.raises(InputError, match=r"^shown: is a folder"):
        LocalFile(tmp_path, "shown").open()
    with pytest.raises(InputError, match=r"^shown: cannot be read \(No such file"):
        LocalFile(tmp_path / "none", "shown").open()
    with pytest.raises(InputError, match="no possible file name"):
        LocalFile(tmp_path / "a\0b", "a\0b").open()
