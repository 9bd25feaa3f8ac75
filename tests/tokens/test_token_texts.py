from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_tokenizers import save_marked

from curator.tokens.token_texts import token_texts
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module", params=["bytes", "metaspace", "prepend"])
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return Tokenizer(save_marked(tmp_path_factory.mktemp(request.param), request.param))


@given(text=st.text(st.sampled_from("the a é 模\n<|end|>🐟\ufffd"), max_size=20))
@settings(max_examples=60)
def test_the_texts_joined_are_the_decoded_text(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    texts = token_texts(ids, tokenizer.decode)
    assert len(texts) == len(ids)
    assert "".join(texts) == tokenizer.decode(ids)


def test_a_character_of_several_tokens_is_shown_with_its_last(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    assert token_texts(tokenizer.encode("a模b"), tokenizer.decode) == ["a", "", "", "模", "b"]
    assert token_texts(tokenizer.encode("🐟"), tokenizer.decode) == ["", "", "", "🐟"]


def test_a_character_cut_off_at_the_end_is_shown_as_broken(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    assert token_texts(tokenizer.encode("a模")[:-1], tokenizer.decode) == ["a", "", "\ufffd"]


def test_spaces_stay_with_their_token(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "metaspace"))
    assert token_texts(tokenizer.encode("the the"), tokenizer.decode) == ["the", " the"]
