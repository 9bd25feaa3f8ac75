"""Runs of a module as forks of one process that has imported it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator._errors import DependencyError
from curator.engine.child import run_module
from curator.engine.forks import ForkServer, kept

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prctl")
MODULE = """
import os, sys, time
from pathlib import Path
print("noise of an import")
number = 0

def preload():
    print("noise of another", flush=True)
    with open("preloaded", "a") as log:
        log.write(f"{os.getpid()} {os.environ.get('SHOWN')} {os.environ['PYTHONHASHSEED']}\\n")

def forked():
    global number
    number += 1
    what, *rest = sys.argv[1:]
    print("warned", what, file=sys.stderr)
    if what == "fail":
        raise ValueError("no such layer")
    if what == "die":
        os.kill(os.getpid(), 9)
    if what == "kill-server":
        os.kill(os.getppid(), 9)
        time.sleep(60)
    if what == "wait":
        Path("job.tmp").write_text(f"{os.getpid()} {os.getppid()}")
        os.rename("job.tmp", "job")
        time.sleep(60)
    if what == "until":
        while not Path(rest[0]).exists():
            time.sleep(0.01)
    print("noise")
    print(what, number, os.getppid())
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForkServer]:
    (tmp_path / "job_of_forks.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{Path.cwd()}")
    monkeypatch.chdir(tmp_path)
    with kept("job_of_forks", {"SHOWN": "yes"}) as started:
        yield started


def run(*arguments: str) -> str:
    return run_module("job_of_forks", list(arguments), Path("job.log"), "the job")


def preloaded() -> list[str]:
    return Path("preloaded").read_text().splitlines()


def gone(process: int) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_it_imports_once_and_no_run_sees_another(server: ForkServer) -> None:
    first, second = run("one"), run("two")
    (line,) = preloaded()
    process, *environment = line.split()
    assert environment == ["yes", "0"]
    assert (first, second) == (f"one 1 {process}", f"two 1 {process}")
    assert Path("job.log").read_text() == "warned two\n"


def test_another_module_is_a_process_of_its_own(server: ForkServer, tmp_path: Path) -> None:
    (tmp_path / "other_job.py").write_text("print('other')")
    assert run_module("other_job", [], tmp_path / "other.log", "another job") == "other"
    assert not Path("preloaded").exists()


def test_it_is_looked_at_while_it_runs(server: ForkServer) -> None:
    seen = Path("seen")
    answer = run_module("job_of_forks", ["until", str(seen)], Path("job.log"), "the job", seen.touch)
    assert answer.startswith("until 1 ")


def test_failures_are_told_and_the_next_run_goes_on(server: ForkServer) -> None:
    with pytest.raises(DependencyError, match=r"the job failed \(ValueError: no such layer\); .*job\.log"):
        run("fail")
    with pytest.raises(DependencyError, match="out of memory"):
        run("die")
    assert run("after").startswith("after 1 ")
    assert len(preloaded()) == 1


@LINUX
def test_a_server_that_died_is_started_again(server: ForkServer) -> None:
    with pytest.raises(DependencyError, match="out of memory"):
        run("kill-server")
    assert run("after").startswith("after 1 ")
    assert len(preloaded()) == 2


def test_a_module_that_cannot_be_imported_is_told(server: ForkServer, tmp_path: Path) -> None:
    (tmp_path / "job_of_forks.py").write_text("import no_such_package")
    with pytest.raises(DependencyError, match="No module named 'no_such_package'"):
        run("one")


def test_the_end_of_the_block_is_the_end_of_the_server(tmp_path: Path, server: ForkServer) -> None:
    process = int(run("one").split()[2])
    server.close()
    assert gone(process)


PARENT = """
from pathlib import Path
from curator.engine.child import run_module
from curator.engine.forks import kept
with kept("job_of_forks", {}):
    run_module("job_of_forks", ["wait"], Path("job.log"), "the job")
"""


@LINUX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_job_outlives_the_command(server: ForkServer, how: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not Path("job").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    job, its_server = map(int, Path("job").read_text().split())
    parent.send_signal(how)
    parent.wait(20)
    assert gone(job) and gone(its_server)
