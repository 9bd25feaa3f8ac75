"""Choosing the backend that a verb measures with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from curator._errors import InputError
from curator.models.locate import locate_model
from curator.pipeline.answers.ask import Answerer
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype, Server
from curator.tokens.tokenizer import Tokenizer

# A server that is loading its model answers within these, and a closed port at once.
_ALIVE_SECONDS, _REFUSED_SECONDS = 30.0, 1.0


def open_server(
    folder: Path | None,
    scheme: Scheme | None,
    url: str | None,
    vocabulary: int,
    dtype: Dtype,
    trust_remote_code: bool,
) -> Server:
    """The SGLang server at ``url``, else a model in this process."""
    if url is not None:
        from curator.serve.sglang import SGLang

        return SGLang(url, vocabulary=vocabulary)
    if folder is None:
        raise InputError("give a model folder or --url")
    from curator.serve.in_process import InProcess

    return InProcess(folder, scheme, dtype, trust_remote_code)


def refuse_dead(url: str) -> None:
    """Refuse an address at which no inference server answers, before anything is made for it.

    Raises:
        InputError: the address is none.
        ServerError: nothing listens there, or something else than such a server.
    """
    from curator.serve.http import Connection

    with closing(Connection(url, timeout=_ALIVE_SECONDS, tries=1, backoff=0.0)) as connection:
        connection.wait_until_healthy(_ALIVE_SECONDS, _REFUSED_SECONDS)
        connection.get("/model_info", "/get_model_info")


def model_answers(
    name: str, tokenizer: Tokenizer, url: str | None, tell: Callable[[str], None], trust_remote_code: bool
) -> Answerer:
    """The model that writes a recipe's own text, here or at ``url``; nothing is loaded before it is asked."""

    def open_model() -> Server:
        folder = None if url else locate_model(name)
        return open_server(folder, None, url, tokenizer.size, "float32", trust_remote_code)

    return Answerer(open_model, (lambda: None) if url else (lambda: locate_model(name)), tokenizer, tell)
