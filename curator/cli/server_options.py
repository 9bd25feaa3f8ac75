"""Options that say where a verb's models run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from curator._errors import InputError
from curator.serve.launch.launcher import Launcher
from curator.serve.open import ServeOptions

UrlOption = Annotated[
    str | None,
    typer.Option("--url", help="A running SGLang server of the model; its key in CURATE_API_KEY."),
]
ServeOption = Annotated[
    Literal["sglang"] | None, typer.Option("--serve", help="Start a server for the model, and end it after.")
]
ServerPythonOption = Annotated[
    Path | None,
    typer.Option("--server-python", help="Python (or its environment) that has SGLang; or CURATE_SERVER_PYTHON."),
]
ServerArgsOption = Annotated[
    list[str] | None,
    typer.Option("--server-args", help="Arguments for the server, in one string or a JSON list; may be repeated."),
]
ServerLogOption = Annotated[
    Path | None, typer.Option("--server-log", help="File for the server's output; in the cache when left out.")
]
AllowCodeOption = Annotated[
    bool,
    typer.Option(
        "--allow-code",
        help="Let forced decoding run our code on the server at --url, which was started with "
        "--enable-custom-logit-processor.",
    ),
]


def serve_options(
    url: str | None,
    serve: Literal["sglang"] | None,
    server_python: Path | None = None,
    server_args: list[str] | None = None,
    server_log: Path | None = None,
    allow_code: bool = False,
    dtype: str | None = None,
) -> ServeOptions:
    """Where models run, from the options of a verb.

    Raises:
        InputError: options that exclude each other, an address that is none, server arguments that cannot be.
    """
    given = [
        name
        for name, value in (("python", server_python), ("args", server_args), ("log", server_log))
        if value is not None
    ]
    if serve is None and given:
        raise InputError(f"--server-{given[0]} is for a server that is started here: add --serve sglang")
    if serve is not None and (url is not None or allow_code):
        other = "--allow-code" if url is None else "--url"
        raise InputError(f"--serve starts a server, {other} is for one that runs: give one of them")
    if allow_code and url is None:
        raise InputError("--allow-code is for the server at --url: give that too, or leave it out")
    if url is not None:
        from curator.serve.http import checked_host

        checked_host(url)
        if dtype is not None:
            raise InputError(
                f"--dtype {dtype} is for a model that is opened here; the server at --url computes as it was "
                "started"
            )
        return ServeOptions(url=url, allow_code=allow_code)
    if serve is None:
        return ServeOptions()
    launcher = Launcher(server_python, tuple(server_args or ()), server_log)
    # What cannot be is told here, before anything is made for it.
    launcher.words()
    launcher.find()
    return ServeOptions(launcher=launcher)
