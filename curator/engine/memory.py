"""How much main memory there is for this process, and a ceiling on what one of several may take."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import psutil

_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
# By the controller's name in version 2 and 1: limit, use, and what of the use is only a cache of files.
_CGROUP_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
# With less a worker would not even load its libraries.
_LEAST = 1 << 30


def available_memory() -> int:
    """Bytes of main memory that this process may still take: the machine's, or its control group's if less."""
    free = int(psutil.virtual_memory().available)
    return min([free, *(room for room in map(_group_room, _groups()) if room is not None)])


def memory_in_all() -> int:
    """Bytes of main memory that this process has and may still take, as an estimate of a whole run counts."""
    return available_memory() + int(psutil.Process().memory_info().rss)


def worker_ceiling(workers: int) -> int:
    """Bytes that each of so many workers may hold: the memory that is free now in equal parts, 1 GiB at least."""
    return max(available_memory() // workers, _LEAST)


def hold_to(ceiling: int) -> None:
    """Have this process refused memory beyond ``ceiling`` bytes, as a `MemoryError`; Linux only.

    Without it one huge row makes the kernel end some process of the machine, which may be another one.
    """
    if not sys.platform.startswith("linux"):
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    # A lower limit that is there already stays.
    with contextlib.suppress(ValueError, OSError):
        most = ceiling if hard == resource.RLIM_INFINITY else min(ceiling, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _groups() -> list[tuple[Path, str]]:
    """The folders of this process's memory control groups and of those above, with the controller's name."""
    found = []
    try:
        lines = _OWN.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if controllers in ("", "memory"):
            root = _CGROUPS / controllers
            own = root / place.lstrip("/")
            found += [(folder, controllers) for folder in (own, *own.parents) if folder.is_relative_to(root)]
    return found


def _group_room(group: tuple[Path, str]) -> int | None:
    """What a control group may still take; ``None`` when it has no limit or cannot be read."""
    folder, controller = group
    limit, use, cached = _CGROUP_FILES[controller]
    try:
        most = int((folder / limit).read_text())
        now = int((folder / use).read_text())
        statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        # "max" in version 2, and no file at all at the root.
        return None
    return max(most - now + int(statistics.get(cached, 0)), 0)
