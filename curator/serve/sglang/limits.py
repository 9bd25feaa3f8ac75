"""What a server can hold at once, and what would kill or overfill it: checked before anything is sent.

A token id outside the vocabulary, a list longer than the vocabulary, a start below -1 or an empty list inside a
batch ends an SGLang server for everyone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from curator._errors import InputError
from curator.serve.interface import Window

# A prompt of the greatest length leaves room for so many new tokens (read in 0.5.23's scheduler).
_ROOM = 4


@dataclass(frozen=True, slots=True)
class Budget:
    """The sizes that a server says of itself; ``None`` for what it does not say.

    Attributes:
        input: tokens of a prompt at most.
        tokens: that fit into its cache, of all sequences together (on one replica).
        running: sequences that run at once (on one replica).
        chunk: tokens that one prefill step takes; ``None`` without chunks.
        page: tokens of one page of the cache.
        replicas: data-parallel copies, over which a batch is spread.
    """

    input: int | None
    tokens: int | None
    running: int | None
    chunk: int | None
    page: int
    replicas: int

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> Budget:
        """What ``/server_info`` says."""
        states = info.get("internal_states")
        state = states[0] if isinstance(states, list) and states and isinstance(states[0], dict) else {}
        replicas = _positive(info.get("dp_size")) or 1
        running = _positive(state.get("effective_max_running_requests_per_dp"))
        if running is None:
            asked = _positive(info.get("max_running_requests"))
            running = asked and max(1, asked // replicas)
        return cls(
            input=_positive(info.get("max_req_input_len")),
            tokens=_positive(info.get("max_total_num_tokens")),
            running=running,
            chunk=_positive(info.get("chunked_prefill_size")),
            page=_positive(info.get("page_size")) or 1,
            replicas=replicas,
        )

    def longest(self) -> int | None:
        """Tokens that a sequence may have; the server wants one place more than its limit says."""
        return None if self.input is None else self.input - 1

    def batch_limit(self, lengths: Iterable[int], new_tokens: int) -> int:
        """The most sequences that are held at once, whichever of these meet in a batch.

        Args:
            lengths: tokens of each sequence before decoding.
            new_tokens: tokens decoded after each.

        Returns:
            0 when not even the longest fits; ``sys.maxsize`` when the server names no limit.
        """
        limit = sys.maxsize if self.running is None else self.running
        # A last page is begun by each sequence, and one token of it is the scheduler's own.
        pages = sorted((-(-(length + new_tokens + 1) // self.page) for length in lengths), reverse=True)
        needs = [count * self.page for count in pages]
        if self.tokens is not None and sum(needs) > self.tokens:
            limit = min(limit, sum(total <= self.tokens for total in accumulate(needs)))
        return min(limit * self.replicas, sys.maxsize)

    def prefilled_together(self, lengths: Sequence[int]) -> int:
        """Whole sequences among the first of ``lengths`` that one prefill step takes; at least 1."""
        if self.chunk is None:
            return len(lengths)
        return max(1, sum(total <= self.chunk for total in accumulate(lengths)))


def _positive(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


def check_prompt(
    index: int, ids: Sequence[int], vocabulary: int, longest: int | None, new_tokens: int = 0
) -> None:
    """Refuse a prompt that must not be sent.

    Args:
        index: its place, for messages.
        ids: its tokens.
        vocabulary: number of token ids.
        longest: tokens of a prompt at most.
        new_tokens: that are to be decoded behind it: SGLang would decode fewer without a word.

    Raises:
        InputError: it is empty, too long, or holds an id outside the vocabulary.
    """
    if not ids:
        raise InputError(f"prompt {index}: no tokens")
    low, high = min(ids), max(ids)
    if low < 0 or high >= vocabulary:
        raise InputError(
            f"prompt {index}: token id {low if low < 0 else high} is outside the vocabulary of "
            f"{vocabulary}; is this the server's tokenizer?"
        )
    if longest is not None and len(ids) > longest:
        raise InputError(
            f"prompt {index}: {len(ids)} tokens, the server takes {longest} at most; "
            "shorten it, or start the server with a longer --context-length"
        )
    if longest is not None and len(ids) + new_tokens > longest + _ROOM:
        raise InputError(
            f"prompt {index}: {len(ids)} tokens and {new_tokens} new ones do not fit into the server's "
            f"{longest + _ROOM}; shorten it, ask for fewer, or start the server with a longer --context-length"
        )


def check_windows(windows: Sequence[Window], vocabulary: int, longest: int | None) -> None:
    """Refuse windows that must not be sent.

    Raises:
        InputError: one cannot be, or scores nothing.
    """
    for index, window in enumerate(windows):
        check_prompt(index, window.ids, vocabulary, longest)
        if not 1 <= window.start < len(window.ids):
            raise InputError(f"window {index}: start {window.start} of {len(window.ids)} tokens")
