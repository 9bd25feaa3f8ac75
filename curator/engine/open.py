"""An engine by its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from curator._errors import InputError
from curator.engine.interface import Workers
from curator.engine.local import usable_cores

Name = Literal["local", "ray"]


@contextmanager
def open_engine(name: Name, address: str | None, workers: int | None) -> Iterator[Workers]:
    """What does the work of a command, until its end.

    Args:
        name: ``local`` for processes of this machine.
        address: of a Ray cluster; ``None`` starts Ray here.
        workers: tasks at once; as many as there are cores when left out.

    Raises:
        InputError: an address without an engine that has one.
        DependencyError: Ray is not installed, or no cluster answers.
    """
    if name == "local":
        if address is not None:
            raise InputError(f"--ray-address {address} is for --engine ray: add that, or leave it out")
        yield workers or usable_cores()
        return
    from curator.engine.on_ray.engine import RayEngine

    engine = RayEngine(address, workers)
    try:
        yield engine
    finally:
        engine.close()
