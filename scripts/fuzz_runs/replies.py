"""Answers of a server, through the real client and a real connection on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from client_of_stub import WINDOW, connect
from hypothesis import strategies as st
from stub_sglang import Stub, is_look

from curator.serve.interface import Sampling
from fuzz_runs.changes import as_json, changed_bytes, changed_json
from fuzz_runs.target import Ready, Target

_PAYLOADS = (
    b"null", b"1e999", b"NaN", b"[", b"]", b"{", b"}", b'"', b",", b"9" * 5000, b"\xff", b"[" * 3000, b"\0",
)  # fmt: skip
_K, _NEW = 8, 6


class Hostile(Stub):
    """The stub, which gives what it is told to instead of one kind of its answers.

    Attributes:
        instead: the path whose answer it is, and the answer; ``None`` for its own.
        kept: the last answer of its own to each path.
    """

    def __init__(self) -> None:
        self.instead: tuple[str, bytes] | None = None
        self.kept: dict[str, bytes] = {}
        super().__init__()

    def get(self, path: str) -> tuple[int, bytes]:
        """Answer a GET."""
        return self._given(path, *super().get(path))

    def post(self, path: str, body: Any) -> tuple[int, bytes]:
        """Answer a POST; the client's own looks at the model are answered rightly."""
        status, content = super().post(path, body)
        return (status, content) if is_look(body) else self._given(path, status, content)

    def _given(self, path: str, status: int, content: bytes) -> tuple[int, bytes]:
        self.kept[path] = content
        if self.instead is None or self.instead[0] != path:
            return status, content
        return 200, self.instead[1]


def asked(client: Any, kind: str) -> None:
    """Ask for scores or for a continuation, and use what comes."""
    if kind == "decode":
        for one in client.generate([WINDOW.ids], Sampling(_NEW), 1, top_k=_K, keep=_NEW):
            assert 1 <= len(one.ids) <= _NEW
        return
    for scores in client.score([WINDOW], _K, 8):
        assert np.isfinite(scores.top_logprobs).all()
        assert np.isfinite(scores.chosen).all()
        assert scores.top_ids.shape == (4, _K)


@contextmanager
def _ready(_folder: Path) -> Iterator[Ready]:
    stub = Hostile()
    try:
        with np.errstate(all="raise"):
            yield Ready(*_prepared(stub))
    finally:
        stub.stop()


def _prepared(stub: Hostile) -> tuple[st.SearchStrategy[Any], Any]:
    seeds: dict[str, list[bytes]] = {"score": [], "decode": []}
    clients = {}
    for flat in (True, False):
        stub.flat = flat
        clients[flat] = connect(stub, tries=1)
        for kind, found in seeds.items():
            asked(clients[flat], kind)
            found.append(stub.kept["/generate"])
    seeds["info"], seeds["model"] = [stub.kept["/server_info"]], [stub.kept["/model_info"]]

    def check(case: tuple[str, bytes]) -> bool:
        kind, content = case
        path = {"info": "/server_info", "model": "/model_info"}.get(kind, "/generate")
        try:
            stub.instead = (path, content)
            if path == "/generate":
                asked(clients[False], kind)
            else:
                connect(stub, tries=1, wait=0.0).facts()
        finally:
            stub.instead = None
            stub.requests.clear()
        return True

    values = [
        st.tuples(st.just(kind), changed_json([json.loads(body) for body in bodies]).map(as_json))
        for kind, bodies in seeds.items()
    ]
    answers = changed_bytes(seeds["score"] + seeds["decode"], _PAYLOADS)
    return st.one_of(*values, st.tuples(st.sampled_from(["score", "decode"]), answers)), check


REPLIES = Target("replies", "answers of an SGLang server: /generate, and what it says of itself", _ready)
