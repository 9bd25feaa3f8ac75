"""Only what is ours is replaced, and what a killed process left goes with the next run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from curator._errors import DependencyError, InputError
from curator._files import STEM, atomic_folder, write_text
from curator._lock import folder_lock, output_lock, sweep_temporaries
from curator._outputs import Ours, drop_damaged, refuse_foreign, refuse_foreign_file

OURS = Ours("a thing", "thing.json", "hash", ("thing.json", "part-*.bin"))


def thing(folder: Path, marker: str = '{"hash": 1}') -> Path:
    folder.mkdir()
    (folder / "thing.json").write_text(marker)
    (folder / "part-1.bin").write_text("x")
    return folder


def test_missing_empty_and_ours_may_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for out in (tmp_path / "missing" / "deep", tmp_path / "empty", thing(tmp_path / "ours")):
        refuse_foreign(out, OURS)
    assert not (tmp_path / "missing").exists()


def test_a_run_killed_before_its_marker_can_be_started_again(tmp_path: Path) -> None:
    held = Ours("a thing", "thing.json", "hash", ("thing.json", "part-*.bin", ".lock"))
    for name in (".lock", f"{STEM}1.thing.json.x.tmp"):
        (tmp_path / name).write_text("")
        refuse_foreign(tmp_path, held)
    with pytest.raises(InputError, match=r"holds \.lock, which is not of a thing"):
        refuse_foreign(tmp_path, OURS)
    (tmp_path / "part-1.bin").write_text("x")
    with pytest.raises(InputError, match="exists and is not a thing"):
        refuse_foreign(tmp_path, held)


@pytest.mark.parametrize("marker", ["[]", "{}", '{"other": 1}'])
def test_a_marker_of_something_else_does_not_count(tmp_path: Path, marker: str) -> None:
    with pytest.raises(InputError, match="is not a thing"):
        refuse_foreign(thing(tmp_path / "t", marker), OURS)


@pytest.mark.parametrize("marker", ["", '{"hash": 1', "\x00\x00"])
def test_a_damaged_marker_is_named_with_what_to_do(tmp_path: Path, marker: str) -> None:
    words = r"thing\.json:1: not JSON .*; without it .*/t: restore the file from a copy, or remove the folder"
    with pytest.raises(InputError, match=words):
        refuse_foreign(thing(tmp_path / "t", marker), OURS)


def test_one_strange_file_is_enough(tmp_path: Path) -> None:
    folder = thing(tmp_path / "t")
    (folder / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"holds thesis\.tex"):
        refuse_foreign(folder, OURS)


def test_files_current_and_enclosing_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for out in ("../file", "../file/under", ".", "..", "../here"):
        with pytest.raises(InputError):
            refuse_foreign(Path(out), OURS)


def test_a_relative_output_from_within_it_keeps_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s").mkdir()
    write_text(tmp_path / "s" / "old", "1")
    monkeypatch.chdir(tmp_path / "s")
    with atomic_folder(Path("../s")) as folder:
        write_text(folder / "new", "2")
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["new"]


def test_litter_of_dead_processes_is_swept_and_of_living_ones_kept(tmp_path: Path) -> None:
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    litter = tmp_path / f"{STEM}{dead.stdout.strip()}.set.abc.tmp"
    living = tmp_path / f"{STEM}{os.getppid()}.set.abc.tmp"
    other = tmp_path / f"{STEM}{dead.stdout.strip()}.other.abc.tmp"
    only_copy = tmp_path / f"{STEM}{dead.stdout.strip()}.set.abc.old"
    for folder in (litter, living, other, only_copy):
        folder.mkdir()
    with atomic_folder(tmp_path / "set"):
        # The target is missing: what was moved aside may be the only copy.
        assert only_copy.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [living.name, other.name, only_copy.name, "set"]
    )
    with atomic_folder(tmp_path / "set"):
        pass
    assert not only_copy.exists()


def test_sweeping_a_run_leaves_the_users_hidden_files(tmp_path: Path) -> None:
    (tmp_path / ".notes.tmp").write_text("x")
    (tmp_path / ".keep.old").mkdir()
    (tmp_path / f"{STEM}1.a.b.tmp").write_text("x")
    sweep_temporaries(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".keep.old", ".notes.tmp"]


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    with folder_lock(tmp_path), pytest.raises(InputError, match="another curate"), folder_lock(tmp_path):
        pass
    (tmp_path / "file").write_text("x")
    with pytest.raises(DependencyError), folder_lock(tmp_path / "file"):
        pass


def test_a_file_is_replaced_only_when_it_is_ours(tmp_path: Path) -> None:
    file = tmp_path / "page"
    refuse_foreign_file(file, lambda held: False)
    file.write_bytes(b"ours")
    refuse_foreign_file(file, lambda held: held == b"ours")
    with pytest.raises(InputError, match="page: exists and holds something else; choose another name"):
        refuse_foreign_file(file, lambda held: held == b"our")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    for strange in (tmp_path, Path("/dev/null"), tmp_path / "dangling"):
        with pytest.raises(InputError, match="is a folder or a device; name a file"):
            refuse_foreign_file(strange, lambda held: True)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda lock: os.symlink("precious", lock)])
def test_a_lock_that_is_no_file_is_refused_and_nothing_is_emptied(
    tmp_path: Path, make: Callable[..., None]
) -> None:
    (tmp_path / "precious").write_text("of mine")
    make(tmp_path / ".lock")
    with pytest.raises(InputError, match=r"\.lock: is no file of ours; remove it"), folder_lock(tmp_path):
        pass
    assert (tmp_path / "precious").read_text() == "of mine"


def test_a_damaged_folder_of_results_goes_unless_something_else_is_in_it(tmp_path: Path) -> None:
    whole, damaged, mixed = (thing(tmp_path / name) for name in ("whole", "damaged", "mixed"))
    for folder in (damaged, mixed):
        (folder / "thing.json").write_text('{"ha')
    (mixed / "notes.txt").write_text("of mine")
    (tmp_path / "link").symlink_to(damaged)
    for folder in (whole, tmp_path / "link", mixed, tmp_path / "missing"):
        drop_damaged(folder, OURS)
    assert (damaged / "thing.json").exists()
    drop_damaged(damaged, OURS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "mixed", "whole"]


def test_an_output_is_made_by_one_and_its_lock_goes_with_it(tmp_path: Path) -> None:
    out = tmp_path / "sets" / "mine"
    with output_lock(out):
        with pytest.raises(InputError, match=r"mine: another curate is making it; wait for it"), output_lock(out):
            pass
        # Another name in the same folder is another output.
        with output_lock(out.with_name("other")):
            pass
        assert not out.exists()
    assert list(out.parent.iterdir()) == []
    with pytest.raises(ZeroDivisionError), output_lock(out):
        _ = 1 // 0
    assert list(out.parent.iterdir()) == []


def test_the_lock_of_a_killed_process_holds_nobody_up(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, signal, sys; from curator._lock import output_lock\n"
        "with output_lock(pathlib.Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "set")], check=False)
    assert killed.returncode == -9
    assert len(list(tmp_path.iterdir())) == 1
    with output_lock(tmp_path / "set"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_taken_away_meanwhile_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, opened = os.open, []

    def slow(name: Path, *more: int) -> int:
        descriptor = real(name, *more)
        if not opened:
            # Another process ends here: its file is gone, and what was opened holds nobody else out.
            os.unlink(name)
        opened.append(os.fstat(descriptor).st_ino)
        return descriptor

    monkeypatch.setattr(os, "open", slow)
    with output_lock(tmp_path / "set"):
        assert [path.stat().st_ino for path in tmp_path.iterdir()] == opened[1:]
