"""A measurement under way: each prompt's result is on the disk at once, so that a killed one goes on."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from curator._errors import InputError, RefusedError
from curator._files import STEM, atomic_write, read_json, remove, write_json
from curator._lock import folder_lock, sweep_temporaries
from curator._progress import Advance, Narrator, Silent
from curator.measure.fits import is_whole
from curator.measure.lists_file import Arrays
from curator.serve.interface import Server
from curator.serve.probe import same_weights

_BEGUN = "begun.json"
_ANEW = "cannot be used; measured again from here on"
_DAMAGED = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    SyntaxError,
    MemoryError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)


Fits = Callable[[int, Arrays], bool]
SILENT: Narrator = Silent()


class Partial:
    """The folder of a measurement that is not finished.

    Attributes:
        folder: where it is.
        weights: what the model's weights were known by when it was begun.
        narrator: told of what cannot be used.
    """

    def __init__(self, folder: Path, weights: str, narrator: Narrator = SILENT) -> None:
        self.folder = folder
        self.weights = weights
        self.narrator = narrator

    def run(
        self,
        name: str,
        total: int,
        batch_size: int,
        ask: Callable[[int], Iterator[Arrays]],
        server: Server,
        advance: Advance,
        fits: Fits,
    ) -> None:
        """One pass over ``total`` prompts: results that are there are not asked for again.

        Args:
            name: of the pass.
            total: number of prompts.
            batch_size: prompts measured together. A pass goes on at the start of a batch, because a prompt's
                numbers depend on what is in its batch; no result is written twice.
            ask: gives the results from a prompt on, in order.
            server: what is asked; says how many results it vouches for when its weights change under way.
            advance: called with the number of prompts done since the last call.
            fits: whether a prompt's result can be one; from the first that cannot on all is asked again.
        """
        done = self._done(name, total, fits)
        # What is asked again must not count as done should this run stop too.
        for index in range(done, total):
            remove(self._file(name, index))
        advance(done)
        if done == total:
            return
        begin = done - done % batch_size
        try:
            for index, arrays in enumerate(ask(begin), begin):
                if index >= done:
                    batch = np.array(min(server.achieved.get(batch_size, batch_size), total))
                    with atomic_write(self._file(name, index)) as handle:
                        np.savez(handle, batch=batch, **arrays)  # type: ignore[arg-type]
                    advance(1)
        except RefusedError:
            for index in range(begin + server.trusted, total):
                remove(self._file(name, index))
            raise

    def _done(self, name: str, total: int, fits: Fits) -> int:
        """How many results, from the first, are there and can be used."""
        for index in range(total):
            file = self._file(name, index)
            if not file.is_file():
                return index
            try:
                arrays = read_arrays(file, _ANEW)
                usable = is_whole(arrays, "batch", 1, total) and fits(index, arrays)
            except InputError:
                usable = False
            if not usable:
                self.narrator.say(f"{file}: {_ANEW}")
                return index
        return total

    def results(self, name: str, total: int) -> list[Arrays]:
        """The results of a pass that has run, with the ``batch`` that each was really measured in.

        Raises:
            InputError: a file is damaged.
        """
        return [read_arrays(self._file(name, index), f"remove {self.folder}") for index in range(total)]

    def first(self, name: str) -> Arrays | None:
        """The first prompt's result of a pass, when it is there."""
        file = self._file(name, 0)
        return read_arrays(file, f"remove {self.folder}") if file.is_file() else None

    def _file(self, name: str, index: int) -> Path:
        return self.folder / f"{name}-{index:06d}.npz"


@contextmanager
def claimed(folder: Path, known: Mapping[str, Any], busy: str = "") -> Iterator[None]:
    """Hold the folder of a measurement before its model is opened, which may take minutes.

    Args:
        folder: as for `partial_folder`, which is then told that it is ``held``.
        known: of what must be the same for going on, what is known without the model.
        busy: what another process does that holds it, in the user's words.

    Raises:
        InputError: another process is at work on it, or what is there was begun with something else.
    """
    with _held(folder, busy):
        try:
            if (folder / _BEGUN).is_file():
                _refuse_other(folder, known)
            yield
        finally:
            if folder.is_dir() and not (folder / _BEGUN).exists():
                remove(folder)


