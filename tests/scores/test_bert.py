"""A BERT without padding: the library's vectors, each token computed once, and what is left to the library."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_embedder import WORDS, save_model

from curator._errors import DependencyError
from curator.scores import bert
from curator.scores.bert import Bert, is_plain_bert
from curator.scores.embedder import Embedder

# Tokens of each: its words, one for what is no word, and the two that mark its ends. The model reads 16.
SENTENCES = {
    "the ferry leaves at seven": 7,
    "bread": 3,
    "": 2,
    "The oven, broke!": 7,
    " ".join(WORDS): 18,
    "island pump broke": 5,
    "one": 3,
    "the baker came at seven": 7,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(save_model(tmp_path_factory.mktemp("bert") / "one"))


def by_library(folder: Path, sentences: list[str]) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu").encode(sentences, normalize_embeddings=True)


def test_vectors_are_those_of_the_library(folder: Path) -> None:
    assert is_plain_bert(folder)
    found = Bert(folder).encode(list(SENTENCES))
    assert found.dtype == np.float32
    assert found == pytest.approx(by_library(folder, list(SENTENCES)), abs=1e-6)


def test_a_vector_is_the_same_whatever_stands_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Bert(folder)
    together = model.encode(list(SENTENCES))
    assert together == pytest.approx(np.concatenate([model.encode([one]) for one in SENTENCES]), abs=1e-6)
    # The longest alone has more tokens than are taken together.
    monkeypatch.setattr(bert, "_TOGETHER", 10)
    assert model.encode(list(SENTENCES)) == pytest.approx(together, abs=1e-6)


def test_every_token_goes_through_every_layer_once_and_nothing_else_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    model, rows, linear = Bert(folder), [], torch.nn.functional.linear

    def counted(states: Any, *weights: Any) -> Any:
        rows.append(len(states))
        return linear(states, *weights)

    monkeypatch.setattr(torch.nn.functional, "linear", counted)
    model.encode(list(SENTENCES))
    tokens = sum(min(count, 16) for count in SENTENCES.values())
    # Two layers of four products: what is asked and told, what was heard, and two behind them.
    assert rows == [tokens] * 8


def test_tokens_are_counted_to_the_end_of_a_sentence(folder: Path) -> None:
    model = Bert(folder)
    assert model.max_tokens == 16
    assert model.count(list(SENTENCES)) == list(SENTENCES.values())


def test_another_model_is_left_to_the_library(tmp_path: Path) -> None:
    for number, other in enumerate([{"hidden_act": "relu"}, {"pooling": "cls"}]):
        made = Path(save_model(tmp_path / str(number), **other))
        assert not is_plain_bert(made)
        # With other arithmetic than the library's these would differ.
        wanted = by_library(made, list(SENTENCES))
        assert Embedder(str(made)).encode(list(SENTENCES)) == pytest.approx(wanted, abs=1e-6)


def _prompted(config: dict[str, Any]) -> None:
    config["default_prompt_name"] = "query"


def _longer(config: dict[str, Any]) -> None:
    config["max_seq_length"] = 33


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("config_sentence_transformers.json", _prompted),
        ("sentence_bert_config.json", _longer),
        ("sentence_bert_config.json", lambda config: config.update(do_lower_case=True)),
        ("config.json", lambda config: config.update(position_embedding_type="relative_key")),
        ("config.json", lambda config: config.update(model_type="mpnet")),
        ("modules.json", lambda modules: modules.append({"idx": 2, "type": "sentence_transformers.models.Dense"})),
        ("config.json", lambda config: config.update(dtype="float16")),
        ("1_Pooling/config.json", dict.clear),
        ("1_Pooling/config.json", lambda config: config.update(pooling_mode=["mean", "max"])),
    ],
)
def test_whatever_asks_for_more_is_no_plain_bert(
    folder: Path, tmp_path: Path, name: str, change: Callable[[Any], None]
) -> None:
    import shutil

    shutil.copytree(folder, tmp_path / "model")
    assert is_plain_bert(tmp_path / "model")
    path = tmp_path / "model" / name
    config = json.loads(path.read_text())
    change(config)
    path.write_text(json.dumps(config))
    assert not is_plain_bert(tmp_path / "model")


def test_a_folder_without_a_model_is_none(tmp_path: Path) -> None:
    assert not is_plain_bert(tmp_path)
    assert not is_plain_bert(tmp_path / "nowhere")


@pytest.mark.model
def test_the_shipped_model_has_the_vectors_of_the_library() -> None:
    embedder = Embedder()
    texts = [
        "The ferry leaves at seven.",
        "渡轮七点离开。",
        "naïve “quoted” ﬁne e\u0301",
        "x" * 3000,
        "a\x00b",
        "",
    ]
    folder = embedder._folder()
    assert is_plain_bert(folder)
    assert Bert(folder).encode(texts) == pytest.approx(by_library(folder, texts), abs=1e-6)


def test_a_folder_of_ones_own_goes_through_the_library_and_a_broken_one_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files beside those that `is_plain_bert` reads may ask for something else; the library knows all of them."""
    monkeypatch.setattr("curator.scores.embedder.Bert", None)
    assert Embedder(str(folder)).encode(["bread"]) == pytest.approx(by_library(folder, ["bread"]), abs=1e-6)
    broken = Path(shutil.copytree(folder, tmp_path / "broken"))
    tokenizer = json.loads((broken / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["bread"] = 99_999
    (broken / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(DependencyError, match=r"broken fails; name a folder .*\(index out of range"):
        Embedder(str(broken)).encode(["bread"])
