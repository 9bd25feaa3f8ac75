"""How much memory a run needs, how much there is, and what to set when it is too little."""

from __future__ import annotations

from pathlib import Path

import psutil

from curator.recipe.quantize_settings import QuantizeSettings

_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
# By the controller's name in version 2 and 1: limit, use, and what of the use is only a cache of files.
_CGROUP_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


def available_memory() -> int:
    """Bytes of main memory that this process may still take: the machine's, or its control group's if less."""
    free = int(psutil.virtual_memory().available)
    return min([free, *(room for room in map(_group_room, _groups()) if room is not None)])


def memory_in_all() -> int:
    """Bytes of main memory that this process has and may still take, as an estimate of a whole run counts."""
    return available_memory() + int(psutil.Process().memory_info().rss)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on the host or on a GPU."""
    current: BaseException | None = error
    while current is not None:
        words = str(current).lower()
        if isinstance(current, MemoryError) or any(sign in words for sign in _OUT_OF_MEMORY):
            return True
        current = current.__cause__
    return False


def out_of_memory_words(settings: QuantizeSettings) -> str:
    """What to change so that less memory is needed, most helpful first."""
    hints = []
    if settings.pipeline == "basic":
        hints.append("`pipeline: sequential` (one layer's statistics at a time)")
    if settings.batch_size > 1:
        hints.append(f"a `batch_size` below {settings.batch_size}")
    hints.append("a set with fewer tokens a sequence, then with fewer sequences")
    if settings.experts == "all":
        hints.append("`experts: refuse` or `report` (routed tokens only)")
    if "gptq" in settings.method:
        hints.append("a method without Hessians (max, awq)")
    return "it needs less memory with " + "; ".join(hints)


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
