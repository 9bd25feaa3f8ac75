"""A real server that is ready, and every way of ending the one that asked for it or the one that watches it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import launching
import psutil
import pytest

from tests.serve.real_server import ENVIRONMENT, REAL

pytestmark = [*REAL, pytest.mark.full]

OWNER = """
import sys, time
from pathlib import Path
from curator._progress import Silent
from curator.cli import signals
from curator.serve.launch.launched import launch
from curator.serve.launch.launcher import Launcher
from curator.tokens.tokenizer import Tokenizer
signals.raise_interrupt()
model, log = map(Path, sys.argv[1:])
launcher = Launcher(arguments=("--device cpu --max-total-tokens 2048 --max-running-requests 8",), log=log)
server = launch(launcher, model, None, Tokenizer(model).size, "float32", Silent())
try:
    print("ready", flush=True)
    time.sleep(3600)
finally:
    server.close()
"""


@pytest.mark.parametrize("ending", ["SIGINT", "SIGTERM", "SIGKILL of the supervisor"])
def test_nothing_of_a_ready_server_is_left(ending: str, tmp_path: Path, tiny_model: Path) -> None:
    environment = {**os.environ, "CURATE_SGLANG_ENV": str(ENVIRONMENT), "CURATE_API_KEY": "a-key-of-ends"}
    command = [sys.executable, "-c", OWNER, str(tiny_model), str(tmp_path / "server.log")]
    owner = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n", (tmp_path / "server.log").read_text()[-2000:]
        (supervisor,) = psutil.Process(owner.pid).children()
        tree = supervisor.children(recursive=True)
        # The server, its scheduler and its detokenizer at least.
        assert len(tree) >= 3
        for process in (supervisor, *tree):
            assert "a-key-of-ends" not in " ".join(process.cmdline())
        if ending == "SIGKILL of the supervisor":
            supervisor.kill()
        else:
            owner.send_signal(signal.Signals[ending])
            owner.wait(120)
        assert launching.living([supervisor.pid, *(process.pid for process in tree)]) == []
        assert "a-key-of-ends" not in (tmp_path / "server.log").read_text()
    finally:
        owner.kill()
        owner.communicate()
