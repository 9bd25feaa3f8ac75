"""What a server of ours is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from curator.serve.launch.arguments import split_arguments, value_of
from curator.serve.launch.interpreter import Installed, installed_in, server_python
from curator.serve.launch.machine import GPU, find_gpus

DEFAULT_WAIT = 1800.0


@dataclass(frozen=True, slots=True)
class Launcher:
    """How servers are started.

    Attributes:
        python: interpreter that has SGLang, or its environment; ``None`` to look for one.
        arguments: the user's server arguments, as `split_arguments` takes them.
        log: file that the server's output is appended to; ``None`` for a new one in the cache.
        wait: seconds that a server may take to be ready.
    """

    python: Path | None = None
    arguments: tuple[str, ...] = ()
    log: Path | None = None
    wait: float = DEFAULT_WAIT

    def find(self) -> tuple[Installed, GPU | None]:
        """The interpreter, and the first GPU that its servers would run on; ``None`` for a CPU.

        Raises:
            InputError, DependencyError: there is no such interpreter, or it has no SGLang.
        """
        installed = installed_in(server_python(self.python))
        gpus = find_gpus() if installed.cuda else ()
        on_cpu = not gpus or value_of(self.words(), "--device") == "cpu"
        return installed, None if on_cpu else gpus[0]

    def words(self) -> list[str]:
        """The user's arguments, one a word.

        Raises:
            InputError: they are not the user's to give here, or cannot be read.
        """
        return split_arguments(self.arguments)
