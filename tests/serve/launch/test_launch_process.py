"""Starting, watching and ending a server, with a fake one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import launching
import psutil
import pytest
import requests

from curator._errors import InputError, ServerError
from curator._progress import Silent
from curator.serve.launch import process
from curator.serve.launch.port import LOOPBACK, HeldPort


class Listener(Silent):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def say(self, text: str) -> None:
        self.heard.append(text)


def test_a_death_at_start_is_told_with_its_own_last_error_and_the_log(tmp_path: Path) -> None:
    told: list[str] = []
    server = launching.start(tmp_path, "die", told)
    with pytest.raises(ServerError) as error:
        server.wait_until_healthy(60, Silent())
    server.stop()
    # Not the EOFError that came of it.
    assert (
        str(error.value)
        == f"the server ended (RuntimeError: no kernel for this); its log is {tmp_path / 'server.log'}"
    )
    assert told == ["server: RuntimeError: no kernel for this"]
    # What a dead server left behind is gone too.
    assert launching.living(launching.wait_for(tmp_path / "pids")) == []


def test_a_server_that_is_never_ready_is_told_with_what_it_was_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_GRACE_SECONDS", 0.2)
    server, listener = launching.start(tmp_path, "stubborn", []), Listener()
    pids = launching.wait_for(tmp_path / "pids")
    with pytest.raises(ServerError, match=r"not ready after 1 s: it loads the weights, .* 'Load weight begin'"):
        server.wait_until_healthy(1.2, listener)
    assert listener.heard[-1] == "waiting for the server: it loads the weights"
    server.stop()
    # It ignores SIGTERM; its grandchild has a session of its own.
    assert [pid for pid in pids if psutil.pid_exists(pid)] == []


def test_errors_of_a_running_server_are_shown_and_its_end_is_explained(tmp_path: Path) -> None:
    told: list[str] = []
    server = launching.start(tmp_path, "healthy", told)
    server.wait_until_healthy(60, Silent())
    pids = launching.wait_for(tmp_path / "pids")
    assert server.gone() is None
    requests.get(f"{server.url}/shout", timeout=10)
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{server.url}/die", timeout=10)
    assert launching.living(pids) == []
    server._process.wait(60)
    assert server.gone() == f"the server ended (ValueError: what it died of); its log is {tmp_path / 'server.log'}"
    server.stop()
    assert told[0] == "server: torch.OutOfMemoryError: CUDA out of memory"


def test_stopping_ends_a_grandchild_that_left_and_gives_the_port_back(tmp_path: Path) -> None:
    server = launching.start(tmp_path, "healthy", [])
    server.wait_until_healthy(60, Silent())
    pids = launching.wait_for(tmp_path / "pids")
    # Of the supervisor and everything below it.
    tree = [
        server._process.pid,
        *(one.pid for one in psutil.Process(server._process.pid).children(recursive=True)),
    ]
    assert set(pids) < set(tree)
    for pid in tree:
        assert b"a-secret" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    server.stop()
    assert [pid for pid in tree if psutil.pid_exists(pid)] == []
    HeldPort(int(server.url.rpartition(":")[2])).release()
    assert "a-secret" not in (tmp_path / "server.log").read_text()


# Every way of ending the one that asked; the supervisor itself may be killed too.
ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
OWNER = """
import sys, time
sys.path[:0] = [{tests!r}]
from pathlib import Path
from curator.cli import signals
import launching
signals.raise_interrupt()
server = launching.start(Path(sys.argv[1]), "healthy", [])
try:
    launching.wait_for(Path(sys.argv[1]) / "pids")
    print(server._process.pid, flush=True)
    time.sleep(600)
finally:
    server.stop()
"""


def test_nothing_outlives_the_one_that_asked_however_it_ends(tmp_path: Path) -> None:
    script = OWNER.format(tests=str(Path(launching.__file__).parent))
    owners, supervisors = {}, {}
    for number in ENDS:
        folder = tmp_path / number.name
        folder.mkdir()
        owners[number] = subprocess.Popen(
            [sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    for number, owner in owners.items():
        assert owner.stdout is not None
        supervisors[number] = int(owner.stdout.readline())
        os.kill(owner.pid, number)
    for number, owner in owners.items():
        owner.communicate(timeout=60)
        pids = launching.wait_for(tmp_path / number.name / "pids")
        assert launching.living([supervisors[number], *pids]) == [], number


def test_a_killed_supervisor_takes_the_server_with_it(tmp_path: Path) -> None:
    server = launching.start(tmp_path, "hang", [])
    main, orphan = launching.wait_for(tmp_path / "pids")
    os.kill(server._process.pid, signal.SIGKILL)
    assert launching.living([main]) == []
    server.stop()
    # Nobody is left who knows of it: SGLang's own processes bind themselves to their parents.
    os.kill(orphan, signal.SIGKILL)


def test_a_port_is_held_until_the_server_has_it() -> None:
    held = HeldPort()
    # SGLang's way of binding, then the way of a program that looks for any port.
    with socket.socket() as server, socket.socket() as other:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((LOOPBACK, held.number))
        server.listen()
        held.release()
        with pytest.raises(OSError, match="in use"):
            other.bind((LOOPBACK, held.number))
        with pytest.raises(InputError, match=f"port {held.number}: another program has it; leave --port out"):
            HeldPort(held.number)


def test_the_newest_logs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path))
    folder = process.log_file(None).parent
    for number in range(25):
        (folder / f"sglang-{number:02}.log").touch()
        os.utime(folder / f"sglang-{number:02}.log", (number, number))
    new = process.log_file(None)
    new.touch()
    assert sorted(file.name for file in folder.glob("*.log"))[:2] == ["sglang-06.log", "sglang-07.log"]
    assert new.parent == folder and len(list(folder.glob("*.log"))) == 20
