"""The embedder with a tiny model of its own: which model, what it costs to know it again, and its errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_embedder import save_model

from curator._errors import DependencyError
from curator.scores.embedder import INSTALL, Embedder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_model(tmp_path_factory.mktemp("embedder") / "one")


def test_any_folder_gives_unit_vectors_in_the_order_asked(model: str) -> None:
    embedder = Embedder(model)
    sentences = ["the ferry leaves", "bread", "a new pump came and the oven broke at seven"]
    vectors = embedder.encode(sentences)
    assert (vectors.shape, vectors.dtype) == ((3, 8), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert embedder.encode(sentences[::-1])[::-1] == pytest.approx(vectors, abs=1e-6)
    assert embedder.encode([]).shape == (0, 8)
    assert not embedder.banded
    assert Embedder().banded


def test_what_is_longer_than_the_model_reads_is_counted(model: str) -> None:
    embedder = Embedder(model)
    assert embedder.max_tokens == 16
    # 16 tokens with the two that mark its ends.
    assert embedder.truncated(["bread " * 14, "bread " * 15, "bread", "ferry " * 99]) == 2
    assert embedder.encode(["bread " * 14 + "pump"]) == pytest.approx(embedder.encode(["bread " * 14]), abs=1e-6)


@pytest.mark.parametrize("text", ["\ud800", "\x00" * 100, "", "x" * 100_000, "\u0301" * 1000])
def test_hostile_sentences_have_finite_vectors(text: str, model: str) -> None:
    embedder = Embedder(model)
    assert np.isfinite(embedder.encode([text, "bread"])).all()
    assert embedder.truncated([text]) in (0, 1)


def test_a_fingerprint_is_that_of_the_files_and_needs_no_loading(model: str, tmp_path: Path) -> None:
    embedder = Embedder(model)
    first = embedder.fingerprint
    assert embedder._loaded is None
    copied = tmp_path / "elsewhere"
    copied.mkdir()
    for file in Path(model).rglob("*"):
        if file.is_file():
            target = copied / file.relative_to(model)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(file.read_bytes())
    assert Embedder(str(copied)).fingerprint == first
    (copied / "README.md").write_text("about it")
    assert Embedder(str(copied)).fingerprint == first
    weights = next(copied.rglob("*.safetensors"))
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert Embedder(str(copied)).fingerprint != first


def test_the_length_read_is_part_of_the_fingerprint(model: str, tmp_path: Path) -> None:
    assert Embedder(save_model(tmp_path / "short", tokens=8)).fingerprint != Embedder(model).fingerprint


@pytest.mark.parametrize("name", ["no/such-model", "/no/such/folder", "a b c", "../x"])
def test_a_model_that_is_nowhere_is_one_line_with_what_to_do(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.chdir(tmp_path)
    for ask in (lambda: Embedder(name).fingerprint, lambda: Embedder(name).encode(["bread"])):
        with pytest.raises(DependencyError) as caught:
            ask()
        assert name in str(caught.value)
        assert "name a folder" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[{]")
    with pytest.raises(DependencyError) as caught:
        Embedder(str(tmp_path)).encode(["bread"])
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_the_package_and_the_hub_the_default_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curator.scores.embedder.PACKAGE", "no_such_package_at_all")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(DependencyError, match=INSTALL):
        Embedder().encode(["bread"])
