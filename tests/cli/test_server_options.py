"""The options of a verb that says where its models run: listed once, in the verb's own place."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from curator._errors import InputError
from curator.cli import baseline, score
from curator.cli.server_options import HERE, ServerChoice, takes_server

NAMES = ["url", "serve", "server_python", "server_args", "server_log", "allow_code"]


@takes_server
def verb(
    out: Annotated[Path, typer.Option("--out")],
    server: ServerChoice = HERE,
    dtype: Annotated[str | None, typer.Option("--dtype")] = None,
) -> None:
    """Print what it was given."""
    print(out, server, server.options(dtype).fixed())  # noqa: T201


def typed(*words: str) -> str:
    app = typer.Typer()
    app.command()(verb)
    result = CliRunner().invoke(app, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout + result.stderr


def test_what_is_typed_arrives_in_the_choice() -> None:
    assert "url=None, serve=None" in typed("--out", "x")
    given = typed("--out", "x", "--url", "http://127.0.0.1:1", "--allow-code")
    assert "url='http://127.0.0.1:1'" in given
    assert "allow_code=True" in given
    assert "['url', 'http://127.0.0.1:1']" in given
    with pytest.raises(InputError, match="--dtype float32 is for a model that is opened here"):
        typed("--out", "x", "--url", "http://127.0.0.1:1", "--dtype", "float32")
    with pytest.raises(InputError, match="--server-args is for a server that is started here"):
        typed("--out", "x", "--server-args", "--tp 2", "--server-args", "--dp 2")
    assert "No such option" in typed("--out", "x", "--server")


@pytest.mark.parametrize("module", [baseline.baseline, score.score])
def test_both_verbs_have_all_of_them_in_one_row(module: object) -> None:
    assert callable(module)
    names = list(inspect.signature(module).parameters)
    begin = names.index("url")
    assert names[begin : begin + 6] == NAMES
    assert "server" not in names
    # Behind what the verb is about.
    assert names[:begin] in (["out", "model"], ["baseline", "checkpoint"])
