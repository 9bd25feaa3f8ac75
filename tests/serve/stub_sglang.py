"""A small HTTP server that answers in SGLang's shapes from known distributions, and its faulty variants."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.serve.http_in_thread import HttpInThread, QuietHandler

VOCABULARY = 40
EOS = 39
Fault = Callable[[dict[str, Any]], Any]


def distribution(prefix: list[int], vocabulary: int = VOCABULARY, weights: int = 0) -> np.ndarray:
    """Logprobs of the next id: a function of the whole prefix and of the weights' number, and nothing else."""
    generator = np.random.default_rng([len(prefix), *prefix])
    logits = generator.normal(size=vocabulary) * 2
    if weights:
        logits += np.random.default_rng(weights).normal(size=vocabulary)
    # EOS comes now and then under greedy decoding.
    logits[EOS] += 3.5 if len(prefix) % 9 == 0 else -4.0
    logprobs: np.ndarray = logits - np.log(np.exp(logits).sum())
    return logprobs


def triples(logprobs: np.ndarray, k: int) -> list[list[Any]]:
    order = np.argsort(-logprobs, kind="stable")[:k]
    return [[float(logprobs[i]), int(i), None] for i in order]


def flatten(meta: dict[str, Any], side: str, k: int) -> None:
    """Nested lists as SGLang's flat arrays in base64; as it does, ragged ones are left as they are."""
    name = f"{side}_top_logprobs"
    rows = meta.get(name)
    if not isinstance(rows, list):
        return
    nulls = next((place for place, row in enumerate(rows) if row), len(rows))
    entries = [entry or [] for row in rows[nulls:] for entry in row or [[]]]
    if not all(entry and type(entry[1]) is int and abs(entry[1]) < 2**31 for entry in entries):
        return
    try:
        values = np.array([entry[0] for entry in entries], dtype="<f4").reshape(-1, k)
    except (TypeError, ValueError):
        return
    ids = np.array([entry[1] for entry in entries], dtype="<i4").reshape(-1, k)
    del meta[name]
    for part, numbers, dtype in (("val", values, "float32"), ("idx", ids, "int32")):
        meta[f"{name}_{part}_flat_b64"] = base64.b64encode(numbers.tobytes()).decode()
        meta[f"{name}_{part}_flat_b64_dtype"] = dtype
    meta[f"{name}_shape"], meta[f"{name}_null_prefix"] = list(values.shape), nulls


