"""A proxy that spoils answers on their way from a server: a stub's, or a real SGLang's."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import requests

from curator.serve.sglang.answer import LEAST
from tests.serve.http_in_thread import HttpInThread, QuietHandler

# What a next try mends: the answer does not arrive whole.
BROKEN = ("500", "500 late", "429", "503", "drop", "drop late", "half", "cut", "html", "delay", "restart")
# What arrives whole and must be refused.
WRONG = (
    "NaN",
    "row short",
    "swapped",
    "reversed",
    "shifted",
    "one fewer",
    "cooled",
    "stale",
    "repeated",
    "zeroed",
)


class _Handler(QuietHandler):
    proxy: FaultProxy

    def do_GET(self) -> None:
        if self.path == "/health" and self.proxy.is_down():
            return self.reply(503, b"")
        return self.reply(*self.proxy.forward(self, b""))

    def do_POST(self) -> None:
        body = self.body()
        fault = self.proxy.fault_of(self.path, body)
        if fault in ("500", "429", "503"):
            return self.reply(int(fault), b'{"error":{"message":"busy"}}')
        if fault in ("drop", "restart"):
            return self.drop()
        status, content = self.proxy.forward(self, body)
        if fault is not None:
            return self.spoiled(fault, content)
        return self.reply(status, content)

    def spoiled(self, fault: str, content: bytes) -> None:
        if fault == "drop late":
            return self.drop()
        if fault == "half":
            return self.reply(200, content[: len(content) // 2], len(content))
        if fault == "500 late":
            return self.reply(500, b"")
        if fault == "delay":
            time.sleep(0.02)
        if fault in ("cut", "html"):
            content = content[: len(content) // 2] if fault == "cut" else b"<html>"
        if fault in WRONG:
            content = self.proxy.wrong(fault, content)
        return self.reply(200, content)

    def drop(self) -> None:
        self.close_connection = True


class FaultProxy(HttpInThread):
    """Forwards everything to ``target``; the n-th asked ``/generate`` suffers what ``plan(n)`` says.

    The client's own looks at the model pass unharmed.

    Attributes:
        done: the faults that were really done.
    """

    def __init__(self, target: str, plan: Callable[[int], str | None]) -> None:
        self.target, self.plan = target, plan
        self.done: list[str] = []
        self._asked, self._down, self._last = 0, 0, b"[]"
        super().__init__(type("Handler", (_Handler,), {"proxy": self}))

    def forward(self, asked: QuietHandler, body: bytes) -> tuple[int, bytes]:
        keep = {name: value for name, value in asked.headers.items() if name in ("Authorization", "Content-Type")}
        answer = requests.request(asked.command, self.target + asked.path, data=body, headers=keep, timeout=300)
        return answer.status_code, answer.content

    def is_down(self) -> bool:
        self._down -= 1
        return self._down >= 0

    def fault_of(self, path: str, body: bytes) -> str | None:
        if path != "/generate" or b'"rid":["curate-ask-' not in body:
            return None
        fault = self.plan(self._asked)
        self._asked += 1
        if fault is not None:
            self.done.append(fault)
        if fault == "restart":
            self._down = 1
        return fault

    def wrong(self, fault: str, content: bytes) -> bytes:
        """The answers, whole and false."""
        answers = json.loads(content)
        stale, self._last = self._last, content
        if fault == "stale":
            return stale
        if fault == "reversed":
            answers.reverse()
        if fault == "one fewer":
            answers.pop()
        if fault == "swapped" and len(answers) > 1:
            for key in [key for key in answers[0]["meta_info"] if "input_top" in key]:
                metas = answers[0]["meta_info"], answers[1]["meta_info"]
                metas[0][key], metas[1][key] = metas[1][key], metas[0][key]
        for answer in answers:
            spoil(answer["meta_info"], fault)
        return json.dumps(answers).encode()


def spoil(meta: dict[str, Any], fault: str) -> None:
    """Change one answer's arrays."""
    rows, k = meta["input_top_logprobs_shape"]
    values = decoded(meta["input_top_logprobs_val_flat_b64"], "<f4").reshape(rows, k)
    ids = decoded(meta["input_top_logprobs_idx_flat_b64"], "<i4").reshape(rows, k)
    if fault == "NaN":
        values[-1, 0] = np.nan
    if fault == "zeroed":
        values[:] = LEAST
    if fault == "row short":
        values, ids = values[1:], ids[1:]
        meta["input_top_logprobs_shape"] = [rows - 1, k]
    if fault == "shifted":
        values, ids = np.roll(values, 1, axis=0), np.roll(ids, 1, axis=0)
    if fault == "cooled":
        values /= 2
    if fault == "repeated":
        values[:], ids[:] = values[0], ids[0]
    meta["input_top_logprobs_val_flat_b64"] = base64.b64encode(values.tobytes()).decode()
    meta["input_top_logprobs_idx_flat_b64"] = base64.b64encode(ids.tobytes()).decode()


def decoded(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype).copy()
