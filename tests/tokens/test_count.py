"""Tokens of many texts at once, against a loop of the slow path and against bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.tokens.tokenizer import Tokenizer
from tests.toy_tokenizers import save_marked

TEXTS = (
    "the tide",
    "",
    " a  b\n\nthe",
    "潮水中午转",
    "<|turn|>user <think> it </think>",
    "x\x00y",
    "e\u0301 \ufffd",
    "a" * 5_000,
)


@pytest.mark.parametrize("kind", ["bytes", "metaspace", "prepend", "words", "lowercase"])
def test_a_batch_has_the_counts_of_the_slow_path(tmp_path: Path, kind: str) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, kind))
    assert tokenizer.count(TEXTS) == [len(tokenizer.encode(text)) for text in TEXTS]
    assert tokenizer.count([]) == []


def test_bytes_are_counted_as_bytes(tmp_path: Path) -> None:
    # A byte-level tokenizer without merges: an independent count. Long runs of spaces and `harbour` are its own.
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    texts = ["the tide", "", "潮水中午转", "e\u0301 x", "<|turn|> is text"]
    assert tokenizer.count(texts) == [len(text.encode()) for text in texts]
