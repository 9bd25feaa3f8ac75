"""A running SGLang server, by URL.

Written against SGLang 0.5.16 (H200) and 0.5.23 (CPU). A token id outside the vocabulary, a list longer than
the vocabulary, a negative start or an empty list inside a batch kills such a server for everyone; all of it
is checked here before anything is sent.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from curator._errors import InputError, ServerError
from curator.serve.http import Connection
from curator.serve.interface import Continuation, Sampling, Scores, Window, batches
from curator.serve.sglang_answer import read_continuation, read_decoded, read_scores

# Sent with every request: what a server was started with (--preferred-sampling-params) must not leak in.
SAMPLING = {
    "temperature": 0,
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "frequency_penalty": 0.0,
    "presence_penalty": 0.0,
}
# What we call a fact -> what SGLang calls it.
_SERVER_FACTS = {
    "version": "version",
    "dtype": "dtype",
    "device": "device",
    "attention": "attention_backend",
    "chunked_prefill_size": "chunked_prefill_size",
    "kv_cache_dtype": "kv_cache_dtype",
    "quantization": "quantization",
    "fp4_backend": "fp4_gemm_runner_backend",
    "tensor_parallel": "tp_size",
    "data_parallel": "dp_size",
    "page_size": "page_size",
    "radix_cache_off": "disable_radix_cache",
    "deterministic": "enable_deterministic_inference",
    "max_req_input_len": "max_req_input_len",
}
_FLUSH_TRIES = 10


class SGLang:
    """A server that decodes greedily and gives top-K logprobs; see interface.py for the methods.

    Args:
        url: address of the server.
        vocabulary: number of token ids that the model knows.
        timeout: seconds to wait for one answer.
        wait: seconds to wait for a server that is starting.
        refused_wait: seconds to wait for an address where nothing listens yet.
        tries: how often a request is sent when the connection breaks or the server answers 5xx.
        backoff: seconds before the second try; doubled each time.

    Attributes:
        notes: what the user should know and is no error, such as a lowered K.

    Raises:
        InputError: the URL is none.
        ServerError: no healthy SGLang server answers there.
    """

    def __init__(
        self,
        url: str,
        *,
        vocabulary: int,
        timeout: float = 600.0,
        wait: float = 300.0,
        refused_wait: float = 10.0,
        tries: int = 4,
        backoff: float = 1.0,
    ) -> None:
        self.notes: list[str] = []
        self._vocabulary = vocabulary
        self._backoff = backoff
        self._connection = Connection(url, timeout=timeout, tries=tries, backoff=backoff)
        self.url = self._connection.url
        self._connection.wait_until_healthy(wait, refused_wait)
        self._server = self._connection.get("/server_info", "/get_server_info")
        self._model = self._connection.get("/model_info", "/get_model_info")
        limit = self._server.get("max_req_input_len")
        self._longest: int | None = limit if isinstance(limit, int) else None

    def longest(self) -> int | None:
        """What the server takes at most, when it says so."""
        return self._longest

    def facts(self) -> dict[str, str]:
        """Backend, version, dtype, cache and parallelism settings, model; a fact the server lacks is left out.

        SGLang does not tell its GPU model, only the kind of device.
        """
        facts = {"backend": "sglang", "sampling": "temperature 0, logprobs at temperature 1"}
        for ours, theirs in _SERVER_FACTS.items():
            if theirs in self._server:
                facts[ours] = str(self._server[theirs])
        for name in ("model_path", "weight_version", "model_type"):
            if self._model.get(name) is not None:
                facts[name] = str(self._model[name])
        return facts

    def batch_limit(self, lengths: Sequence[int], new_tokens: int) -> int:
        """Unknown."""
        return sys.maxsize

    def can_force(self) -> str | None:
        """Not yet."""
        return "forced decoding needs a custom logit processor on the server"

    def force(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Refused.

        Raises:
            InputError: always.
        """
        raise InputError(f"{self.url}: {self.can_force()}")

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        batch_size: int,
        *,
        top_k: int = 0,
        keep: int = 0,
    ) -> Iterator[Continuation]:
        """Continuations, one request a batch.

        Raises:
            InputError: a prompt is empty, too long, or holds an id outside the vocabulary; nothing was sent.
            ServerError: the server failed, or its answer is not one.
        """
        if sampling.new_tokens < 1:
            raise InputError(f"{sampling.new_tokens} new tokens asked; ask for at least 1")
        if sampling.temperature and self._server.get("enable_deterministic_inference") is not True:
            self._note(
                "sampled answers differ from run to run; start the server with --enable-deterministic-inference"
            )
        for index, prompt in enumerate(prompts):
            self._check(index, prompt)
        k = self._top_k(top_k) if top_k else 0
        extra = {"return_logprob": True, "top_logprobs_num": k, "return_text_in_logprobs": False} if k else {}
        self._flush_cache()
        for span in batches(len(prompts), batch_size):
            batch = [list(prompts[index]) for index in span]
            asked = [_sampling(sampling, ids) for ids in batch]
            answers = self._ask(batch, asked if sampling.temperature else asked[0], extra)
            for ids, answer in zip(batch, answers, strict=True):
                with self._named():
                    continuation = read_continuation(answer, ids, sampling.new_tokens, self._vocabulary)
                    if k:
                        scores = read_decoded(answer, continuation.ids, keep, k, self._vocabulary)
                        continuation = replace(continuation, scores=scores)
                yield continuation

    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Prefill-scored top-K lists, one request a batch; ``logits`` stays ``None``.

        Raises:
            InputError: a window cannot be sent; nothing was sent.
            ServerError: the server failed, or its logprobs cannot be right.
        """
        k = self._top_k(top_k)
        for index, window in enumerate(windows):
            self._check(index, window.ids)
            if not 1 <= window.start < len(window.ids):
                raise InputError(f"window {index}: start {window.start} of {len(window.ids)} tokens")
        self._flush_cache()
        for span in batches(len(windows), batch_size):
            batch = [windows[index] for index in span]
            extra = {
                "return_logprob": True,
                "top_logprobs_num": k,
                # The entry at the start is always null: one earlier, for the first scored token to have its own.
                "logprob_start_len": [window.start - 1 for window in batch],
                "return_text_in_logprobs": False,
            }
            rows = [list(window.ids) for window in batch]
            answers = self._ask(rows, {**SAMPLING, "max_new_tokens": 0}, extra)
            for window, answer in zip(batch, answers, strict=True):
                with self._named():
                    scores = read_scores(answer, window, k, self._vocabulary)
                yield scores

    def close(self) -> None:
        """Close the connection; the server goes on."""
        self._connection.close()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Faults of an answer with the address that gave it, and what to do."""
        try:
            yield
        except ServerError as error:
            raise ServerError(
                f"{self.url}/generate: {error}; see that this is an SGLang server (0.5.16 to 0.5.23 are known), "
                "and its own log"
            ) from error

    def _check(self, index: int, ids: Sequence[int]) -> None:
        if not ids:
            raise InputError(f"prompt {index}: no tokens")
        low, high = min(ids), max(ids)
        if low < 0 or high >= self._vocabulary:
            raise InputError(
                f"prompt {index}: token id {low if low < 0 else high} is outside the vocabulary of "
                f"{self._vocabulary}; is this the server's tokenizer?"
            )
        if self._longest is not None and len(ids) > self._longest:
            raise InputError(
                f"prompt {index}: {len(ids)} tokens, the server takes {self._longest} at most; "
                "shorten it, or start the server with a longer --context-length"
            )

    def _top_k(self, asked: int) -> int:
        if asked < 1:
            raise InputError(f"top-{asked} logprobs asked; ask for at least 1")
        if asked > self._vocabulary:
            self._note(f"top-{asked} lowered to {self._vocabulary}, the size of the vocabulary")
        return min(asked, self._vocabulary)

    def _flush_cache(self) -> None:
        """Forget cached prefixes, so that a measurement does not depend on what was asked before it."""
        if self._server.get("disable_radix_cache") is True:
            return
        for _ in range(_FLUSH_TRIES):
            status = self._connection.status("/flush_cache")
            if status == 200:
                return
            if status in {401, 403, 404, 405}:
                self._note(f"the prefix cache could not be emptied (/flush_cache answers {status})")
                return
            # 400 while requests run: ours are answered, but the scheduler may lag behind its answer.
            time.sleep(self._backoff / 2)
        raise ServerError(
            f"{self._connection.url}: the prefix cache could not be emptied; is somebody else using the server?"
        )

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _ask(
        self, batch: list[list[int]], sampling: dict[str, Any] | list[dict[str, Any]], extra: dict[str, Any]
    ) -> list[dict[str, Any]]:
        body = {"input_ids": batch, "sampling_params": sampling, "stream": False, **extra}
        answers = self._connection.post("/generate", body)
        if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
            raise ServerError(
                f"{self._connection.url}: /generate did not answer a list of results; is this an SGLang server?"
            )
        if len(answers) != len(batch):
            raise ServerError(
                f"{self._connection.url}: {len(answers)} answers to a batch of {len(batch)}; see its own log"
            )
        return answers


def _sampling(sampling: Sampling, prompt: list[int]) -> dict[str, Any]:
    """The sampling parameters of one prompt."""
    asked = {**SAMPLING, "max_new_tokens": sampling.new_tokens, "ignore_eos": False}
    if not sampling.temperature:
        return asked
    return {**asked, "temperature": sampling.temperature, "sampling_seed": sampling.seed_of(prompt)}
