"""What memory there is, and a worker that wants more than its part of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from curator._errors import DependencyError
from curator.engine import local, memory
from curator.engine.local import map_in_order


def test_the_limit_of_a_control_group_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)
    monkeypatch.setattr(memory, "_OWN", tmp_path / "own")
    inner = tmp_path / "job" / "step"
    inner.mkdir(parents=True)
    (tmp_path / "own").write_text("0::/job/step\n")
    free = memory.available_memory()
    assert memory.memory_in_all() > free + (50 << 20)
    # The outer group is the tight one; what it caches of files can be had back.
    for folder, most in ((inner, "max"), (inner.parent, "5000000")):
        (folder / "memory.max").write_text(f"{most}\n")
        (folder / "memory.current").write_text("3000000\n")
        (folder / "memory.stat").write_text("anon 1\ninactive_file 500000\n")
    assert free > 5_000_000
    assert memory.available_memory() == 2_500_000


def take(size: int) -> int:
    """Take so much memory, and give it back."""
    return len(bytearray(size))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has the limit")
def test_a_worker_that_wants_more_than_its_part_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "worker_ceiling", lambda workers: (1 << 30) // workers)
    sizes = [1 << 20, 64 << 20, 1 << 30, 1]
    seen = []
    with pytest.raises(DependencyError, match=r"more than its part of the memory, 0\.5 GiB; use fewer --workers"):
        for size in map_in_order(take, sizes, 2):
            seen.append(size)
    assert seen == sizes[:2]


def test_workers_share_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 24 << 30)
    assert memory.worker_ceiling(2) == 12 << 30
    # A worker that could not load its libraries would be of no use.
    assert memory.worker_ceiling(100) == 1 << 30
