"""What a baseline asks, of which model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from curator._errors import InputError
from curator.measure.baseline_settings import Settings
from curator.measure.heldout import Prompt, prompts_sha256
from curator.measure.manifest import FORMAT_VERSION
from curator.measure.partial import Arrays
from curator.measure.real_sizes import Sizes, real_sizes
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
        sizes: the batch sizes that are real.
    """

    server: Server
    prompts: list[Prompt]
    encoded: list[list[int]]
    settings: Settings
    sizes: Sizes

    @staticmethod
    def of(server: Server, tokenizer: Tokenizer, prompts: Sequence[Prompt], settings: Settings) -> Work:
        """Encode and order the prompts.

        Raises:
            InputError: a prompt is empty, or does not fit into the model with what is to be decoded.
        """
        encoded = [prompt.encode(tokenizer) for prompt in prompts]
        for prompt, ids in zip(prompts, encoded, strict=True):
            if not ids:
                raise InputError(f"held-out prompt {prompt.id}: no tokens")
        # Near-equal lengths share a batch: less padding, and the order depends on nothing but the prompts.
        order = sorted(range(len(prompts)), key=lambda index: (len(encoded[index]), prompts[index].id))
        prompts, encoded = [prompts[index] for index in order], [encoded[index] for index in order]
        _check_lengths(server, prompts, encoded, settings)
        new = max(settings.new_tokens(prompt) for prompt in prompts)
        return Work(server, prompts, encoded, settings, real_sizes(server, encoded, new, settings.batch_sizes))

    @cached_property
    def groups(self) -> dict[int, list[int]]:
        """Places of the prompts by the most tokens decoded of one."""
        found: dict[int, list[int]] = {}
        for place, prompt in enumerate(self.prompts):
            found.setdefault(self.settings.new_tokens(prompt), []).append(place)
        return found

    def in_order(self, by_group: Mapping[int, Sequence[Arrays]]) -> list[Arrays]:
        """Results of groups in the order of the prompts."""
        by_place = {
            place: one
            for limit, own in self.groups.items()
            for place, one in zip(own, by_group[limit], strict=True)
        }
        return [by_place[place] for place in range(len(self.prompts))]

    def forced(self, size: int) -> bool:
        """Whether a batch size beside the primary one is decoded along what the primary one wrote."""
        return self.further(size) and self.server.can_force() is None

    def further(self, size: int) -> bool:
        """Whether decoding is asked at a batch size beside the primary one."""
        return "decode" in self.settings.phases and size != self.sizes.real[0]

    def begun(self, tokenizer: Tokenizer) -> dict[str, Any]:
        """What must be the same for going on."""
        return {
            "format": FORMAT_VERSION,
            "server": self.server.facts(),
            "tokenizer": tokenizer.fingerprint,
            "prompts_sha256": prompts_sha256(self.prompts),
            "settings": {**self.settings.stored(), "full": self.settings.full},
            "batch_sizes": list(self.sizes.real),
        }


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
