"""A measurement under way: each prompt's result is on the disk at once, so that a killed one goes on."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import InputError, RefusedError
from curator._files import STEM, atomic_write, read_json, remove, write_json
from curator._lock import folder_lock, sweep_temporaries
from curator._progress import Advance
from curator.serve.interface import Server
from curator.serve.probe import same_weights

_BEGUN = "begun.json"
Arrays = dict[str, NDArray[Any]]
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


class Partial:
    """The folder of a measurement that is not finished.

    Attributes:
        folder: where it is.
        weights: what the model's weights were known by when it was begun.
    """

    def __init__(self, folder: Path, weights: str) -> None:
        self.folder = folder
        self.weights = weights

    def run(
        self,
        name: str,
        total: int,
        batch_size: int,
        ask: Callable[[int], Iterator[Arrays]],
        server: Server,
        advance: Advance,
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
        """
        done = next((index for index in range(total) if not self._file(name, index).is_file()), total)
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

    def forget(self, name: str) -> None:
        """Have a pass begin anew."""
        for file in self.folder.glob(f"{name}-*.npz"):
            remove(file)

    def _file(self, name: str, index: int) -> Path:
        return self.folder / f"{name}-{index:06d}.npz"


@contextmanager
def partial_folder(
    folder: Path, begun: dict[str, Any], server: Server, *, restart: bool = False
) -> Iterator[Partial]:
    """Begin a measurement in ``folder``, or go on with it; removed when the body succeeds.

    Args:
        folder: where results are kept until then.
        begun: what must be the same for going on, by name; strict JSON.
        server: the model that is measured.
        restart: begin anew where what is there was begun with something else.

    Raises:
        InputError: what is there was begun with something else, or another process is at work on it.
        RefusedError: the model has other weights now.
    """
    with folder_lock(folder):
        sweep_temporaries(folder)
        probe = server.weights_probe()
        if restart and not _goes_on(folder, begun, probe):
            for left in folder.glob("*.[jn]*"):
                remove(left)
        if (folder / _BEGUN).is_file():
            probe = _refuse_other(folder, begun, probe)
        else:
            write_json(folder / _BEGUN, {**begun, "weights": probe})
        yield Partial(folder, probe)
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


def _goes_on(folder: Path, begun: dict[str, Any], probe: str) -> bool:
    try:
        _refuse_other(folder, begun, probe)
    except (InputError, RefusedError):
        return False
    return True


def _refuse_other(folder: Path, begun: dict[str, Any], probe: str) -> str:
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
    if not same_weights(str(stored.get("weights")), probe):
        raise RefusedError(
            f"{folder}: the model has other weights than when this was begun; serve the first ones again, or "
            "remove the folder"
        )
    return str(stored.get("weights"))
