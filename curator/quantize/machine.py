"""The machine that a checkpoint is made on: devices, and what its bytes depend on."""

from __future__ import annotations

import contextlib
import os
import platform
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from curator._errors import InputError

# Those of both quantisers, of which an environment has one.
_LIBRARIES = ("torch", "transformers", "llmcompressor", "compressed-tensors", "nvidia-modelopt")
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_GPU = re.compile(r"cuda:([0-9]+)")


def find_devices(text: str) -> tuple[str, ...]:
    """What ``--device`` asks for.

    Args:
        text: ``auto`` (the first GPU, else the CPU), ``cpu``, ``cuda`` or GPUs by number, ``cuda:0,cuda:1``.

    Returns:
        ``("cpu",)``, or GPUs as ``cuda:0``.

    Raises:
        InputError: none of these, or a GPU that is not there.
    """
    count = 0 if text == "cpu" else _gpus()
    if text == "cpu" or (text == "auto" and not count):
        return ("cpu",)
    names = ["cuda:0"] if text in ("auto", "cuda") else [part.strip() for part in text.split(",")]
    for name in names:
        found = _GPU.fullmatch(name)
        if found is None:
            raise InputError(f"--device {text}: {name!r} is no device; give auto, cpu, cuda or cuda:0,cuda:1")
        if len(found[1]) > 4 or int(found[1]) >= count:
            has = f"has {count} GPU{'s' if count > 1 else ''}" if count else "has no GPU that torch can use"
            raise InputError(f"--device {text}: this machine {has}; `curate doctor` shows what it can run")
    if len(set(names)) < len(names):
        raise InputError(f"--device {text}: names a GPU twice")
    return tuple(names)


def _gpus() -> int:
    # A build for the CPU alone says so: importing it would take seconds and a quarter of a gigabyte.
    if version("torch").endswith("+cpu"):
        return 0
    import torch

    return torch.cuda.device_count()


def device_environment(devices: tuple[str, ...], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that show a child process these devices alone; llm-compressor takes all that it sees."""
    if devices == ("cpu",):
        return {_VISIBLE: ""}
    visible = [part for part in environment.get(_VISIBLE, "").split(",") if part]
    numbers = [int(name.removeprefix("cuda:")) for name in devices]
    return {_VISIBLE: ",".join(visible[number] if visible else str(number) for number in numbers)}


def _versions() -> Iterator[tuple[str, str]]:
    for name in _LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            yield name, version(name)


def machine_facts() -> dict[str, Any]:
    """What the bytes of a checkpoint depend on beside the set and the settings."""
    import torch

    gpus = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    return {
        "devices": gpus or ["cpu"],
        "processor": f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}",
        "threads": torch.get_num_threads(),
        "versions": dict(_versions()),
    }


def peak_gpu_bytes() -> list[int]:
    """The most that tensors have taken on each GPU since this process began; empty on a CPU."""
    import torch

    return [torch.cuda.max_memory_allocated(number) for number in range(torch.cuda.device_count())]
