"""What two tokenizers must have in common for their ids to mean the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

# Digits, punctuation, indentation, several scripts: where two versions of a tokenizer first differ.
_PROBE = (
    "In 2024, f(x) = 3.14159*x;\n\tif a<b:\n    return 'naïve'  # 模型 量化 модель مرحبا 12:30:45 1e-5 --- ..."
)


def identity(inner: Any, encode: Callable[[str], list[int]]) -> list[Any]:
    """What decides the ids of a text: the vocabulary with its ids, the merges and the special ids.

    The ids of a fixed probe text stand for the other parts of a tokenizer, which act on it.

    Args:
        inner: a transformers tokenizer.
        encode: its plain encoding.
    """
    vocabulary = sorted((place, token) for token, place in inner.get_vocab().items())
    return [vocabulary, _merges(inner), encode(_PROBE), len(inner), sorted(inner.all_special_ids)]


def content_sha256(content: list[Any]) -> str:
    """SHA-256 of JSON values, lone surrogates included."""
    text = json.dumps(content, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _merges(inner: Any) -> list[str]:
    """The merges in their order, or nothing for a tokenizer without them."""
    backend = getattr(inner, "backend_tokenizer", None)
    model = json.loads(backend.to_str())["model"] if backend is not None else {}
    # Two ways of writing one file: "a b", and since tokenizers 0.20 ["a", "b"].
    return [merge if isinstance(merge, str) else " ".join(merge) for merge in model.get("merges", [])]
