"""A run of batches through a server: in order, one ahead, with an eye on the model that answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from curator._errors import ServerError
from curator.serve.http import Connection
from curator.serve.interface import Window
from curator.serve.probe import fingerprint, probe_window
from curator.serve.sglang.ahead import Step, one_ahead
from curator.serve.sglang.answer import read_scores
from curator.serve.sglang.arrays import FLAT
from curator.serve.sglang.ask import Asker, Patience
from curator.serve.sglang.facts import read_info, read_model, server_facts
from curator.serve.sglang.guard import Guard
from curator.serve.sglang.limits import Budget
from curator.serve.sglang.request import NEUTRAL, Batch
from curator.serve.sglang.together import Together, read_decoded

T = TypeVar("T")
Answers = list[dict[str, Any]]
# Half a backoff each, the first ones less: what a broken connection left running ends by itself, seconds later.
_IDLE_TRIES = 60
_PROBE_K = 8
# May be another after a restart, with the memory that is free then, and the same model answers.
_MAY_MOVE = "max_req_input_len"


class Session:
    """A healthy server and what is known of it.

    Args:
        connection: to it.
        vocabulary: number of token ids that the model knows.
        patience: with it.
        look_every: seconds between two looks at whether the same model still answers.
        gone: why the server will not come back, ``None`` while it may.

    Attributes:
        url: its address.
        vocabulary: see above.
        info: what ``/server_info`` said.
        model: what ``/model_info`` said.
        budget: its sizes.
        notes: what the user should know and is no error.
        decoded_at_once: prompts that the server decoded at a time on average, by the batch size asked, where it
            counts them.
        trusted: results of the last run, from its first, that were given before the last look at the model.
        guard: that looks.
    """

    def __init__(
        self,
        connection: Connection,
        vocabulary: int,
        patience: Patience,
        look_every: float,
        gone: Callable[[], str | None],
    ) -> None:
        self.url, self.vocabulary = connection.url, vocabulary
        self.notes: list[str] = []
        self.trusted = 0
        self._connection, self._backoff = connection, patience.backoff
        self.info, self.model = read_info(connection), read_model(connection)
        self.budget = Budget.of(self.info)
        self.guard = Guard(self.url, self._identity, self._probe, look_every)
        self._asker = Asker(
            connection,
            patience,
            idle=self._wait_idle,
            came_back=lambda: self.guard.check(restarted=True),
            gone=gone,
            note=self.note,
        )
        self.decoded_at_once: dict[int, float] = {}
        self._held: dict[int, int] = {}
        self._together: Together | None = None

    @property
    def achieved(self) -> dict[int, int]:
        """Batch sizes asked that did not run whole, with the prompts that ran together."""
        pieces = self._asker.pieces
        return {size: min(pieces.get(size, size), self._held.get(size, size)) for size in pieces | self._held}

    def note(self, note: str) -> None:
        """Tell the user, once."""
        if note not in self.notes:
            self.notes.append(note)

    def run(
        self,
        batches: Sequence[Batch],
        batch_size: int,
        read: Callable[[int, dict[str, Any]], T],
        *,
        decodes: bool = False,
    ) -> Iterator[T]:
        """What ``read`` makes of each answer, in the order of the prompts.

        Args:
            batches: what to ask.
            batch_size: prompts of all of them but perhaps the last.
            read: takes the prompt's place in the run and its answer.
            decodes: tokens are decoded, so that the server counts steps.

        Raises:
            ServerError: the server failed, or an answer cannot be right.
            RefusedError: the model changed meanwhile.
        """
        self.trusted = done = 0
        steps: list[Step[tuple[bool, Answers]]]
        steps = [partial(self._begin, decodes), *(partial(self._step, batch, batch_size) for batch in batches)]
        steps.append(partial(self._end, batch_size))
        for looked, answers in one_ahead(steps):
            if looked:
                self.trusted = done
            for answer in answers:
                with self._named():
                    result = read(done, answer)
                self.guard.check_answer(answer)
                done += 1
                yield result

    def tell_sizes(self, parts: Sequence[Sequence[int]], new_tokens: int, batch_size: int) -> None:
        """Note, before a run, where its batches cannot be what they are called.

        Args:
            parts: tokens of each prompt of each batch.
            new_tokens: decoded after each.
            batch_size: asked.
        """
        crowded = [part for part in parts if self.budget.batch_limit(part, new_tokens) < len(part)]
        if crowded:
            held = min(self.budget.batch_limit(part, new_tokens) for part in crowded)
            self._held[batch_size] = min(held, self._held.get(batch_size, held))
            self.note(f"batch size {batch_size}: the server's cache holds {held} of these prompts at once")
        chunked = [part for part in parts if self.budget.prefilled_together(part) < len(part)]
        if chunked and not new_tokens:
            few = min(self.budget.prefilled_together(part) for part in chunked)
            self.note(
                f"batch size {batch_size}: one prefill step of the server takes {self.budget.chunk} tokens, "
                f"at times {few} of these prompts (its --chunked-prefill-size)"
            )

    def ask(self, batch: Batch) -> Answers:
        """The answers to a small batch outside a run.

        Raises:
            ServerError: it was not answered.
        """
        return self._asker.once(batch)

    def _begin(self, decodes: bool, _free: Callable[[], None]) -> tuple[bool, Answers]:
        self._wait_idle()
        self.guard.begin()
        self._together = Together(partial(read_decoded, self._connection)) if decodes else None
        return False, []

    def _step(self, batch: Batch, batch_size: int, free: Callable[[], None]) -> tuple[bool, Answers]:
        """Whether the model was looked at, and the answers given after that."""
        looked = self.guard.due()
        if looked:
            self._look()
        answers = self._asker.ask(batch, batch_size, free)
        if self._together is not None:
            self._together.add(answers)
        return looked, answers

    def _end(self, batch_size: int, _free: Callable[[], None]) -> tuple[bool, Answers]:
        if self._together is not None:
            mean = self._together.mean()
            if mean is not None:
                self.decoded_at_once[batch_size] = round(mean, 2)
            for note in self._together.told(batch_size, mean):
                self.note(note)
        self._look()
        return True, []

    def _look(self) -> None:
        self._asker.wait()
        self.guard.check()

    def _identity(self) -> Mapping[str, str]:
        facts = server_facts(read_info(self._connection), read_model(self._connection))
        return {name: value for name, value in facts.items() if name != _MAY_MOVE}

    def _probe(self) -> str:
        window = probe_window(self.vocabulary)
        k = min(_PROBE_K, self.vocabulary)
        (answer,) = self.ask(scoring([window], k))
        with self._named():
            return fingerprint(read_scores(answer, window, k, self.vocabulary))

    def _wait_idle(self) -> None:
        """Wait until nothing runs, and have cached prefixes forgotten."""
        if self.info.get("disable_radix_cache") is True:
            return
        pause = self._backoff / 50
        for _ in range(_IDLE_TRIES):
            status = self._connection.status("/flush_cache")
            if status == 200:
                return
            if status in {401, 403, 404, 405}:
                self.note(f"the prefix cache could not be emptied (/flush_cache answers {status})")
                return
            # 400 while requests run: ours are answered, but the scheduler may lag behind its answer.
            time.sleep(pause)
            pause = min(pause * 2, self._backoff / 2)
        raise ServerError(f"{self.url}: the prefix cache could not be emptied; is somebody else using the server?")

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


def scoring(windows: Sequence[Window], k: int) -> Batch:
    """The request for the windows' prefill-scored lists."""
    # The entry at a start is null: one token earlier is asked.
    return Batch(
        [window.ids for window in windows],
        [{**NEUTRAL, "max_new_tokens": 0}] * len(windows),
        [window.start - 1 for window in windows],
        lists(k),
    )


def lists(k: int) -> dict[str, Any]:
    """What a request asks lists of K with."""
    return {"return_logprob": True, "top_logprobs_num": k, "return_text_in_logprobs": False, **FLAT}
