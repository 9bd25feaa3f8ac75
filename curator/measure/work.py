"""What a baseline asks, of which model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from curator._errors import InputError
from curator.measure.baseline_settings import Settings
from curator.measure.heldout import Prompt, prompts_sha256
from curator.measure.manifest import FORMAT_VERSION
from curator.measure.real_sizes import Sizes, different_sizes, real_sizes
from curator.serve.interface import Server
from curator.tokens.tokenizer import Tokenizer


@dataclass(frozen=True)
class Work:
    """What is asked of which model.

    Attributes:
        server: the reference model.
        prompts: in the order measured.
        encoded: their token ids.
        settings: see there.
        vocabulary: number of token ids.
        sizes: the batch sizes that are real.
        known: see `known_before`.
    """

    server: Server
    prompts: list[Prompt]
    encoded: list[list[int]]
    settings: Settings
    vocabulary: int
    sizes: Sizes
    known: dict[str, Any]

    @staticmethod
    def of(server: Server, tokenizer: Tokenizer, prompts: Sequence[Prompt], settings: Settings) -> Work:
        """Encode and order the prompts.

        Raises:
            InputError: a prompt is empty, or does not fit into the model with what is to be decoded.
        """
        known = known_before(tokenizer, prompts, settings)
        prompts, encoded = _in_order(tokenizer, prompts)
        _check_lengths(server, prompts, encoded, settings)
        new = max(settings.new_tokens(prompt) for prompt in prompts)
        sizes = real_sizes(server, encoded, new, settings.batch_sizes)
        return Work(server, prompts, encoded, settings, tokenizer.size, sizes, known)

    @cached_property
    def limits(self) -> list[int]:
        """The most tokens decoded of each prompt."""
        return [self.settings.new_tokens(prompt) for prompt in self.prompts]

    def forced(self, size: int) -> bool:
        """Whether a batch size beside the primary one is decoded along what the primary one wrote."""
        return self.further(size) and self.server.can_force() is None

    def further(self, size: int) -> bool:
        """Whether decoding is asked at a batch size beside the primary one."""
        return "decode" in self.settings.phases and size != self.sizes.real[0]

    def begun(self) -> dict[str, Any]:
        """What must be the same for going on."""
        return {**self.known, "server": self.server.facts(), "real_sizes": list(self.sizes.real)}


def known_before(tokenizer: Tokenizer, prompts: Sequence[Prompt], settings: Settings) -> dict[str, Any]:
    """What must be the same for going on, as far as it is known without the model.

    Raises:
        InputError: a prompt is empty.
    """
    return {
        "format": FORMAT_VERSION,
        "tokenizer": tokenizer.fingerprint,
        "prompts_sha256": prompts_sha256(_in_order(tokenizer, prompts)[0]),
        "settings": {**settings.stored(), "full": settings.full},
        "batch_sizes": list(different_sizes(settings.batch_sizes, len(prompts))),
    }


def _in_order(tokenizer: Tokenizer, prompts: Sequence[Prompt]) -> tuple[list[Prompt], list[list[int]]]:
    """Prompts and their ids in the order measured."""
    encoded = [prompt.encode(tokenizer) for prompt in prompts]
    for prompt, ids in zip(prompts, encoded, strict=True):
        if not ids:
            raise InputError(f"held-out prompt {prompt.id}: no tokens")
    # Near-equal lengths share a batch: less padding, and the order depends on nothing but the prompts.
    order = sorted(range(len(prompts)), key=lambda index: (len(encoded[index]), prompts[index].id))
    return [prompts[index] for index in order], [encoded[index] for index in order]


def _check_lengths(
    server: Server, prompts: Sequence[Prompt], encoded: list[list[int]], settings: Settings
) -> None:
    """Refuse a prompt that cannot fit before any is decoded: the longest would be reached last."""
    longest = server.longest()
    for prompt, ids in zip(prompts, encoded, strict=True):
        new = settings.new_tokens(prompt)
        if longest is not None and len(ids) + new > longest:
            raise InputError(
                f"held-out prompt {prompt.id}: {len(ids)} tokens and {new} new ones do not fit into the model's "
                f"{longest}; shorten the prompt or its answer (--max-new, here or of curate heldout)"
            )
