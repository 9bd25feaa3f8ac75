"""Texts in parts whose tokens add up to those of the whole, or in one part."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.tokens import tokenizer as module
from curator.tokens.parts import parts, unbroken
from curator.tokens.tokenizer import Tokenizer
from tests.toy_tokenizers import save_tokenizer

TEXT = "The tide turned, and the boats came in. 船回来了，天黑了。\n\nNobody spoke:\u00a0it was late; " * 400


def words(text: str) -> list[int]:
    return [len(word) for word in text.split()]


def test_parts_make_up_the_text_and_their_tokens_its_tokens(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = Tokenizer(tiny_model)
    found = list(parts(TEXT, tokenizer.encode, 2_000))
    assert "".join(found) == TEXT and len(found) > 10
    assert max(map(len, found)) < 2_400
    whole = tokenizer.count([TEXT, "a"])
    monkeypatch.setattr(module, "PART", 2_000)
    monkeypatch.setattr(module, "parts", lambda text, ids: parts(text, ids, 2_000))
    assert tokenizer.count([TEXT, "a"]) == whole


def test_a_tokenizer_that_joins_what_is_cut_keeps_the_text_whole(tmp_path: Path) -> None:
    # One that merges a letter with the space behind it, and one that counts every beginning.
    merging = Tokenizer(save_tokenizer(tmp_path, merges=[("a", "\u0120"), ("b", "\u0120")]))
    text = "a b " * 2_000
    found = list(parts(text, merging.encode, 2_000))
    assert sum(len(merging.encode(part)) for part in found) == len(merging.encode(text))
    assert list(parts(TEXT, lambda part: [0, *words(part)], 2_000)) == [TEXT]
    assert list(parts("x" * 9_000, words, 2_000)) == ["x" * 9_000]


def test_the_stretch_without_a_cut() -> None:
    assert unbroken("ab " * 1_000, 100) is None
    assert unbroken("ab " * 100 + "x" * 300, 100) == 300
    assert unbroken("x" * 99, 100) is None
