"""The server's command line: what the user gave, word for word, after what we add where nothing was given."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence

from curator._errors import InputError
from curator.serve.launch.port import LOOPBACK

_MODEL = ("--model-path", "--model")
_KEYS = ("--api-key", "--admin-api-key")
_HOSTS = (LOOPBACK, "localhost")
# The one attention that needs no compiled kernel. SGLang sizes the token pool and the number of requests by the
# memory of a GPU. Without the last, a waiting scheduler burns a core.
CPU: Mapping[str, str | None] = {
    "--device": "cpu",
    "--attention-backend": "torch_native",
    "--dtype": "float32",
    "--max-total-tokens": "65536",
    "--max-running-requests": "32",
    "--sleep-on-idle": None,
}
# What forced decoding needs. It lets requests bring code, which only those with the key can send.
ALWAYS: Mapping[str, str | None] = {"--enable-custom-logit-processor": None}


def split_arguments(given: Iterable[str]) -> list[str]:
    """The arguments of a server of ours, see `split_words`.

    Raises:
        InputError: as there; arguments that are not the user's to give here.
    """
    found = split_words(given)
    _check(found)
    return found


def split_words(given: Iterable[str]) -> list[str]:
    """The server arguments of the command line, each as one string, or as a JSON list of strings.

    Raises:
        InputError: an open quote, or a list of something else.
    """
    found: list[str] = []
    for text in given:
        found += _listed(text) if text.lstrip().startswith("[") else _split(text)
    return found


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(f"--server-args {text!r}: {error}; close the quote") from error


def _listed(text: str) -> list[str]:
    try:
        words = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"--server-args {text[:80]!r}: begins like a JSON list and is none; mend it") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f'--server-args {text[:80]!r}: must be a list of strings such as ["--tp", "2"]')
    return words


def _check(words: list[str]) -> None:
    if any("\0" in word for word in words):
        raise InputError("--server-args: holds a zero byte, which no command line can have")
    if words and not words[0].startswith("-"):
        raise InputError(f"--server-args {words[0]!r}: a server argument begins with --")
    if gives(words, *_MODEL):
        raise InputError(f"--server-args {_MODEL[0]}: which model is served is told by --model or --checkpoint")
    if gives(words, *_KEYS):
        # The value is not shown.
        raise InputError(
            f"--server-args {_KEYS[0]}: put the key into CURATE_API_KEY, where nobody else can read it"
        )
    host = value_of(words, "--host")
    if host is not None and host not in _HOSTS:
        raise InputError(
            f"--server-args --host {host}: a server that curate starts listens on this machine only; leave it "
            "out, or start the server yourself and give --url"
        )


def gives(words: Sequence[str], *names: str) -> bool:
    """Whether one of the options is among the words, written in full or cut short, as Python's parser allows."""
    return any(_is(word, names) for word in words)


def value_of(words: Sequence[str], *names: str) -> str | None:
    """The last value of an option, as ``--name value`` or ``--name=value``; ``None`` where there is none."""
    found = None
    for place, word in enumerate(words):
        if _is(word, names):
            _, equals, value = word.partition("=")
            found = value if equals else words[place + 1] if place + 1 < len(words) else None
    return found


def _is(word: str, names: Sequence[str]) -> bool:
    option = word.partition("=")[0]
    return len(option) > 3 and option.startswith("--") and any(name.startswith(option) for name in names)


def command_line(given: Sequence[str], *defaults: Mapping[str, str | None]) -> list[str]:
    """Our arguments where the user gave none, then all of the user's.

    Args:
        given: the user's, from `split_arguments`.
        defaults: values by option, ``None`` for a flag; later ones win.
    """
    ours: dict[str, str | None] = {}
    for default in defaults:
        ours.update(default)
    words: list[str] = []
    for name, value in ours.items():
        if not gives(given, name):
            words += [name] if value is None else [name, value]
    return [*words, *given]
