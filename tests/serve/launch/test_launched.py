"""A launch from end to end with a fake server: what it is told, what it says, what is left of it."""

from __future__ import annotations

import itertools
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import launching
import psutil
import pytest
from stub_sglang import VOCABULARY

from curator._errors import InputError, ServerError
from curator._progress import Silent
from curator.measure.heldout import Prompt, save_prompts
from curator.serve.interface import Window
from curator.serve.launch import launched as module
from curator.serve.launch.launched import LaunchedSGLang, launch
from curator.serve.launch.launcher import Launcher
from curator.serve.launch.port import LOOPBACK
from curator.serve.launch.start_server import Secret
from tests.quantize.checkpoint.made_checkpoints import make

CURATE = str(Path(sys.executable).with_name("curate"))


def launched(folder: Path, model: Path, *arguments: str) -> LaunchedSGLang:
    launcher = Launcher(launching.fake_python(folder), arguments, folder / "server.log", 60.0)
    return launch(launcher, model, None, VOCABULARY, None, Silent())


def test_a_checkpoint_is_served_as_its_twin_with_a_key_that_nobody_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CURATE_API_KEY", raising=False)
    checkpoint = make("modelopt").write(tmp_path / "c")
    server = launched(tmp_path, checkpoint, f"--pids {tmp_path / 'pids'} --dtype bfloat16")
    pids = launching.wait_for(tmp_path / "pids")
    command = psutil.Process(pids[0]).cmdline()
    given = dict(itertools.pairwise(command))
    twin = Path(given["--model-path"])
    assert (twin / "curate-twin.json").is_file() and given["--host"] == LOOPBACK
    # The user's arguments come last, and ours are left out where they say something.
    assert command.count("--dtype") == 1 and command[-2:] == ["--dtype", "bfloat16"]
    (scores,) = server.score([Window((1, 2, 3), 2)], 4, 1)
    assert scores.top_ids.shape == (1, 4)
    facts = server.facts()
    assert (facts["gpu"], facts["scheme"], facts["weights"]) == ("none", "W4A16", "dequantised twin")
    assert facts["server_arguments"] == shlex.join(command[command.index("--port") + 2 :])
    assert server.can_force() is None or "add --allow-code" not in server.can_force()
    assert server.notes[0] == "a CPU has no FP4 tensor cores: served as its dequantised twin, which is W4A16"
    key = psutil.Process(pids[0]).environ()["CURATE_API_KEY"]
    assert len(key) > 30 and not any(key in " ".join(psutil.Process(pid).cmdline()) for pid in pids)
    server.close()
    server.close()
    assert [pid for pid in pids if psutil.pid_exists(pid)] == []
    assert not twin.exists() and key not in (tmp_path / "server.log").read_text()


def test_a_key_does_not_show_where_arguments_are_printed() -> None:
    secret = Secret("s3cret")
    assert "s3cret" not in f"{[secret]!r} {secret!r} { ({'api_key': secret}) }"
    assert secret == "s3cret" and f"Bearer {secret}" == "Bearer s3cret"


def test_a_launch_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = make("modelopt").write(tmp_path / "c")
    with pytest.raises(ServerError, match=r"the server ended \(RuntimeError: no kernel for this\)"):
        launched(tmp_path, checkpoint, "--fake die")
    monkeypatch.setattr(module, "temporary_twin", lambda *_: pytest.fail("a twin was made"))
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port}: another program has it"):
            launched(tmp_path, checkpoint, f"--port {port}")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c", "fake-python", "server.log"]


@pytest.mark.parametrize("port", ["0", "65536", "http", "99999999999999999999", "--x"])
def test_a_port_that_is_none_is_refused(port: str, tmp_path: Path, tiny_model: Path) -> None:
    with pytest.raises(InputError, match="not a port"):
        launched(tmp_path, tiny_model, f"--port {port}")


def test_a_verb_that_is_interrupted_while_it_waits_ends_its_server(tmp_path: Path, tiny_model: Path) -> None:
    prompts, pids, out = tmp_path / "prompts.jsonl", tmp_path / "pids", tmp_path / "out"
    save_prompts(prompts, [Prompt("p", "task", "corpus", "source", "en", "MIT", "The ferry leaves")])
    server = ["--serve", "sglang", "--server-python", launching.fake_python(tmp_path)]
    command = [CURATE, "baseline", "--model", tiny_model, "--heldout", prompts, "--out", out, *server]
    verb = subprocess.Popen(
        [*command, "--server-args", f"--fake hang --pids {pids}"], stderr=subprocess.PIPE, text=True
    )
    try:
        left = launching.wait_for(pids)
        verb.send_signal(signal.SIGINT)
        _, told = verb.communicate(timeout=60)
        assert verb.returncode == 130 and "waiting for the server: it starts" in told, told
        assert "interrupted; nothing was done yet, the same command starts again" in told
        assert [pid for pid in left if psutil.pid_exists(pid)] == []
    finally:
        verb.kill()
        verb.communicate()
