"""Start an SGLang server; the interpreter that has SGLang runs this file, which imports nothing of ours.

Run as ``python start_server.py --model-path DIR [any other SGLang server argument]``. ``SGLANG_USE_CPU_ENGINE=1``
in the environment is SGLang's own word for a machine without an accelerator. ``CURATE_API_KEY`` is the key that
requests must bring: as an argument, everybody on the machine could read it in the list of processes.

SGLang's server is several processes. It starts its scheduler and its detokenizer with multiprocessing's *spawn*
method, and a spawned child first runs this file's top level again (under the name ``__mp_main__``). So
everything that a process needs before it imports sglang stands at the top level here, and only the launch itself
stands under ``if __name__ == "__main__"``.
"""

import ctypes
import importlib.abc
import importlib.machinery
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NoReturn

KERNELS = "sgl_kernel"
"""Import name of SGLang's compiled kernels, which are published for GPUs only."""

KEY_VARIABLE = "CURATE_API_KEY"

PR_SET_PDEATHSIG = 1
"""The ``prctl`` option that asks for a signal when the parent ends (``linux/prctl.h``)."""


class KernelStandIn(ModuleType):
    """A module whose every attribute is a function that raises when it is called.

    SGLang imports names from ``sgl_kernel`` in many modules, whatever the device, but with the torch-native
    attention backend it calls none of them for a Llama-like model. A model that does need one gets an error that
    names it.
    """

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        """Give a function that raises, for every name but Python's own ``__names__``."""
        if name.startswith("__"):
            # Python's machinery asks for these and takes their absence as an answer.
            raise AttributeError(name)
        wanted = f"{self.__name__}.{name}"

        def missing(*_args: Any, **_kwargs: Any) -> NoReturn:
            raise NotImplementedError(
                f"{wanted} is a compiled SGLang kernel with no CPU build; this model cannot be served here: "
                "serve it on a GPU, or choose a model that does not need this kernel"
            )

        return missing


class KernelFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answer the import of ``sgl_kernel`` with a stand-in.

    A finder rather than an entry in ``sys.modules``: the module then has the spec that
    ``importlib.util.find_spec`` asks for. Submodules are left unfound on purpose: where SGLang wants one, it has a
    fallback of its own for ImportError.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Claim ``sgl_kernel`` and nothing else."""
        return importlib.machinery.ModuleSpec(fullname, self) if fullname == KERNELS else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Make the stand-in that this spec describes."""
        return KernelStandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: a stand-in is complete when made."""


def define_torchvision_operators() -> None:
    """Declare the two operators that torchvision needs and its wheel cannot load beside a CPU torch.

    Importing torchvision registers shape rules for them and fails when they do not exist. They are declared
    without code: no text model calls them.
    """
    import torch

    for name in ("nms", "qnms"):
        torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


class Secret(str):
    """A key that does not show where a log prints the server's arguments."""

    def __repr__(self) -> str:
        """Stars."""
        return "'***'"


def die_with_parent() -> None:
    """Ask the kernel to kill this process when the one that started it ends, however that ends.

    A killed main process cannot stop its children, and each holds the model's memory and perhaps the port.
    """
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


# multiprocessing's name for this file in a spawned child; its parent_process() is not set yet.
if __name__ == "__mp_main__":
    die_with_parent()
if os.environ.get("SGLANG_USE_CPU_ENGINE") == "1":
    sys.meta_path.insert(0, KernelFinder())
    define_torchvision_operators()


def main(arguments: list[str]) -> None:
    """Run the server until it is told to stop.

    Args:
        arguments: SGLang's server arguments, without the program's name.
    """
    from sglang.srt.entrypoints.http_server import launch_server  # type: ignore[import-not-found]
    from sglang.srt.server_args import prepare_server_args  # type: ignore[import-not-found]

    settings = prepare_server_args(arguments)
    key = os.environ.pop(KEY_VARIABLE, "")
    if key:
        settings.api_key = Secret(key)
    try:
        launch_server(settings)
    finally:
        # Started in the background of a script, a process ignores SIGINT: the web server then stops and simply
        # returns, and Python would wait for ever for children that were not told to end.
        for child in multiprocessing.active_children():
            child.kill()


if __name__ == "__main__":
    main(sys.argv[1:])
