"""Backends that installed packages add: each one file, named by an entry point of ``curate.backends``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import numpy as np

from curator._errors import CurateError, InputError, RefusedError, did_you_mean, first_line, in_short
from curator.models.fingerprint import model_fingerprint
from curator.recipe.installed import Added, added, check_takes, wrong
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Continuation, Dtype, Sampling, Scores, Server, Window

GROUP = "curate.backends"
# Ours, and what facts call the model of this process.
SHIPPED = ("sglang", "transformers")
# How much a sum of float32 probabilities may lie over 1.
_OVER = 1e-3
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A model that a backend is to open.

    Attributes:
        folder: of the model, or of a checkpoint of either layout.
        scheme: how the checkpoint is to be computed; ``None`` for a model that is not quantised.
        vocabulary: number of token ids that the model knows.
        dtype: compute type; ``None`` for what the backend takes by itself.
        arguments: the words of ``--server-args``.
        trust_remote_code: Python files that the folder brings may be run.
    """

    folder: Path
    scheme: Scheme | None
    vocabulary: int
    dtype: Dtype | None
    arguments: tuple[str, ...]
    trust_remote_code: bool


@dataclass(frozen=True, slots=True)
class AddedBackend:
    """Something that models can be measured with, by the name of its entry point (``--serve NAME``).

    Attributes:
        open: gives the model, all of `Server` (interface.py); what it holds is given back by ``close``.
        schemes: how it can compute a checkpoint whose activations are quantised too.
    """

    open: Callable[[Asked], Server]
    schemes: tuple[Scheme, ...] = ("W4A4", "W4A16")

    def __post_init__(self) -> None:
        """Refuse what cannot be called, and schemes that there are not."""
        check_takes(self.open, 1, "open")
        if not self.schemes or not {*self.schemes} <= {*get_args(Scheme)}:
            raise ValueError(f"schemes must be of {', '.join(get_args(Scheme))}")


def added_backend(name: str) -> Added[AddedBackend]:
    """The one of a name.

    Raises:
        InputError: there is none.
        DependencyError: a package that adds one is wrong.
    """
    found = added(GROUP, AddedBackend, SHIPPED)
    if name not in found:
        names = ("sglang", *found)
        hint = did_you_mean(name, names, f"choose from {', '.join(names)}, or install a package that adds it")
        raise InputError(f"--serve {in_short(name)!r}: no such backend; {hint}")
    return found[name]


def refuse_scheme(name: str, scheme: Scheme | None) -> tuple[Scheme, ...]:
    """The schemes that a backend computes, among which must be this one.

    Raises:
        RefusedError: it is not.
    """
    schemes = added_backend(name).thing.schemes
    if scheme is not None and scheme not in schemes:
        raise RefusedError(
            f"--serve {name} computes {' and '.join(schemes)}, not {scheme}; take --scheme {schemes[0]}"
        )
    return schemes


def open_added(name: str, asked: Asked) -> Server:
    """Open a model by an added backend.

    Raises:
        RefusedError: it does not compute this scheme.
        DependencyError: the package's own code fails, or gives no whole `Server`.
    """
    refuse_scheme(name, asked.scheme)
    backend = added_backend(name)
    try:
        server = backend.thing.open(asked)
    except CurateError:
        raise
    # Whatever the package's own code raises.
    except Exception as error:
        raise wrong(
            "backend", name, backend.package, f"cannot open {asked.folder} ({first_line(error)})"
        ) from error
    lacks = [part for part in vars(Server) if not part.startswith("_") and not hasattr(server, part)]
    if lacks:
        raise wrong("backend", name, backend.package, f"gives a server without {', '.join(lacks)}")
    return cast(Server, _Checked(server, name, backend.package, asked))


class _Checked:
    """An added backend's server, known by its own name; its answers are checked, as those of any server are.

    Args:
        server: what the package gave.
        name: of the backend.
        package: name and version.
        asked: what was opened.
    """

    def __init__(self, server: Any, name: str, package: str, asked: Asked) -> None:
        self._server, self._name, self._package, self._asked = server, name, package, asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    def facts(self) -> dict[str, str]:
        """Its own, with the backend and the weights by name: another version of the package is not comparable."""
        own = self._server.facts()
        return {
            **own,
            "backend": self._name,
            "version": ", ".join(filter(None, (self._package, own.get("version")))),
            "model_fingerprint": model_fingerprint(self._asked.folder),
        }

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, batch_size: int, **more: Any
    ) -> Iterator[Continuation]:
        """See `Server`."""
        top_k, keep = more.get("top_k", 0), more.get("keep", 0)
        found = self._server.generate(prompts, sampling, batch_size, **more)
        for _, one in self._each(prompts, found):
            if top_k:
                self._check(one.scores, min(keep, len(one.ids)), top_k)
            yield one

    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """See `Server`."""
        return self._scored(windows, top_k, self._server.score(windows, top_k, batch_size))

    def force(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """See `Server`."""
        return self._scored(windows, top_k, self._server.force(windows, top_k, batch_size))

    def _scored(self, windows: Sequence[Window], top_k: int, found: Iterator[Scores]) -> Iterator[Scores]:
        for window, scores in self._each(windows, found):
            self._check(scores, window.scored, top_k)
            yield scores

    def _each(self, asked: Sequence[T], found: Iterator[Any]) -> Iterator[tuple[T, Any]]:
        try:
            yield from zip(asked, found, strict=True)
        except CurateError:
            raise
        # Whatever the package's own code raises, and other than one answer each.
        except Exception as error:
            raise self._wrong(f"failed ({first_line(error)})") from error

    def _check(self, scores: Scores | None, tokens: int, top_k: int) -> None:
        """Refuse lists that are no distributions of so many tokens.

        Raises:
            DependencyError: says what is wrong with them.
        """
        if not isinstance(scores, Scores):
            raise self._wrong("gave no Scores")
        width = min(top_k, self._asked.vocabulary)
        for name, shape in (
            ("top_ids", (tokens, width)),
            ("top_logprobs", (tokens, width)),
            ("chosen", (tokens,)),
        ):
            given = np.shape(getattr(scores, name))
            if given != shape:
                raise self._wrong(f"gave {name} of shape {list(given)}, not {list(shape)}")
        ids, logprobs = scores.top_ids, scores.top_logprobs
        if ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < self._asked.vocabulary:
            raise self._wrong(f"gave token ids beyond the vocabulary of {self._asked.vocabulary}")
        # Of NaN no comparison holds.
        if not ((np.exp(logprobs).sum(axis=1) <= 1 + _OVER).all() and (scores.chosen <= _OVER).all()):
            raise self._wrong("gave logprobs that are none: NaN, or probabilities of more than 1 in all")
        if not (logprobs[:, 1:] <= logprobs[:, :-1]).all():
            raise self._wrong("gave lists that do not begin with the likeliest token")

    def _wrong(self, what: str) -> CurateError:
        return wrong("backend", self._name, self._package, what)
