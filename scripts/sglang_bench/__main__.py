"""Measures what a measurement costs with SGLang: requests, wall time, bytes and our own processor time."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import secrets
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from curator._errors import EXIT_INTERRUPTED, CurateError, InputError
from curator._progress import Narrator
from curator.cli.progress import narrator
from curator.measure.partial import claimed, partial_folder
from curator.models.embedded import SMOLLM2, cache_folder
from curator.models.locate import locate_model
from curator.serve.faults import API_KEY_VARIABLE
from curator.serve.http import Connection
from curator.serve.interface import Window
from curator.serve.launch.launched import launch
from curator.serve.launch.launcher import Launcher
from curator.serve.sglang import SGLang
from curator.tokens.tokenizer import Tokenizer
from sglang_bench.replay import compare_readers
from sglang_bench.shapes import compare_shapes
from sglang_bench.work import Work, decode_and_score, make_prompts, slices

# Figures that tell nothing of the machine or hold a path.
_PRIVATE = ("model_path", "server_arguments")


def main() -> int:
    """Measure, print, and write the figures."""
    options = _options()
    try:
        found = _measured(options)
    except CurateError as error:
        sys.stderr.write(f"bench_sglang: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("bench_sglang: interrupted; the same command goes on\n")
        return EXIT_INTERRUPTED
    text = json.dumps(found, indent=1) + "\n"
    sys.stdout.write(text)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(text, encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("bench_sglang", description=__doc__)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--url", help="a server that runs already")
    where.add_argument("--serve", type=Path, metavar="MODEL_DIR", help="start a server for this model")
    where.add_argument(
        "--replay",
        type=float,
        metavar="SECONDS",
        help="no server: answers in 0.5.16's shape, each after so long, read with and without our reader of them",
    )
    parser.add_argument("--model", type=Path, help=f"with --url: the model's folder (default: {SMOLLM2.name})")
    parser.add_argument("--server-python", type=Path, help="with --serve: the interpreter that has SGLang")
    parser.add_argument("--server-args", default="", help="with --serve: more arguments of the server")
    parser.add_argument("--prompts", type=int, default=150)
    parser.add_argument("--longest", type=int, default=2048, help="tokens of the longest prompt")
    parser.add_argument("--tokens", type=int, default=128, help="decoded and scored of each prompt")
    parser.add_argument("--top-k", type=int, default=256)
    parser.add_argument("--batch-size", type=int, nargs="+", default=[8])
    parser.add_argument("--seed", type=int, default=0, help="of the prompts' ids")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument(
        "--work", type=Path, help="what is measured is kept there until all is (default: in the cache)"
    )
    return parser.parse_args()


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    work = Work(options.prompts, options.longest, options.tokens, options.top_k, options.seed)
    if min(work.prompts, work.longest, work.tokens, work.top_k, *options.batch_size) < 1:
        raise InputError("every number must be at least 1")
    if options.replay is not None:
        return {**_machine(), "work": asdict(work), **compare_readers(work, options.batch_size[0], options.replay)}
    # Known here too: the comparison of shapes has a connection of its own.
    os.environ.setdefault(API_KEY_VARIABLE, secrets.token_urlsafe(16) if options.serve else "")
    folder = options.serve or options.model or locate_model(SMOLLM2.name)
    vocabulary = Tokenizer(folder).size
    kept, progress = options.work or cache_folder() / "bench-sglang", narrator()
    with claimed(kept, {}), closing(_server(options, folder, vocabulary, progress)) as server:
        facts = {name: value for name, value in server.facts().items() if name not in _PRIVATE}
        prompts = make_prompts(work, vocabulary)
        lengths = [len(prompt) for prompt in prompts]
        sizes = {size: server.batch_limit(lengths, work.tokens) for size in options.batch_size}
        real = [size for size, limit in sizes.items() if size <= limit]
        found: dict[str, Any] = {
            **_machine(),
            "server": facts,
            "work": {**asdict(work), "prompt_tokens": sum(lengths), "longest_prompt": max(lengths)},
            "batch_sizes": {
                str(size): f"skipped: the server holds {limit} of these at once"
                for size, limit in sizes.items()
                if size > limit
            },
        }
        begun = {"work": asdict(work), "batch_sizes": options.batch_size, "server": server.facts()}
        of = 2 * sum(len(slices(work.prompts, size)) for size in real)
        with partial_folder(kept, begun, server, held=True, of=of, narrator=progress) as partial:
            for size in real:
                with progress.bar(f"batch {size}", 2 * len(slices(work.prompts, size))) as advance:
                    figures = decode_and_score(server, prompts, work, size, partial, advance)
                found["batch_sizes"][str(size)] = figures
            found["shapes"] = _shapes(server, prompts[0], work, vocabulary)
        found["notes"] = server.notes
    return found


def _machine() -> dict[str, str]:
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}",
    }


def _server(options: argparse.Namespace, folder: Path, vocabulary: int, progress: Narrator) -> SGLang:
    if options.url:
        return SGLang(options.url, vocabulary=vocabulary)
    arguments = tuple(options.server_args.split())
    return launch(Launcher(options.server_python, arguments), folder, None, vocabulary, None, progress)


def _shapes(server: SGLang, prompt: list[int], work: Work, vocabulary: int) -> dict[str, Any]:
    ids = (prompt * (1 + work.tokens // len(prompt) + 1))[: len(prompt) + work.tokens]
    with closing(Connection(server.url, timeout=600.0, tries=1, backoff=0.0)) as connection:
        return compare_shapes(connection, Window(tuple(ids), len(prompt)), min(work.top_k, vocabulary), vocabulary)


if __name__ == "__main__":
    sys.exit(main())
