"""Runs each command twice, compares, prints and writes what came out."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
from gate_bench.machine import conditions
from rich.console import Console

from curator._files import write_json
from ray_check.cluster import Cluster, started
from ray_check.work import Work, works

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results"
# Into what a node was given to do.
_LOSS_SECONDS = 2.0
_CURATE = "from curator.cli.main import main; main()"


def main() -> int:
    """1 when a result on the cluster is another one."""
    asked = _asked()
    gpus = _gpus()
    device, cores = "cuda" if gpus else "cpu", len(os.sched_getaffinity(0))
    # Short: sockets of Ray lie below it.
    folder = Path(tempfile.mkdtemp(prefix="cr-"))
    os.environ["CURATE_CACHE"] = str(folder / "cache")
    found: dict[str, Any] = {
        **conditions(0),
        "ray": version("ray"),
        "gpus": len(gpus),
        "nodes": asked.nodes,
        "megabytes": asked.megabytes,
        "runs": [],
    }
    wanted = works(folder / "work", asked.megabytes, cores, device)
    local = {work.name: _run(work, folder / f"local-{work.name}", [], found, "local") for work in wanted}
    with started(asked.nodes, cores, gpus, folder) as cluster:
        engine = ["--engine", "ray", "--ray-address", cluster.address]
        os.environ.update(cluster.environment)
        same = []
        for work in wanted:
            here = _run(work, folder / f"ray-{work.name}", engine, found, "ray start")
            same.append(here == local[work.name])
        if asked.lose_a_node:
            rank = wanted[-1]
            lost = _run(rank, folder / "ray-lost", engine, found, "ray start, a node lost", cluster)
            same.append(lost == local[rank.name])
    found["equal"] = all(same)
    write_json(asked.out or _RESULTS / f"{device}.json", found)
    _OUT.print(f"equal to the local engine: {'yes' if all(same) else 'NO'}; {folder}")
    return 0 if all(same) else 1


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/check_ray")
    parser.add_argument("--nodes", type=int, default=2, help="of the cluster, on this machine (2)")
    parser.add_argument("--megabytes", type=int, default=80, help="of text to build from (80)")
    parser.add_argument("--lose-a-node", action="store_true", help="rank once more, and end a node meanwhile")
    parser.add_argument("--out", type=Path, help="JSON file to write")
    return parser.parse_args()


def _gpus() -> list[str]:
    """Numbers of this machine's GPUs."""
    try:
        told = subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return [str(number) for number, line in enumerate(told.splitlines()) if line.startswith("GPU")]


def _run(
    work: Work, folder: Path, engine: list[str], found: dict[str, Any], how: str, lose: Cluster | None = None
) -> str:
    """One command in a folder of its own, with nothing in the cache; its result."""
    for stored in Path(os.environ["CURATE_CACHE"]).glob("scores-*"):
        stored.unlink()
    folder.mkdir(parents=True)
    began = time.monotonic()
    with (folder / "log").open("wb") as log, (folder / "told.json").open("wb") as told:
        child = subprocess.Popen(
            [sys.executable, "-c", _CURATE, *work.arguments, *engine], cwd=folder, stdout=told, stderr=log
        )
        if lose is not None:
            _lose(child, lose)
        code = child.wait()
    wall = time.monotonic() - began
    if code:
        raise SystemExit(f"{work.name} ({how}) ended with {code}: see {folder / 'log'}\n{_end_of(folder / 'log')}")
    result = work.result(folder)
    found["runs"].append({"work": work.name, "how": how, "wall_s": round(wall, 1), "result": result[:16]})
    _OUT.print(f"{work.name}, {how}: {wall:.0f} s, {result[:16]}")
    return result


def _lose(child: subprocess.Popen[bytes], cluster: Cluster) -> None:
    """End a node once it works for the command, and the command has not ended."""
    until = time.monotonic() + 600
    while child.poll() is None and time.monotonic() < until:
        if _works(psutil.Process(cluster.nodes[-1].pid)):
            time.sleep(_LOSS_SECONDS)
            cluster.lose_a_node()
            return
        time.sleep(0.2)
    raise SystemExit("the last node was given nothing to do")


def _works(node: psutil.Process) -> bool:
    """Whether one of its processes is at a task: Ray names them so."""
    for one in node.children(recursive=True):
        try:
            name = " ".join(one.cmdline())
        except psutil.Error:
            continue
        if name.startswith("ray::") and "IDLE" not in name:
            return True
    return False


def _end_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")[-2000:]


if __name__ == "__main__":
    sys.exit(main())
