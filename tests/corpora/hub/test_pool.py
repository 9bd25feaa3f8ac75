from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curator.corpora.hub.hub_repository import HubRepository
from curator.corpora.hub.pool import FEWEST, text_pool
from curator.corpora.hub.repository import Listed


@given(
    sizes=st.lists(st.integers(1, 10**12), min_size=1, max_size=40), rows=st.integers(1, 10**6), seed=st.integers()
)
def test_rows_are_shared_out_by_size(sizes: list[int], rows: int, seed: int) -> None:
    files = tuple(Listed(f"data/{number:03}.jsonl", size) for number, size in enumerate(sizes))
    repository = HubRepository("us/letters", "0" * 40, files)
    pool = text_pool(repository, files, rows, seed)
    assert pool == text_pool(repository, tuple(reversed(files)), rows, seed)
    paths = [part.file.path for part in pool.parts]
    assert paths == sorted(paths) and len(paths) == len(set(paths))
    limits = [part.limit for part in pool.parts]
    if None in limits:
        assert limits == [None] * len(files) and sum(sizes) <= 64 * rows
        return
    shared = [limit for limit in limits if limit is not None]
    assert sum(shared) == rows and min(shared) > 0
    chosen = sum(part.file.size for part in pool.parts)
    for part in pool.parts:
        assert abs((part.limit or 0) - rows * part.file.size / chosen) <= 1 + rows * len(sizes) * 1e-9 + len(sizes)
    if rows >= 10**4 and len({*sizes}) == 1:
        assert len(pool.parts) >= min(FEWEST, len(files))
