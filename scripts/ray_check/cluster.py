"""A Ray cluster made by `ray start`, its nodes all on this machine."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_PATIENCE_SECONDS = 120.0


@dataclass(slots=True)
class Cluster:
    """Running nodes.

    Attributes:
        address: of the head.
        environment: what a command needs to be let in.
        nodes: their processes, the head first; each leads a group of its own.
    """

    address: str
    environment: Mapping[str, str]
    nodes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def lose_a_node(self) -> None:
        """End the last node as a failing machine does."""
        _end(self.nodes.pop(), signal.SIGKILL)


@contextmanager
def started(nodes: int, cores: int, gpus: list[str], folder: Path) -> Iterator[Cluster]:
    """Start nodes, and end them with the body.

    Args:
        nodes: how many.
        cores: of the machine, shared out.
        gpus: names for ``CUDA_VISIBLE_DEVICES``, shared out; more than there are nodes go to the first ones.
        folder: for logs; its path must be short, for sockets are below it.

    Raises:
        RuntimeError: a node does not come up.
    """
    port = _free_port()
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
    cluster = Cluster(f"127.0.0.1:{port}", token)
    try:
        for number in range(nodes):
            own = gpus[number::nodes]
            role = ["--head", "--port", str(port), "--temp-dir", str(folder)] if not number else []
            command = [
                sys.executable, "-m", "ray.scripts.scripts", "start", *(role or ["--address", cluster.address]),
                "--num-cpus", str(max(cores // nodes, 1)), "--num-gpus", str(len(own)), "--block",
            ]  # fmt: skip
            environment = {**os.environ, **token, "CUDA_VISIBLE_DEVICES": ",".join(own)}
            log = (folder / f"node-{number}.log").open("wb")
            cluster.nodes.append(
                subprocess.Popen(
                    command,
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                    env=environment,
                    start_new_session=True,
                )
            )
            _wait_for(cluster, number + 1, folder)
        yield cluster
    finally:
        for node in reversed(cluster.nodes):
            _end(node, signal.SIGTERM)


def _wait_for(cluster: Cluster, nodes: int, folder: Path) -> None:
    """Until so many nodes are there: asked of Ray itself, in a process that ends."""
    asked = (
        "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False, logging_level='CRITICAL');"
        "sys.exit(sum(node['Alive'] for node in ray.nodes()) < int(sys.argv[2]))"
    )
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        if cluster.nodes[-1].poll() is not None:
            break
        if _answers(cluster.address):
            told = subprocess.run(
                [sys.executable, "-c", asked, cluster.address, str(nodes)],
                env={**os.environ, **cluster.environment},
                capture_output=True,
                check=False,
            )
            if told.returncode == 0:
                return
        time.sleep(1)
    log = (folder / f"node-{nodes - 1}.log").read_text(encoding="utf-8", errors="replace")
    raise RuntimeError(f"node {nodes - 1} did not come up: {log[-2000:]}")


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), 1.0).close()
    except OSError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _end(node: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """End a node with all that it started; what does not go by itself in a while is killed."""
    for sent in (how, signal.SIGKILL):
        try:
            os.killpg(node.pid, sent)
            node.wait(timeout=30)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
