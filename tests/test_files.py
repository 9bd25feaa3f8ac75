"""Files and folders come whole or not at all; a full disk is one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator import _files
from curator._errors import DependencyError, InputError
from curator._files import (
    atomic_folder,
    atomic_write,
    dump_json,
    file_sha256,
    json_sha256,
    read_json,
    write_json,
    write_jsonl,
    write_text,
)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_written_with_the_users_rights_and_in_new_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "x.txt"
    write_text(path, "höhe\n")
    assert path.read_bytes() == "höhe\n".encode()
    umask = os.umask(0o027)
    try:
        write_text(path, "two")
        assert path.stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(umask)
    assert names(path.parent) == ["x.txt"]


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyboardInterrupt(), FileNotFoundError(2, "gone", "input.txt")]
)
def test_a_body_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(type(error)) as caught, atomic_write(path) as handle:
        handle.write(b"half")
        raise error
    # An input that is missing is not a disk that is full.
    assert caught.value is error
    assert path.read_text() == "old"
    assert names(tmp_path) == ["x.txt"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), PermissionError(13, "no", "/input.txt")])
def test_a_folder_whose_body_fails_stays_as_it_was(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "set"
    path.mkdir()
    (path / "old.txt").write_text("old")
    with pytest.raises(type(error)) as caught, atomic_folder(path) as new:
        (new / "new.txt").write_text("half")
        raise error
    assert caught.value is error
    assert names(path) == ["old.txt"]
    assert names(tmp_path) == ["set"]


def test_a_full_disk_names_what_was_asked_for_and_no_place_of_ours(tmp_path: Path) -> None:
    no_room = OSError(28, "No space left on device")
    with (
        pytest.raises(DependencyError) as caught,
        atomic_folder(tmp_path / "set") as new,
        atomic_write(new / "samples.jsonl"),
    ):
        raise no_room
    refused = "cannot be written (No space left on device); free space or choose another folder"
    assert str(caught.value) == f"{tmp_path}/set/samples.jsonl: {refused}"
    assert caught.value.__cause__ is no_room
    with pytest.raises(DependencyError) as caught, atomic_folder(tmp_path / "set"):
        raise DependencyError("the server at http://h: gone")
    assert str(caught.value) == "the server at http://h: gone"
    assert names(tmp_path) == []


def test_a_folder_replaces_the_old_one_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "set"
    for name in ("one.txt", "two.txt"):
        with atomic_folder(path) as new:
            (new / name).write_text(name)
            assert new.parent == tmp_path
    assert names(path) == ["two.txt"]
    assert names(tmp_path) == ["set"]
    assert path.stat().st_mode & 0o777 == 0o777 & ~_files._umask()


def test_a_failed_exchange_brings_the_old_folder_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "set"
    path.mkdir()
    (path / "old.txt").write_text("old")
    replace = os.replace

    def refuse(source: Any, target: Any) -> None:
        if str(source).endswith(".tmp"):
            raise OSError(5, "Input/output error", str(source))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(DependencyError, match="set: cannot be written"), atomic_folder(path) as new:
        (new / "new.txt").write_text("new")
    assert names(path) == ["old.txt"]
    assert names(tmp_path) == ["set"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for attempt in (lambda path: write_text(path, "x"), lambda path: atomic_folder(path).__enter__()):
        with pytest.raises(DependencyError, match="file/x: cannot be written"):
            attempt(tmp_path / "file" / "x")


def test_names_of_full_length_can_be_written(tmp_path: Path) -> None:
    write_text(tmp_path / ("é" * 127), "x")
    with atomic_folder(tmp_path / ("d" * 255)):
        pass
    assert names(tmp_path) == ["d" * 255, "é" * 127]


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = "import os, resource, signal, sys\nfrom pathlib import Path\nfrom curator._errors import *\n"
    program += "from curator._files import *\nfolder = Path(sys.argv[1])\n" + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=False, timeout=60
    )


FULL = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    {attempt}
except DependencyError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "attempt",
    [
        "write_text(folder / 'x.txt', 'new' * 1000000)",
        "write_jsonl(folder / 'x.txt', ({'n': n} for n in range(100000)))",
        # Only closing writes: what fails is the flush.
        "write_text(folder / 'x.txt', 'n' * 5000)",
    ],
)
def test_a_full_disk_is_one_line_and_keeps_the_old_file(tmp_path: Path, attempt: str) -> None:
    (tmp_path / "x.txt").write_text("old")
    done = run(FULL.format(attempt=attempt), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"{tmp_path / 'x.txt'}: cannot be written (File too large); free space or choose another folder\n"
    )
    assert (tmp_path / "x.txt").read_text() == "old"
    assert names(tmp_path) == ["x.txt"]


def test_a_full_disk_keeps_the_old_folder(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "old.txt").write_text("old")
    attempt = """
    with atomic_folder(folder / 'set') as new:
        (new / 'big').write_bytes(b'x' * 100000)
