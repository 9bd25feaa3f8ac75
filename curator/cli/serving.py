"""The model that writes a recipe's own text, wherever it runs."""

from __future__ import annotations

from contextlib import closing

from curator._progress import Narrator
from curator.models.locate import locate_model
from curator.pipeline.answers.ask import Answerer
from curator.serve.interface import Server
from curator.serve.open import ServeOptions, open_server
from curator.tokens.tokenizer import Tokenizer

# A server that is loading its model answers within these, and a closed port at once.
_ALIVE_SECONDS, _REFUSED_SECONDS = 30.0, 1.0


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
    name: str, tokenizer: Tokenizer, options: ServeOptions, narrator: Narrator, trust_remote_code: bool
) -> Answerer:
    """The model that writes a recipe's own text; nothing is loaded or started before it is asked."""

    def open_model() -> Server:
        folder = None if options.url else locate_model(name, narrator)
        return open_server(
            options, folder, None, tokenizer.size, None, narrator, trust_remote_code=trust_remote_code
        )

    return Answerer(
        open_model,
        (lambda: locate_model(name, narrator)) if options.here else (lambda: None),
        tokenizer,
        narrator.say,
    )
