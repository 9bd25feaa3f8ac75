"""Choosing the backend that a verb measures with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from curator._errors import InputError
from curator.models.locate import locate_model
from curator.pipeline.answers.ask import Answerer
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype, Server
from curator.tokens.tokenizer import Tokenizer


def open_server(
    folder: Path | None, scheme: Scheme | None, url: str | None, vocabulary: int, dtype: Dtype
) -> Server:
    """The SGLang server at ``url``, else a model in this process."""
    if url is not None:
        from curator.serve.sglang import SGLang

        return SGLang(url, vocabulary=vocabulary)
    if folder is None:
        raise InputError("give a model folder or --url")
    from curator.serve.in_process import InProcess

    return InProcess(folder, scheme, dtype)


def model_answers(name: str, tokenizer: Tokenizer, url: str | None, tell: Callable[[str], None]) -> Answerer:
    """The model that writes a recipe's own text, here or at ``url``; nothing is loaded before it is asked."""

    def open_model() -> Server:
        return open_server(None if url else locate_model(name), None, url, tokenizer.size, "float32")

    return Answerer(open_model, (lambda: None) if url else (lambda: locate_model(name)), tokenizer, tell)
