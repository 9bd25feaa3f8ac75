"""A model to measure with: in this process, at an address, in a server that is started for it, or by a package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError
from curator._progress import Narrator
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype, Server
from curator.serve.launch.launcher import Launcher


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where models run; in this process when nothing is given.

    Attributes:
        url: address of a server that runs already.
        launcher: how to start one for each model.
        allow_code: the server at ``url`` may be sent code to run, for forced decoding; one of ours always may.
        backend: the name of one that an installed package adds.
        arguments: the user's words for it.
    """

    url: str | None = None
    launcher: Launcher | None = None
    allow_code: bool = False
    backend: str = ""
    arguments: tuple[str, ...] = ()

    @property
    def starts(self) -> bool:
        """Something is started for each model, and ended after: a server of ours, or a package's backend."""
        return self.launcher is not None or bool(self.backend)

    @property
    def here(self) -> bool:
        """In this process, by ourselves."""
        return self.url is None and not self.starts

    def fixed(self) -> list[str] | None:
        """What may not change between measurements that are compared; ``None`` in process."""
        if self.url is not None:
            return ["url", self.url]
        if self.backend:
            # Here, as below: the command line reads this file for its help.
            from curator.serve.added import added_backend

            return [self.backend, added_backend(self.backend).package, *self.arguments]
        return None if self.launcher is None else ["sglang", *self.launcher.words()]


IN_PROCESS = ServeOptions()


def open_server(
    options: ServeOptions,
    folder: Path | None,
    scheme: Scheme | None,
    vocabulary: int,
    dtype: Dtype | None,
    narrator: Narrator,
    *,
    trust_remote_code: bool = False,
) -> Server:
    """Open a model; ``close`` of what is returned gives all of it back, a started server included.

    Args:
        options: where it runs.
        folder: of the model or checkpoint; may be left out with an address.
        scheme: how a checkpoint is computed, ``None`` for a model; with a server of ours, ``None`` also for what
            that server can do, which its facts then tell.
        vocabulary: number of token ids that the model knows.
        dtype: compute type; ``None`` for float32 here and on a CPU, and the model's own on a GPU server.
        narrator: shows how a server starts.
        trust_remote_code: run Python files that the folder brings.

    Raises:
        InputError, RefusedError, DependencyError, ServerError: as the four say.
    """
    if options.url is not None:
        from curator.serve.sglang import SGLang

        return SGLang(options.url, vocabulary=vocabulary, allow_code=options.allow_code)
    if folder is None:
        raise InputError("give a model folder or --url")
    if options.backend:
        from curator.serve.added import Asked, open_added

        asked = Asked(folder, scheme, vocabulary, dtype, options.arguments, trust_remote_code)
        return open_added(options.backend, asked)
    if options.launcher is not None:
        from curator.serve.launch.launched import launch

        return launch(
            options.launcher, folder, scheme, vocabulary, dtype, narrator, trust_remote_code=trust_remote_code
        )
    from curator.serve.in_process import InProcess

    return InProcess(folder, scheme, dtype or "float32", trust_remote_code)
