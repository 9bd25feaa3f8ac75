"""What nested lists cost beside a server that works meanwhile: answers in 0.5.16's shape, from another process.

The H200's 0.5.16 gave 8,292 bytes a scored token, and worked 0.28 s on a batch of eight windows of 128 tokens
(results/h200.json). Here another process waits so long and sends such answers; our side is the client as it is,
once with Python's JSON reader and once with the one that reads the lists as tables.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection as Pipe
from typing import Any

import numpy as np

from curator.serve.interface import Window
from curator.serve.sglang import SGLang
from curator.serve.sglang.nested import loads
from sglang_bench.work import Work, make_prompts

_READERS: dict[str, Callable[[bytes], Any]] = {"python_json": json.loads, "tables": loads}
_ROUNDS = 2
_VOCABULARY, _BEFORE = 262_144, 5
_INFO = {"version": "0.5.16", "disable_radix_cache": True, "model_path": "replayed"}


def compare_readers(work: Work, batch_size: int, seconds: float) -> dict[str, Any]:
    """Wall time, its share outside the server and our processor time, by reader; the same windows, in turns.

    Args:
        work: sizes of the run.
        batch_size: windows of a request.
        seconds: that the other process waits before it answers a request.
    """
    lists = recorded(work.tokens, work.top_k, work.seed)
    tail = (_BEFORE, *(row[0][1] for row in lists))
    windows = [
        Window((*prompt, *tail), len(prompt) + 1) for prompt in make_prompts(work, min(_VOCABULARY, 50_000))
    ]
    found: dict[str, list[dict[str, float]]] = {name: [] for name in _READERS}
    with _answering(lists, seconds) as url:
        for _ in range(_ROUNDS):
            for name, reader in _READERS.items():
                found[name].append(_scored(url, reader, windows, work.top_k, batch_size))
    tokens = work.prompts * work.tokens
    best = {name: min(runs, key=lambda run: run["wall_seconds"]) for name, runs in found.items()}
    return {
        "windows": work.prompts,
        "scored_tokens": tokens,
        "batch_size": batch_size,
        "server_seconds_a_request": seconds,
        **{name: {**best[name], "runs": runs} for name, runs in found.items()},
        "wall_ratio": round(best["tables"]["wall_seconds"] / best["python_json"]["wall_seconds"], 3),
    }


def recorded(tokens: int, k: int, seed: int) -> list[list[list[Any]]]:
    """Lists of one window: a float32 in the digits of a double, an id, no text; no two alike."""
    draw = np.random.default_rng(seed)
    logits = draw.normal(0, 4, size=(tokens, _VOCABULARY // 64)).astype(np.float32)
    logprobs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    ordered = -np.sort(-logprobs.astype(np.float32), axis=1)[:, :k]
    ids = np.stack([draw.choice(_VOCABULARY, k, replace=False) for _ in range(tokens)])
    return [
        [[value, one, None] for value, one in zip(*row, strict=True)]
        for row in zip(ordered.tolist(), ids.tolist(), strict=True)
    ]


def _scored(
    url: str, reader: Callable[[bytes], Any], windows: list[Window], k: int, batch_size: int
) -> dict[str, float]:
    with closing(SGLang(url, vocabulary=_VOCABULARY)) as server:
        # The looks at the model and what a first answer loads are no part of it.
        server._session._asker.loads = reader
        server.weights_probe()
        list(server.score(windows[:batch_size], k, batch_size))
        before, wall, ours = server.traffic.seconds, time.monotonic(), time.process_time()
        for scores in server.score(windows, k, batch_size):
            if not math.isfinite(float(scores.top_logprobs.sum())):
                raise ValueError("not a distribution")
        wall, ours = time.monotonic() - wall, time.process_time() - ours
        waiting = server.traffic.seconds - before
    return {
        "wall_seconds": round(wall, 3),
        "outside_server_share": round(1 - waiting / wall, 4),
        "our_processor_seconds": round(ours, 3),
    }


@contextmanager
def _answering(lists: list[list[list[Any]]], seconds: float) -> Iterator[str]:
    """The address of a process that answers."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, lists, seconds), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.terminate()
        process.join()


def _serve(pipe: Pipe, lists: list[list[list[Any]]], seconds: float) -> None:
    tail = [[None, _BEFORE, None], *(row[0] for row in lists)]
    answer = _answer("%d", tail, lists)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            known = {"/health": b"", "/server_info": _dump(_INFO), "/model_info": _dump(_INFO)}
            self._reply(known.get(self.path.split("?")[0]))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            rows = body.get("input_ids")
            if rows is None:
                self._reply(None)
            elif body["logprob_start_len"][0] == 0:
                # A look at the model: short, and always the same.
                self._reply(b"[%s]" % _look(rows[0], body["top_logprobs_num"]))
            else:
                time.sleep(seconds)
                self._reply(b"[%s]" % b",".join(answer % len(row) for row in rows))

        def _reply(self, content: bytes | None) -> None:
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        pipe.send(server.server_address[1])
        server.serve_forever()


def _look(ids: list[int], k: int) -> bytes:
    rows = [[[-0.5 - place / 64, one, None]] for place, one in enumerate(ids[1:])]
    for place, row in enumerate(rows):
        row += [[-9.0 - rank, (row[0][1] + rank + 1 + place) % _VOCABULARY, None] for rank in range(k - 1)]
    return _answer("%d", [[None, ids[0], None], *(row[0] for row in rows)], rows) % len(ids)


def _answer(length: str, tokens: list[Any], lists: list[Any]) -> bytes:
    meta = {"prompt_tokens": 0, "input_token_logprobs": tokens, "input_top_logprobs": [None, *lists]}
    return _dump({"text": "", "meta_info": meta, "output_ids": []}).replace(
        b'"prompt_tokens":0', f'"prompt_tokens":{length}'.encode(), 1
    )


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
