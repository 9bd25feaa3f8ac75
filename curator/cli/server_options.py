"""Options that say where a verb's models run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from curator._errors import InputError
from curator.serve.launch.launcher import Launcher
from curator.serve.open import ServeOptions

UrlOption = Annotated[
    str | None,
    typer.Option("--url", help="A running SGLang server of the model; its key in CURATE_API_KEY."),
]
ServeOption = Annotated[
    str | None,
    typer.Option(
        "--serve",
        metavar="sglang|NAME",
        help="Start a server for the model, and end it after: sglang, or a backend of an installed package.",
    ),
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


@dataclass(frozen=True, slots=True)
class ServerChoice:
    """The options of one command line; their names are those of the verb's parameters."""

    url: UrlOption = None
    serve: ServeOption = None
    server_python: ServerPythonOption = None
    server_args: ServerArgsOption = None
    server_log: ServerLogOption = None
    allow_code: AllowCodeOption = False

    def options(self, dtype: str | None) -> ServeOptions:
        """Where models run; see `serve_options`."""
        return serve_options(
            self.url,
            self.serve,
            self.server_python,
            self.server_args,
            self.server_log,
            self.allow_code,
            dtype,
        )


# What a verb's parameter is where nothing is given.
HERE = ServerChoice()


def takes_server(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb with the options of `ServerChoice` in the place of its parameter ``server``."""
    hints = get_type_hints(verb, include_extras=True)
    choice = get_type_hints(ServerChoice, include_extras=True)
    own = {
        one.name: inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=choice[one.name]
        )
        for one in fields(ServerChoice)
    }
    parameters: list[inspect.Parameter] = []
    for name, one in inspect.signature(verb).parameters.items():
        if name == "server":
            parameters += own.values()
        else:
            parameters.append(one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(verb)
    def asked(**given: Any) -> None:
        server = ServerChoice(**{name: given.pop(name) for name in own if name in given})
        verb(server=server, **given)

    # Typer reads both.
    asked.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    asked.__annotations__ = {one.name: one.annotation for one in parameters}
    return asked


def serve_options(
    url: str | None,
    serve: str | None,
    server_python: Path | None = None,
    server_args: list[str] | None = None,
    server_log: Path | None = None,
    allow_code: bool = False,
    dtype: str | None = None,
) -> ServeOptions:
    """Where models run, from the options of a verb.

    Raises:
        InputError: options that exclude each other, an address that is none, server arguments that cannot be, no
            backend of that name.
        DependencyError: the package of a backend is wrong.
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
    if serve != "sglang":
        return _added_backend(serve, {"python": server_python, "log": server_log}, server_args or [])
    launcher = Launcher(server_python, tuple(server_args or ()), server_log)
    # What cannot be is told here, before anything is made for it.
    launcher.words()
    launcher.find()
    return ServeOptions(launcher=launcher)


def _added_backend(name: str, ours: dict[str, Path | None], arguments: list[str]) -> ServeOptions:
    from curator.serve.added import added_backend
    from curator.serve.launch.arguments import split_words

    added_backend(name)
    given = next((option for option, value in ours.items() if value is not None), None)
    if given is not None:
        raise InputError(f"--server-{given} is for --serve sglang; {name} takes --server-args alone")
    return ServeOptions(backend=name, arguments=tuple(split_words(arguments)))
