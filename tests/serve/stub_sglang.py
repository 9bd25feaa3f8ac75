"""A small HTTP server that answers in SGLang's shape from known distributions, and its faulty variants."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

VOCABULARY = 40
EOS = 39
Fault = Callable[[dict[str, Any]], Any]


def distribution(prefix: list[int], vocabulary: int = VOCABULARY) -> np.ndarray:
    """Logprobs of the next id: a function of the whole prefix and nothing else."""
    generator = np.random.default_rng([len(prefix), *prefix])
    logits = generator.normal(size=vocabulary) * 2
    # EOS comes now and then under greedy decoding.
    logits[EOS] += 3.5 if len(prefix) % 9 == 0 else -4.0
    logprobs: np.ndarray = logits - np.log(np.exp(logits).sum())
    return logprobs


def triples(logprobs: np.ndarray, k: int) -> list[list[Any]]:
    order = np.argsort(-logprobs, kind="stable")[:k]
    return [[float(logprobs[i]), int(i), None] for i in order]


class Stub:
    """The server. ``requests`` holds what it was sent, ``fault`` changes one answer before it leaves."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Any, dict[str, str]]] = []
        self.fault: Fault | None = None
        self.failures: list[tuple[int, bytes]] = []
        self.health = [200]
        self.flush_status = [200]
        self.info: dict[str, Any] = {
            "version": "0.5.23",
            "dtype": "float32",
            "device": "cpu",
            "attention_backend": "torch_native",
            "chunked_prefill_size": 4096,
            "kv_cache_dtype": "auto",
            "quantization": None,
            "tp_size": 1,
            "max_req_input_len": 63,
            "disable_radix_cache": False,
        }
        self.old_paths = False
        self.drop_connections = 0
        self.delay = 0.0
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                stub.requests.append((self.path, None, dict(self.headers)))
                self.reply(*stub.get(self.path))

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = json.loads(raw) if raw else None
                stub.requests.append((self.path, body, dict(self.headers)))
                if stub.drop_connections and self.path == "/generate":
                    stub.drop_connections -= 1
                    self.close_connection = True
                    self.connection.close()
                    return
                time.sleep(stub.delay)
                self.reply(*stub.post(self.path, body))

            def reply(self, status: int, content: bytes) -> None:
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except (BrokenPipeError, ConnectionResetError, ValueError):
                    pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def sent(self, path: str) -> list[Any]:
        return [body for where, body, _ in self.requests if where == path]

    def get(self, path: str) -> tuple[int, bytes]:
        if path == "/health":
            return (self.health.pop(0) if len(self.health) > 1 else self.health[0]), b""
        names = ("/get_server_info", "/get_model_info") if self.old_paths else ("/server_info", "/model_info")
        if path == names[0]:
            return 200, json.dumps(self.info).encode()
        if path == names[1]:
            model = {"model_path": "/models/tiny", "weight_version": "default", "model_type": "llama"}
            return 200, json.dumps(model).encode()
        return 404, b'{"detail":"Not Found"}'

    def post(self, path: str, body: Any) -> tuple[int, bytes]:
        if path == "/flush_cache":
            return (self.flush_status.pop(0) if len(self.flush_status) > 1 else self.flush_status[0]), b"ok"
        if self.failures:
            return self.failures.pop(0)
        answers = [self.answer(index, body) for index in range(len(body["input_ids"]))]
        if self.fault is not None:
            changed = self.fault(answers[0])
            answers = answers if changed is None else changed
        return 200, json.dumps(answers).encode()

    def answer(self, index: int, body: dict[str, Any]) -> dict[str, Any]:
        ids = body["input_ids"][index]
        # What would kill the real scheduler.
        assert ids
        assert all(0 <= token < VOCABULARY for token in ids)
        assert body.get("top_logprobs_num", 0) <= VOCABULARY
        sampling = body["sampling_params"]
        new, output = (sampling if isinstance(sampling, dict) else sampling[index])["max_new_tokens"], []
        while len(output) < new and EOS not in output:
            output.append(int(distribution(ids + output).argmax()))
        meta: dict[str, Any] = {
            "prompt_tokens": len(ids),
            "cached_tokens": 0,
            "finish_reason": {"type": "stop" if EOS in output else "length", "length": new},
        }
        if body.get("return_logprob"):
            start, k = body["logprob_start_len"][index], body["top_logprobs_num"]
            assert 0 <= start < len(ids)
            rows = [(position, distribution(ids[:position])) for position in range(start + 1, len(ids))]
            meta["input_token_logprobs"] = [
                [None, ids[start], None],
                *([float(row[ids[position]]), ids[position], None] for position, row in rows),
            ]
            meta["input_top_logprobs"] = [None, *(triples(row, k) for _, row in rows)]
            meta["output_token_logprobs"] = []
            meta["output_top_logprobs"] = [triples(distribution(ids), k)]
        return {"text": "", "output_ids": output, "meta_info": meta}
