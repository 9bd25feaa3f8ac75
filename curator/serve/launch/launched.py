"""An SGLang server that this process starts, asks and ends."""

from __future__ import annotations

import os
import secrets
import shlex
from contextlib import ExitStack
from pathlib import Path

from curator._errors import InputError
from curator._progress import Narrator
from curator.recipe.quantize_methods import Scheme
from curator.serve.faults import API_KEY_VARIABLE
from curator.serve.interface import Dtype
from curator.serve.launch.arguments import ALWAYS, CPU, command_line, gives, value_of
from curator.serve.launch.launcher import Launcher
from curator.serve.launch.machine import GPU
from curator.serve.launch.port import LOOPBACK, HeldPort
from curator.serve.launch.process import ServerProcess, log_file
from curator.serve.launch.weights import Weights, plan_weights, temporary_twin
from curator.serve.sglang import SGLang

START = Path(__file__).with_name("start_server.py")


class LaunchedSGLang(SGLang):
    """An SGLang server whose end is ours to see to: ``close`` ends its processes."""

    def __init__(self, process: ServerProcess, key: str, vocabulary: int, machine: dict[str, str]) -> None:
        super().__init__(
            process.url, vocabulary=vocabulary, key=key, machine=machine, gone=process.gone, allow_code=True
        )
        self._held = ExitStack()

    def hold(self, held: ExitStack) -> None:
        """Take over what is to end with the server."""
        self._held = held

    def close(self) -> None:
        """Close the connection and end the server."""
        super().close()
        self._held.close()


def launch(
    launcher: Launcher,
    folder: Path,
    scheme: Scheme | None,
    vocabulary: int,
    dtype: Dtype | None,
    narrator: Narrator,
    *,
    trust_remote_code: bool = False,
) -> LaunchedSGLang:
    """Serve a model or a checkpoint and wait until it answers.

    Args:
        launcher: how.
        folder: a plain model folder, or an NVFP4 checkpoint of either layout.
        scheme: of a checkpoint; ``None`` for what the server of this machine can do.
        vocabulary: number of token ids that the model knows.
        dtype: compute type; ``None`` for float32 on a CPU, and the model's own on a GPU.
        narrator: shows what is waited for, and the server's errors as long as it runs.
        trust_remote_code: let the server run Python files that the folder brings.

    Raises:
        InputError, RefusedError, DependencyError: there is nothing to serve with, or not as asked.
        ServerError: the server ended, or was never ready; with its own last error and its log.
    """
    given = launcher.words()
    installed, gpu = launcher.find()
    weights = plan_weights(folder, scheme, gpu, given)
    arguments = _arguments(given, gpu, weights, dtype, trust_remote_code)
    notes = [weights.note] if weights.note else []
    with ExitStack() as stack:
        # First: a port that is taken is told before a twin is made, which may take minutes.
        port = HeldPort(_port(given))
        stack.callback(port.release)
        if weights.twin:
            folder, more = stack.enter_context(temporary_twin(folder, _twin_dtype(arguments)))
            notes += more
        key = os.environ.get(API_KEY_VARIABLE) or secrets.token_urlsafe(32)
        place = ["--model-path", str(folder.absolute()), "--host", LOOPBACK, "--port", str(port.number)]
        command: list[str | Path] = [installed.python, START, *place, *arguments]
        process = ServerProcess(command, _environment(key, gpu), port, log_file(launcher.log), narrator.say)
        stack.callback(process.stop)
        process.wait_until_healthy(launcher.wait, narrator)
        server = LaunchedSGLang(process, key, vocabulary, _facts(gpu, weights, arguments))
        server.hold(stack.pop_all())
    server.notes += notes
    return server


def _arguments(
    given: list[str], gpu: GPU | None, weights: Weights, dtype: Dtype | None, trust_remote_code: bool
) -> list[str]:
    """All arguments but those of model and address."""
    own: dict[str, str | None] = {} if dtype is None else {"--dtype": dtype}
    if trust_remote_code:
        own["--trust-remote-code"] = None
    return command_line(given, ALWAYS, {} if gpu else CPU, own, weights.arguments)


def _twin_dtype(arguments: list[str]) -> Dtype:
    return "float32" if value_of(arguments, "--dtype") in ("float32", "float") else "bfloat16"


def _port(given: list[str]) -> int:
    asked = value_of(given, "--port")
    if asked is None and not gives(given, "--port"):
        return 0
    if asked is None or not asked.isascii() or not asked.isdigit() or not 0 < int(asked[:6]) < 2**16:
        raise InputError(
            f"--server-args --port {asked}: not a port; give a number from 1 to 65535, or leave it out"
        )
    return int(asked)


def _environment(key: str, gpu: GPU | None) -> dict[str, str]:
    environment = {
        API_KEY_VARIABLE: key,
        # All is in the folder; a name that is not one would otherwise be looked up on a hub.
        "HF_HUB_OFFLINE": os.environ.get("HF_HUB_OFFLINE", "1"),
        "PYTHONUNBUFFERED": "1",
        # Its own first request goes to itself, not through a proxy.
        "NO_PROXY": ",".join(filter(None, (os.environ.get("NO_PROXY"), LOOPBACK, "localhost"))),
    }
    environment["no_proxy"] = environment["NO_PROXY"]
    return environment if gpu else {**environment, "SGLANG_USE_CPU_ENGINE": "1"}


def _facts(gpu: GPU | None, weights: Weights, arguments: list[str]) -> dict[str, str]:
    """What we know of a server because we started it."""
    facts = {"gpu": gpu.name if gpu else "none", "server_arguments": shlex.join(arguments)}
    if weights.scheme is not None:
        facts |= {"scheme": weights.scheme, "weights": "dequantised twin" if weights.twin else "as stored"}
    return facts
