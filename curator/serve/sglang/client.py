"""The client: what ``interface.Server`` asks for, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from curator._errors import InputError, ServerError
from curator.serve.body import Traffic
from curator.serve.forced.decoding import Forced, cannot_force
from curator.serve.http import Connection
from curator.serve.interface import Continuation, Sampling, Scores, Window, batches
from curator.serve.sglang.answer import read_continuation, read_scores
from curator.serve.sglang.ask import Patience
from curator.serve.sglang.facts import server_facts, tokenizer_fact
from curator.serve.sglang.limits import check_prompt, check_windows
from curator.serve.sglang.request import NEUTRAL, Batch, sampling_of
from curator.serve.sglang.session import Session, lists, scoring


class SGLang:
    """A server that decodes greedily and gives top-K logprobs; see interface.py for the methods.

    Args:
        url: address of the server.
        vocabulary: number of token ids that the model knows.
        timeout: seconds to wait for one answer.
        wait: seconds to wait for a server that is starting.
        refused_wait: seconds to wait for an address where nothing listens yet.
        restart_wait: seconds to wait, in a run, for a server that went away.
        tries: how often a request is sent when the connection breaks or the server answers 5xx.
        backoff: seconds before the second try; doubled each time.
        look_every: seconds between two looks at whether the same model still answers.
        key: API key; left out, what CURATE_API_KEY holds.
        machine: facts that are known of the server's machine and that SGLang does not tell.
        gone: why the server will not come back, in words, ``None`` while it may; asked when a connection is lost.
        allow_code: the server may be sent code to run (a logit processor, for forced decoding).

    Attributes:
        notes: what the user should know and is no error, such as a lowered K.
        info: what ``/server_info`` said.
        trusted: results of the last pass, from its first, that were given before the last look at the model.

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
        restart_wait: float = 300.0,
        tries: int = 4,
        backoff: float = 1.0,
        look_every: float = 60.0,
        key: str | None = None,
        machine: Mapping[str, str] | None = None,
        gone: Callable[[], str | None] = lambda: None,
        allow_code: bool = False,
    ) -> None:
        self.allow_code = allow_code
        self._machine = dict(machine or {})
        self._facts: dict[str, str] | None = None
        self._connection = Connection(url, timeout=timeout, tries=tries, backoff=backoff, key=key)
        self.url = self._connection.url
        self._connection.wait_until_healthy(wait, refused_wait)
        patience = Patience(tries, backoff, wait, restart_wait)
        self._session = Session(self._connection, vocabulary, patience, look_every, gone)
        self.info = self._session.info
        self.notes = self._session.notes

    @property
    def traffic(self) -> Traffic:
        """What the connection carried so far."""
        return self._connection.traffic

    @property
    def achieved(self) -> dict[int, int]:
        """Batch sizes asked that did not run whole, with the prompts that ran together."""
        return self._session.achieved

    @property
    def decoded_at_once(self) -> dict[int, float]:
        """Prompts that the server decoded at a time on average, by the batch size asked, where it counts them."""
        return dict(self._session.decoded_at_once)

    @property
    def trusted(self) -> int:
        """Results of the last pass, from its first, that were given before the last look at the model."""
        return self._session.trusted

    def longest(self) -> int | None:
        """What the server takes at most, when it says so."""
        return self._session.budget.longest()

    def batch_limit(self, lengths: Sequence[int], new_tokens: int) -> int:
        """What its cache and its number of running requests allow."""
        return self._session.budget.batch_limit(lengths, new_tokens)

    def facts(self) -> dict[str, str]:
        """Backend, version, dtype, cache and parallelism settings, model, tokenizer; unknown ones are left out.

        SGLang does not tell its GPU model, only the kind of device.
        """
        if self._facts is None:
            server = server_facts(self.info, self._session.model)
            self._facts = {**server, **tokenizer_fact(self._connection), **self._machine}
        return dict(self._facts)

    def weights_probe(self) -> str:
        """A fingerprint of the weights; compare with ``probe.same_weights``."""
        return self._session.guard.start()

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        batch_size: int,
        *,
        limits: Sequence[int] | None = None,
        top_k: int = 0,
        keep: int = 0,
    ) -> Iterator[Continuation]:
        """Continuations, one request a batch.

        Raises:
            InputError: a prompt is empty, too long, or holds an id outside the vocabulary; nothing was sent.
            ServerError: the server failed, or its answer is not one.
            RefusedError: the model changed meanwhile.
        """
        most = limits or [sampling.new_tokens] * len(prompts)
        if min(most, default=1) < 1:
            raise InputError(f"{min(most)} new tokens asked; ask for at least 1")
        if sampling.temperature and top_k:
            raise InputError("distributions are at temperature 1 in greedy decoding only; ask for temperature 0")
        if sampling.temperature and self.info.get("enable_deterministic_inference") is not True:
            self._session.note(
                "sampled answers differ from run to run; start the server with --enable-deterministic-inference"
            )
        asked = [
            {**sampling_of(sampling, prompt), "max_new_tokens": new}
            for prompt, new in zip(prompts, most, strict=True)
        ]
        yield from self._decode(prompts, asked, top_k, [keep] * len(prompts), batch_size, {})

    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        new_tokens: Sequence[int],
        top_k: int,
        batch_size: int,
        *,
        fields: Mapping[str, Any],
        params: Sequence[Mapping[str, Any]],
    ) -> Iterator[Continuation]:
        """Exactly so many tokens of each prompt, with the lists that the server gave for all of them.

        Args:
            prompts: token ids of each.
            new_tokens: of each, whether it ends before or not.
            top_k: length of the lists.
            batch_size: prompts of one request.
            fields: of the request, beside ours, such as a logit processor.
            params: of each prompt's sampling, beside ours.

        Raises:
            InputError: a prompt cannot be sent; nothing was sent.
            ServerError: the server failed, or its answer is not one.
            RefusedError: the model changed meanwhile.
        """
        asked = [
            {**NEUTRAL, "max_new_tokens": new, "ignore_eos": True, **more}
            for new, more in zip(new_tokens, params, strict=True)
        ]
        yield from self._decode(prompts, asked, top_k, new_tokens, batch_size, fields)

    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Prefill-scored top-K lists, one request a batch; ``logits`` stays ``None``.

        Raises:
            InputError: a window cannot be sent; nothing was sent.
            ServerError: the server failed, or its logprobs cannot be right.
            RefusedError: the model changed meanwhile.
        """
        k = self._top_k(top_k)
        check_windows(windows, self._session.vocabulary, self._session.budget.input)
        parts = [windows[span.start : span.stop] for span in batches(len(windows), batch_size)]
        self._session.tell_sizes([[len(window.ids) for window in part] for part in parts], 0, batch_size)

        def read(place: int, answer: dict[str, Any]) -> Scores:
            return read_scores(answer, windows[place], k, self._session.vocabulary)

        yield from self._session.run([scoring(part, k) for part in parts], batch_size, read)

    def can_force(self) -> str | None:
        """Why ``force`` cannot be used, in words; ``None`` where it can."""
        return cannot_force(self.info, self.allow_code)

    def force(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Distributions of each window's scored tokens as they are when the window is decoded.

        Raises:
            InputError: ``can_force`` says why, or a window cannot be sent; nothing was sent.
            ServerError: the server failed, took other tokens, or its logprobs cannot be right.
            RefusedError: the model changed meanwhile.
        """
        reason = self.can_force()
        if reason is not None:
            raise InputError(f"{self.url}: {reason}")
        check_windows(windows, self._session.vocabulary, self._session.budget.input)
        k = self._top_k(top_k)
        forced = Forced(windows, k)
        decoded = self.decode(
            forced.prompts,
            [len(tokens) for tokens in forced.tokens],
            min(k + 1, self._session.vocabulary),
            batch_size,
            fields=forced.fields,
            params=forced.params,
        )
        for index, continuation in enumerate(decoded):
            try:
                scores = forced.scores(index, continuation)
            except ServerError as error:
                raise ServerError(f"{self.url}: {error}") from error
            yield scores

    def close(self) -> None:
        """Close the connection; the server goes on."""
        self._connection.close()

    def _decode(
        self,
        prompts: Sequence[Sequence[int]],
        asked: Sequence[Mapping[str, Any]],
        top_k: int,
        keep: Sequence[int],
        batch_size: int,
        fields: Mapping[str, Any],
    ) -> Iterator[Continuation]:
        vocabulary, budget = self._session.vocabulary, self._session.budget
        new = [int(one["max_new_tokens"]) for one in asked]
        for index, prompt in enumerate(prompts):
            check_prompt(index, prompt, vocabulary, budget.input, new[index])
        k = self._top_k(top_k) if top_k else 0
        fields = {**(lists(k) if k else {}), **fields}
        parts = [slice(span.start, span.stop) for span in batches(len(prompts), batch_size)]
        lengths = [[len(prompt) for prompt in prompts[part]] for part in parts]
        self._session.tell_sizes(lengths, max(new, default=0), batch_size)

        def read(place: int, answer: dict[str, Any]) -> Continuation:
            return read_continuation(answer, prompts[place], new[place], vocabulary, k, keep[place])

        asking = [Batch(prompts[part], asked[part], (), fields) for part in parts]
        yield from self._session.run(asking, batch_size, read, decodes=True)

    def _top_k(self, asked: int) -> int:
        vocabulary = self._session.vocabulary
        if asked < 1:
            raise InputError(f"top-{asked} logprobs asked; ask for at least 1")
        if asked > vocabulary:
            self._session.note(f"top-{asked} lowered to {vocabulary}, the size of the vocabulary")
        return min(asked, vocabulary)