"""
    done = run(FULL.format(attempt=attempt.strip()), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("set: cannot be written (File too large); free space or choose another folder\n")
    assert names(tmp_path / "set") == ["old.txt"]
    assert names(tmp_path) == ["set"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_process_leaves_the_old_content(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "x.txt").write_text("old")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "old.txt").write_text("old")
    code = f"""
    with atomic_folder(folder / "set") as new, atomic_write(folder / "x.txt") as handle:
        (new / "new.txt").write_text("half")
        handle.write(b"half")
        handle.flush()
        os.kill(os.getpid(), {int(number)})
        signal.pause()
    """
    assert run(code, tmp_path).returncode != 0
    assert (tmp_path / "x.txt").read_text() == "old"
    assert names(tmp_path / "set") == ["old.txt"]
    if number == signal.SIGINT:
        assert names(tmp_path) == ["set", "x.txt"]


def test_json_is_strict_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_json(path, {"b": [1, 2.5, None], "a": "模"})
    assert path.read_text(encoding="utf-8") == dump_json({"b": [1, 2.5, None], "a": "模"})
    assert list(read_json(path)) == ["b", "a"]
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, {"a": float("nan")})
    assert read_json(path)["a"] == "模"
    path.write_text('{"a": NaN}')
    with pytest.raises(InputError, match=r"x\.json: not JSON \(NaN is no JSON number\)"):
        read_json(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1,\n"b": }', r"x\.json:2: not JSON"),
        (b'{"a": "\xe9"}', r"x\.json: not UTF-8 at byte 7"),
        (b"[" * 100_000, r"x\.json: not usable JSON \(nested too deeply\)"),
        (b"", r"x\.json:1: not JSON"),
    ],
)
def test_what_is_no_json_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_json(path)


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_json(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_json(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    for endless in (tmp_path / "pipe.json", Path("/dev/zero")):
        with pytest.raises(InputError, match="not a regular file"):
            read_json(endless)


def test_json_lines_are_one_object_a_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_jsonl(path, iter([{"t": "a\nb\u2028"}, {"t": "é"}]))
    assert path.read_bytes() == '{"t": "a\\nb\u2028"}\n{"t": "é"}\n'.encode()

    def rows() -> Iterator[dict[str, Any]]:
        yield {"t": 1}
        yield {"t": float("inf")}

    with pytest.raises(ValueError, match="JSON compliant"):
        write_jsonl(path, rows())
    assert [json.loads(line)["t"] for line in path.read_bytes().splitlines()] == ["a\nb\u2028", "é"]


def test_hashes_are_those_of_the_standard(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    # FIPS 180-2, appendix B.1.
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file_sha256(path) == abc
    assert json_sha256({"b": 1, "a": [2]}) == json_sha256({"a": [2], "b": 1})
    path.write_bytes(b'{"a":[2],"b":1}')
    assert json_sha256({"b": 1, "a": [2]}) == file_sha256(path)


@pytest.mark.parametrize("text", ["1e999", "-1e999", "9" * 301, r'"\ud800"', r'{"\udfff": 1}'])
def test_json_that_could_not_be_written_again_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(f"[{text}]")
    with pytest.raises(InputError, match=r"x\.json: not JSON \(.*(too large a number|half a character)\)"):
        read_json(tmp_path / "x.json")


def test_large_numbers_and_pairs_of_escapes_are_json(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(r'[1e308, 1000000000000000019884624838656, "\ud83d\ude00"]')
    assert read_json(tmp_path / "x.json") == [1e308, 1000000000000000019884624838656, "😀"]


def test_the_hash_of_a_pipe_is_refused_by_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: not a regular file"):
        file_sha256(tmp_path / "pipe")
    with pytest.raises(InputError, match="missing: no such file"):
        file_sha256(tmp_path / "missing")