class Stub(HttpInThread):
    """The server. ``requests`` holds what it was sent, ``fault`` changes one answer before it leaves.

    Faults, failures and dropped connections are of the prompts that a test asks; the client's looks at the model
    (its fixed prompt, its text for the tokenizer) are always answered, and ``sent`` leaves them out.
    """

    def __init__(self, port: int = 0) -> None:
        self.requests: list[tuple[str, Any, dict[str, str]]] = []
        self.fault: Fault | None = None
        self.flat_fault: Fault | None = None
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
            "max_total_num_tokens": 4096,
            "max_running_requests": 64,
            "disable_radix_cache": False,
        }
        self.model: dict[str, Any] = {
            "model_path": "/models/tiny",
            "weight_version": "default",
            "model_type": "llama",
            "architectures": ["LlamaForCausalLM"],
        }
        self.weights = 0
        self.flat = True
        self.most_at_once = 1000
        self.decode_moments: list[float] | None = None
        self.together = 1000
        self.old_paths = False
        self.drop_connections = 0
        self.delay = 0.0
        stub = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:
                stub.requests.append((self.path, None, dict(self.headers)))
                self.reply(*stub.get(self.path))

            def do_POST(self) -> None:
                raw = self.body()
                body = json.loads(raw) if raw else None
                stub.requests.append((self.path, body, dict(self.headers)))
                if stub.drop_connections and self.path == "/generate" and not is_look(body):
                    stub.drop_connections -= 1
                    self.close_connection = True
                    self.connection.close()
                    return
                if self.path == "/generate" and not is_look(body):
                    time.sleep(stub.delay)
                self.reply(*stub.post(self.path, body))

        super().__init__(Handler, port)

    def sent(self, path: str) -> list[Any]:
        return [body for where, body, _ in self.requests if where == path and not is_look(body)]

    def get(self, path: str) -> tuple[int, bytes]:
        if path.startswith("/v1/loads") and self.decode_moments is not None:
            return 200, json.dumps({"loads": [{"dp_rank": 0, "decode_moments": self.decode_moments}]}).encode()
        if path == "/health":
            return (self.health.pop(0) if len(self.health) > 1 else self.health[0]), b""
        names = ("/get_server_info", "/get_model_info") if self.old_paths else ("/server_info", "/model_info")
        if path in names:
            return 200, json.dumps(self.info if path == names[0] else self.model).encode()
        return 404, b'{"detail":"Not Found"}'

    def post(self, path: str, body: Any) -> tuple[int, bytes]:
        if path == "/flush_cache":
            return (self.flush_status.pop(0) if len(self.flush_status) > 1 else self.flush_status[0]), b"ok"
        if "text" in body:
            ids = [[None, letter % VOCABULARY, None] for letter in body["text"].encode()]
            return 200, json.dumps({"text": "", "meta_info": {"input_token_logprobs": ids}}).encode()
        if not is_look(body):
            if self.failures:
                return self.failures.pop(0)
            if len(body["input_ids"]) > self.most_at_once:
                return 500, b'{"error":{"message":"CUDA out of memory"}}'
        answer = partial(Stub.answer, self) if is_look(body) else self.answer
        answers: Any = [answer(index, body) for index in range(len(body["input_ids"]))]
        if self.decode_moments is not None and not is_look(body):
            self.count_steps([len(answer["output_ids"]) for answer in answers])
        if self.fault is not None and not is_look(body):
            changed = self.fault(answers[0])
            answers = answers if changed is None else changed
        if self.flat and body.get("return_flat_raw_top_logprobs_b64") and isinstance(answers, list):
            self.flatten(answers, body)
        return 200, json.dumps(answers, separators=(",", ":")).encode()

    def count_steps(self, lengths: list[int]) -> None:
        """Steps and sequences in them, so many prompts at a time."""
        assert self.decode_moments is not None
        for begin in range(0, len(lengths), self.together):
            part = lengths[begin : begin + self.together]
            self.decode_moments[0] += max(part)
            self.decode_moments[1] += sum(part)

    def flatten(self, answers: list[Any], body: Any) -> None:
        for answer in answers:
            meta = answer.get("meta_info")
            for side in ("input", "output") if isinstance(meta, dict) else ():
                flatten(meta, side, body["top_logprobs_num"])
        if self.flat_fault is not None and not is_look(body):
            self.flat_fault(answers[0])

    def answer(self, index: int, body: dict[str, Any]) -> dict[str, Any]:
        ids = body["input_ids"][index]
        # What would kill the real scheduler.
        assert ids
        assert is_look(body) or all(0 <= token < VOCABULARY for token in ids)
        assert body.get("top_logprobs_num", 0) <= VOCABULARY
        sampling = body["sampling_params"]
        sampling = sampling if isinstance(sampling, dict) else sampling[index]
        new = sampling["max_new_tokens"]
        output: list[int] = []
        rows = []
        while len(output) < new and (sampling["ignore_eos"] or EOS not in output):
            rows.append(self.predict(ids + output))
            output.append(int(rows[-1].argmax()))
        meta: dict[str, Any] = {
            "id": body["rid"][index],
            "prompt_tokens": len(ids),
            "cached_tokens": 0,
            "weight_version": self.model["weight_version"],
            "finish_reason": {"type": "stop" if EOS in output else "length", "length": new},
        }
        if body.get("return_logprob"):
            k = body["top_logprobs_num"]
            meta["input_token_logprobs"] = meta["input_top_logprobs"] = []
            if "logprob_start_len" in body:
                self.add_input(meta, ids, body["logprob_start_len"][index], k)
            meta["output_token_logprobs"] = [
                [float(row[token]), token, None] for row, token in zip(rows, output, strict=True)
            ]
            meta["output_top_logprobs"] = [triples(row, k) for row in rows or [self.predict(ids)]]
        return {"text": "", "output_ids": output, "meta_info": meta}

    def add_input(self, meta: dict[str, Any], ids: list[int], start: int, k: int) -> None:
        assert 0 <= start < len(ids)
        rows = [(position, self.predict(ids[:position])) for position in range(start + 1, len(ids))]
        meta["input_token_logprobs"] = [
            [None, ids[start], None],
            *([own(row, ids[position]), ids[position], None] for position, row in rows),
        ]
        meta["input_top_logprobs"] = [None, *(triples(row, k) for _, row in rows)]

    def predict(self, prefix: list[int]) -> np.ndarray:
        return distribution(prefix, VOCABULARY, self.weights)


def own(row: np.ndarray, token: int) -> float:
    """A token's logprob; of one that only a client with a larger vocabulary knows, a small one."""
    return float(row[token]) if token < len(row) else -99.0


def is_look(body: Any) -> bool:
    """Whether a request is the client's own look at the model, no prompt of a test's."""
    return isinstance(body, dict) and ("text" in body or body["rid"][0].startswith("curate-look-"))