@contextmanager
def partial_folder(
    folder: Path,
    begun: Mapping[str, Any],
    server: Server,
    *,
    restart: bool = False,
    held: bool = False,
    of: int = 0,
    narrator: Narrator = SILENT,
) -> Iterator[Partial]:
    """Begin a measurement in ``folder``, or go on with it; removed when the body succeeds.

    Args:
        folder: where results are kept until then.
        begun: what must be the same for going on, by name; strict JSON.
        server: the model that is measured.
        restart: begin anew where what is there was begun with something else.
        held: the caller has ``claimed`` it.
        of: prompts of all passes together, for the word on where it goes on.
        narrator: told where it goes on.

    Raises:
        InputError: what is there was begun with something else, or another process is at work on it.
        RefusedError: the model has other weights now.
    """
    with nullcontext() if held else _held(folder):
        sweep_temporaries(folder)
        probe = server.weights_probe()
        if restart and not _goes_on(folder, begun, probe):
            for left in folder.glob("*.[jn]*"):
                remove(left)
        if (folder / _BEGUN).is_file():
            probe = _refuse_other_weights(folder, _refuse_other(folder, begun), probe)
            done = sum(1 for _ in folder.glob("*.npz"))
            if done:
                narrator.say(f"goes on: {done} of {of} prompts are done, each counted once a pass")
        else:
            write_json(folder / _BEGUN, {**begun, "weights": probe})
        yield Partial(folder, probe, narrator)
        remove(folder)


def beside(out: Path) -> Path:
    """Where the unfinished part of an output folder is kept: hidden, on the same disk."""
    return out.parent / f"{STEM}partial-{out.name}"


def read_arrays(file: Path, advice: str, names: Sequence[str] | None = None) -> Arrays:
    """Arrays of an ``.npz`` file, all or those named. Nothing is unpickled.

    Raises:
        InputError: it is missing or damaged; ``advice`` says what to do.
    """
    if not file.is_file():
        raise InputError(f"{file}: no such file; {advice}")
    try:
        # Opened here: numpy leaves a damaged file open when it is given a name.
        with file.open("rb") as handle, np.load(handle, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in (arrays.files if names is None else names)}
    # A cut file is a bad zip archive; a changed byte is a wrong checksum, a wrong header, a missing name, or a
    # size beyond all memory. The text of numpy's own error may advise to open what is no array as a pickle.
    except _DAMAGED as error:
        raise InputError(f"{file}: damaged ({type(error).__name__}); {advice}") from error


@contextmanager
def _held(folder: Path, busy: str = "") -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(folder_lock(folder))
        except InputError as error:
            busy = busy or f"{folder}: another curate is at work here"
            raise InputError(f"{busy}; wait for it to end") from error
        yield


def _goes_on(folder: Path, begun: Mapping[str, Any], probe: str) -> bool:
    try:
        _refuse_other_weights(folder, _refuse_other(folder, begun), probe)
    except (InputError, RefusedError):
        return False
    return True


def _refuse_other(folder: Path, begun: Mapping[str, Any]) -> str:
    """Refuse to go on with other things than were begun; what the weights were known by then."""
    stored = read_json(folder / _BEGUN)
    if not isinstance(stored, dict):
        raise InputError(f"{folder / _BEGUN}: not usable; remove {folder}")
    different = [name for name in begun if stored.get(name) != begun[name]]
    if different:
        details = "; ".join(f"{name}: {stored.get(name)!r} then, {begun[name]!r} now" for name in different)
        raise InputError(
            f"{folder}: what was begun here differs ({details}); give the same again, or remove the folder"
        )
    return str(stored.get("weights"))


def _refuse_other_weights(folder: Path, weights: str, probe: str) -> str:
    """Refuse to go on with a model of other weights; those that it was begun with."""
    if not same_weights(weights, probe):
        raise RefusedError(
            f"{folder}: the model has other weights than when this was begun; serve the first ones again, or "
            "remove the folder"
        )
    return weights
