from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curator.tokens.pack import Segment, pack


def segment(name: str, ids: list[int]) -> Segment:
    return Segment(name, name, "t", "en", "c", "MIT", tuple(ids), "", 0, None)


def test_segments_are_laid_end_to_end_and_cut() -> None:
    one, two, three = segment("1", [10, 11, 12]), segment("2", [20, 21, 22, 23]), segment("3", [30])
    found = pack([one, two, three], 4, [9])
    assert [sequence.ids for sequence in found] == [(9, 10, 11, 12), (9, 20, 21, 22), (9, 23, 30)]
    assert [[(part.segment.piece, part.start, part.end) for part in sequence.parts] for sequence in found] == [
        [("1", 1, 4)],
        [("2", 1, 4)],
        [("2", 1, 2), ("3", 2, 3)],
    ]


def test_nothing_gives_no_sequence() -> None:
    assert pack([], 8, [1]) == []
    assert pack([segment("empty", [])], 8, []) == []


@given(
    st.lists(st.lists(st.integers(0, 999), max_size=30), max_size=12),
    st.integers(3, 17),
    st.sampled_from([[], [7], [7, 8]]),
)
def test_no_token_is_lost_repeated_or_moved(lists: list[list[int]], length: int, prefix: list[int]) -> None:
    segments = [segment(str(number), ids) for number, ids in enumerate(lists)]
    found = pack(segments, length, prefix)
    content: list[int] = []
    by_piece: dict[str, list[int]] = {part.piece: [] for part in segments}
    for sequence in found:
        assert list(sequence.ids[: len(prefix)]) == prefix
        content += sequence.ids[len(prefix) :]
        at = len(prefix)
        for part in sequence.parts:
            assert part.start == at < part.end
            by_piece[part.segment.piece] += sequence.ids[part.start : part.end]
            at = part.end
        assert at == len(sequence.ids)
    assert content == [token for ids in lists for token in ids]
    assert by_piece == {part.piece: list(part.ids) for part in segments}
    assert all(len(sequence.ids) == length for sequence in found[:-1])
    assert not found or len(prefix) < len(found[-1].ids) <= length
