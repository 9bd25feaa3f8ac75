"""Serves a BF16 model several times and its candidate once, and measures them step by step while time is left."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._errors import CurateError
from curator._files import write_json
from curator._progress import Silent
from curator.serve.launch.launched import LaunchedSGLang, launch
from curator.serve.launch.launcher import Launcher
from curator.tokens.tokenizer import Tokenizer
from sglang_gpu.in_process import beside_in_process
from sglang_gpu.measure import Prompts, measure, take

_OUT = Console(width=120, highlight=False, markup=False)
# Figures that tell nothing of the machine or hold a path.
_PRIVATE = ("model_path", "server_arguments")


class Steps:
    """Runs named steps, keeps what they give, and leaves out those for which no time is left."""

    def __init__(self, out: Path, seconds: float, facts: dict[str, Any]) -> None:
        self._out = out
        self._until = time.monotonic() + seconds
        self.results: dict[str, Any] = {**facts, "steps": {}}

    def run(self, name: str, step: Callable[[], Any]) -> None:
        """Do a step; one that fails does not end the others."""
        started = time.monotonic()
        if started > self._until:
            found: Any = {"skipped": "no time was left"}
        else:
            try:
                found = step()
            except CurateError as error:
                found = {"fault": str(error)}
        seconds = round(time.monotonic() - started, 1)
        self.results["steps"][name] = {"seconds": seconds, "result": found}
        # At once: time on a borrowed GPU may end before the script does.
        write_json(self._out, self.results)
        _OUT.print(f"{name}: {seconds} s {found if 'measured' not in found else _short(found)}"[:1500])


def main() -> None:
    """Start the servers together, then measure."""
    asked = _asked()
    work: Path = asked.work
    work.mkdir(parents=True, exist_ok=True)
    vocabulary = Tokenizer(asked.model).size
    with ExitStack() as stack:
        # The threads live as long as the servers: the kernel ends a process with the thread that started it.
        pool = stack.enter_context(ThreadPoolExecutor(asked.restarts + 2))

        def start(number: int) -> LaunchedSGLang:
            folder = asked.candidate if number == 0 else asked.model
            launcher = Launcher(asked.server_python, (asked.server_args,), work / f"server-{number}.log")
            return launch(launcher, folder, None, vocabulary, None, Silent())

        started = time.monotonic()
        starting = [pool.submit(start, number) for number in range(asked.restarts + 2)]
        candidate, bf16, *restarts = [stack.enter_context(closing(server.result())) for server in starting]
        facts = {name: value for name, value in bf16.facts().items() if name not in _PRIVATE}
        steps = Steps(
            asked.out,
            asked.seconds,
            {
                "server": facts,
                "candidate": {name: candidate.facts().get(name) for name in ("scheme", "weights")},
                "arguments": asked.server_args,
                "python": platform.python_version(),
                "servers": {"number": len(starting), "seconds_to_ready": round(time.monotonic() - started, 1)},
            },
        )
        tokenizer = Tokenizer(asked.model)
        main_set = Prompts(asked.prompts, work / "base", (8, 32), 128)
        steps.run("baseline", lambda: take(bf16, tokenizer, main_set))
        steps.run("candidate", lambda: measure(candidate, main_set, (8,)))
        small = Prompts(asked.fewer, work / "fewer", (8, 1, 32), 128)
        steps.run("baseline at batch 1", lambda: take(bf16, tokenizer, small))
        long = Prompts(asked.long, work / "long", (1,), 64)
        steps.run("baseline of long prompts", lambda: take(bf16, tokenizer, long))
        steps.run("candidate on long prompts", lambda: measure(candidate, long))
        steps.run("the same server again", lambda: measure(bf16, small, (8,)))
        for number, server in enumerate(restarts, 1):
            steps.run(f"restart {number}", partial(measure, server, small, (8,)))
        # Last but one: it takes memory and cores that the servers share.
        steps.run("in process", lambda: beside_in_process(asked.model, small, 12))
        steps.run("candidate at batch 1", lambda: measure(candidate, small))


def _short(found: dict[str, Any]) -> str:
    return "; ".join(
        f"{line['phase']} {line['batch_size']}: KL {line['kl_mean']:.3g}, top-1 {line['top1']:.4f}"
        for line in found["measured"]
    )


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/gpu_sglang", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of a BF16 model")
    parser.add_argument("--candidate", type=Path, required=True, help="its NVFP4 checkpoint")
    parser.add_argument("--prompts", type=Path, required=True, help="prompts for batches of 8 and 32")
    parser.add_argument(
        "--fewer", type=Path, required=True, help="prompts for batches of 8, 1 and 32, and restarts"
    )
    parser.add_argument("--long", type=Path, required=True, help="prompts of several lengths for batch 1")
    parser.add_argument("--out", type=Path, required=True, help="JSON file for the results")
    parser.add_argument("--server-python", type=Path, help="the interpreter that has SGLang")
    parser.add_argument("--server-args", default="", help="arguments of all servers, in one string")
    parser.add_argument("--restarts", type=int, default=2, help="more servers of the BF16 model")
    parser.add_argument("--seconds", type=float, default=3600.0, help="no step begins later than this")
    parser.add_argument("--work", type=Path, default=Path("runs/gpu_sglang"), help="folder for baselines and logs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
