"""Weights by KV cache types, fresh servers, prompt lengths: by `curate baseline` and `curate score` themselves.

The commands of a wave run beside each other, each with a server of its own that it starts and ends: their seconds
are those of a shared GPU.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console

from curator._files import write_json
from sglang_gpu.commands import Command, end_while_serving, gpu_processes, run

_OUT = Console(width=120, highlight=False, markup=False)
# Of a manifest and a document: what tells of a place or of each prompt.
_PRIVATE = ("out", "files", "prompts", "candidate")


class Waves:
    """Runs commands beside each other and keeps what they give.

    Args:
        asked: the command line.
    """

    def __init__(self, asked: argparse.Namespace) -> None:
        self._asked = asked
        self.results: dict[str, Any] = {"arguments": asked.server_args, "commands": {}, "gpu_processes": {}}

    def command(self, name: str, verb: str, *words: object, kv: str = "", more: str = "") -> Command:
        """A command with a server of its own, with an FP8 KV cache where ``kv`` names one."""
        asked = self._asked
        cache = f"--kv-cache-dtype {kv}" if kv else ""
        served = [
            *("--serve", "sglang", "--server-args", f"{asked.server_args} {cache} {more}"),
            *("--server-log", asked.work / f"{name}.log"),
            *(("--server-python", asked.server_python) if asked.server_python else ()),
            *(("--allow", "kv_cache_dtype") if kv else ()),
        ]
        return Command(name, (verb, *map(str, (*words, *served))), asked.work)

    def run(
        self, wave: str, commands: Sequence[Command], ended: Sequence[tuple[Command, signal.Signals]] = ()
    ) -> None:
        """Run a wave; afterwards no process of a server may be on the GPU.

        Args:
            wave: its name.
            commands: run to their ends.
            ended: commands that get a signal as soon as their server is ready.
        """
        seconds = self._asked.seconds
        with ThreadPoolExecutor(len(commands) + len(ended)) as pool:
            running = {pool.submit(run, command, seconds): command.name for command in commands}
            for command, how in ended:
                log = self._asked.work / f"{command.name}.log"
                running[pool.submit(end_while_serving, command, log, seconds, how)] = command.name
            for done in as_completed(running):
                self._keep(running[done], {"wave": wave, **done.result()})
        time.sleep(1.0)
        self.results["gpu_processes"][f"after {wave}"] = sorted(gpu_processes().values())
        write_json(self._asked.out, self.results)

    def _keep(self, name: str, found: dict[str, Any]) -> None:
        document = found.get("document")
        if isinstance(document, dict):
            found["document"] = {key: value for key, value in document.items() if key not in _PRIVATE}
        self.results["commands"][name] = found
        self.results["gpu_processes"][f"when {name} had ended"] = sorted(gpu_processes().values())
        # At once: time on a borrowed GPU may end before the script does.
        write_json(self._asked.out, self.results)
        _OUT.print(f"{name}: {found.get('seconds', '')} {_short(found)}"[:600])


def main() -> None:
    """Two waves: the baselines and the kill, then everything that needs them."""
    asked = _asked()
    # A job in the background is started deaf to it, and so would be what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asked.work.mkdir(parents=True, exist_ok=True)
    waves = Waves(asked)
    base, long, killed = asked.work / "base", asked.work / "long", asked.work / "killed"
    windows = ("--tokens", asked.tokens, "--max-new", asked.tokens)
    take = ("--model", asked.model, *windows)
    waves.run(
        "baselines",
        [
            waves.command(
                "baseline", "baseline", *take, "--heldout", asked.prompts, "--batch-size", 8, "--out", base
            ),
            waves.command(
                "baseline-long", "baseline", *take, "--heldout", asked.long, "--batch-size", 1, "--out", long
            ),
        ],
        [
            (
                waves.command("killed", "baseline", *take, "--heldout", asked.prompts, "--out", killed),
                signal.SIGKILL,
            )
        ],
    )
    while not (asked.candidate / "config.json").is_file():
        time.sleep(1.0)
    interrupted = waves.command("interrupted", "score", "--baseline", base, "--checkpoint", asked.candidate)
    waves.run("scores", _scores(asked, waves, base, long), [(interrupted, signal.SIGINT)])


def _scores(asked: argparse.Namespace, waves: Waves, base: Path, long: Path) -> list[Command]:
    """Weights by KV cache over the prompts and over the long ones; the BF16 model three times anew."""
    weights = {"bf16": (asked.model, ""), "nvfp4-twin": (asked.candidate, "")}
    if asked.marlin is not None:
        weights["nvfp4-marlin"] = (asked.marlin, "--fp4-gemm-backend marlin")
    commands: list[Command] = []
    words: tuple[object, ...]
    for name in ("bf16", "nvfp4-twin"):
        words = ("--baseline", base, "--checkpoint", weights[name][0], "--repeats", asked.repeats)
        commands.append(waves.command(f"restarts-{name}", "score", *words))
    for name, (folder, more) in weights.items():
        for kv in ("", *asked.kv):
            # The restarts hold these two without an FP8 cache.
            if kv or name == "nvfp4-marlin":
                words = ("--baseline", base, "--checkpoint", folder)
                commands.append(waves.command(f"{name}-kv-{kv or 'bf16'}", "score", *words, kv=kv, more=more))
    if asked.kv_scales is not None:
        words = ("--baseline", base, "--checkpoint", asked.kv_scales)
        marlin = "--fp4-gemm-backend marlin"
        commands.append(
            waves.command("nvfp4-kv-scales-marlin-kv-fp8_e4m3", "score", *words, kv="fp8_e4m3", more=marlin)
        )
    for name, kv in (("bf16", asked.kv[0]), ("nvfp4-twin", ""), ("nvfp4-twin", asked.kv[0])):
        words = ("--baseline", long, "--checkpoint", weights[name][0])
        commands.append(waves.command(f"long-{name}-kv-{kv or 'bf16'}", "score", *words, kv=kv))
    return commands


def _short(found: dict[str, Any]) -> str:
    document = found.get("document", {})
    lines = [
        f"{line['phase']} {line['batch_size']}: KL {line['kl_mean']:.4g} {line.get('kl_ci')}"
        for line in document.get("measured", [])
    ]
    return "; ".join(lines) or str({key: value for key, value in found.items() if key != "document"})


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/gpu_sglang table", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of a BF16 model")
    parser.add_argument("--candidate", type=Path, required=True, help="its NVFP4 checkpoint; waited for")
    parser.add_argument("--marlin", type=Path, help="the same in ModelOpt's layout, to be served by Marlin too")
    parser.add_argument("--kv-scales", type=Path, help="one in ModelOpt's layout with scales of an FP8 KV cache")
    parser.add_argument("--prompts", type=Path, required=True, help="prompts for batches of 8")
    parser.add_argument("--long", type=Path, required=True, help="prompts of several lengths for batch 1")
    parser.add_argument("--out", type=Path, required=True, help="JSON file for the results")
    parser.add_argument("--tokens", type=int, default=128, help="decoded and scored of each prompt")
    parser.add_argument("--kv", nargs="+", default=["fp8_e4m3", "fp8_e5m2"], help="types of the FP8 KV cache")
    parser.add_argument("--repeats", type=int, default=3, help="fresh servers of the BF16 model and of its twin")
    parser.add_argument("--server-python", type=Path, help="the interpreter that has SGLang")
    parser.add_argument("--server-args", default="", help="arguments of all servers, in one string")
    parser.add_argument("--seconds", type=float, default=3600.0, help="the longest that a command may take")
    parser.add_argument("--work", type=Path, default=Path("runs/gpu_sglang_table"), help="baselines and logs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
