"""Every token is placed once or counted; boundaries, prefixes and lengths hold, however packing is done."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.tokens.pack import Packed, PackedSequence, Segment, pack, pack_laid_out

How = Literal["concat", "none"]
HOW: tuple[How, ...] = ("concat", "none")


def segment(name: str, ids: list[int]) -> Segment:
    return Segment(name, name, "t", "en", "c", "MIT", tuple(ids), "", 0, None)


def sized(*sizes: int) -> list[Segment]:
    """Segments of these sizes, each token unlike every other."""
    return [segment(str(number), [1000 * number + at for at in range(size)]) for number, size in enumerate(sizes)]


def layout(packed: Packed) -> list[list[tuple[str, int, int]]]:
    return [[(part.segment.piece, part.start, part.end) for part in one.parts] for one in packed.sequences]


def test_concat_lays_segments_end_to_end_and_cuts() -> None:
    one, two, three = segment("1", [10, 11, 12]), segment("2", [20, 21, 22, 23]), segment("3", [30])
    packed = pack([one, two, three], [4, 4, 4, 4], [9], "concat")
    assert [sequence.ids for sequence in packed.sequences] == [(9, 10, 11, 12), (9, 20, 21, 22), (9, 23, 30)]
    assert layout(packed) == [[("1", 1, 4)], [("2", 1, 4)], [("2", 1, 2), ("3", 2, 3)]]
    assert (packed.cut_segments, packed.cut_tokens, packed.unused) == (0, 0, 5)


def test_concat_over_mixed_lengths_counts_what_is_left() -> None:
    packed = pack(sized(5, 6), [6, 3], [9], "concat")
    assert [len(sequence.ids) for sequence in packed.sequences] == [6, 3]
    assert layout(packed) == [[("0", 1, 6)], [("1", 1, 3)]]
    assert (packed.cut_segments, packed.cut_tokens, packed.unused) == (1, 4, 0)


def test_laid_out_segments_stay_where_they_were_put() -> None:
    one, two, three = sized(3, 4, 5)
    packed = pack_laid_out([[two, one], [], [three]], [10, 8, 9], [-7])
    assert layout(packed) == [[("1", 1, 5), ("0", 5, 8)], [("2", 1, 6)]]
    assert [len(sequence.ids) for sequence in packed.sequences] == [8, 6]
    # The prefix counts as used; the sequence without a text is missing.
    assert (packed.cut_segments, packed.cut_tokens, packed.unused) == (0, 0, 27 - 14)


def test_one_a_sequence_gives_the_longest_the_longest_room() -> None:
    packed = pack(sized(5, 20, 9), [12, 8, 6], [7], "none")
    assert layout(packed) == [[("1", 1, 12)], [("2", 1, 8)], [("0", 1, 6)]]
    assert (packed.cut_segments, packed.cut_tokens, packed.unused) == (2, 9 + 2, 0)


def test_one_a_sequence_takes_the_first_that_come_not_the_longest() -> None:
    packed = pack(sized(5, 6, 50), [32, 32], [], "none")
    assert layout(packed) == [[("1", 0, 6)], [("0", 0, 5)]]
    assert (packed.cut_segments, packed.cut_tokens, packed.unused) == (1, 50, 53)


@pytest.mark.parametrize("how", HOW)
def test_nothing_gives_no_sequence(how: How) -> None:
    for segments in ([], sized(0, 0)):
        assert pack(segments, [8, 8], [1], how) == Packed([], 0, 0, 16)


@pytest.mark.parametrize("how", HOW)
def test_lengths_without_room_hold_nothing(how: How) -> None:
    packed = pack(sized(3), [2, 1], [7, 8], how)
    assert packed == Packed([], 1, 3, 3)


@pytest.mark.parametrize("how", HOW)
@given(
    sizes=st.lists(st.integers(0, 60), max_size=14),
    lengths=st.lists(st.integers(3, 40), max_size=8),
    prefix=st.sampled_from([[], [-7], [-7, -8]]),
)
def test_no_token_is_lost_uncounted_repeated_or_moved(
    how: How, sizes: list[int], lengths: list[int], prefix: list[int]
) -> None:
    segments = sized(*sizes)
    packed = pack(segments, lengths, prefix, how)
    by_piece: dict[str, list[int]] = {one.piece: [] for one in segments}
    for sequence in packed.sequences:
        check_sequence(sequence, prefix)
        for part in sequence.parts:
            by_piece[part.segment.piece] += sequence.ids[part.start : part.end]
    placed = 0
    for one in segments:
        # What is kept of a document is its beginning, in order.
        assert by_piece[one.piece] == list(one.ids[: len(by_piece[one.piece])])
        placed += len(by_piece[one.piece])
    assert packed.cut_tokens == sum(sizes) - placed
    assert packed.cut_segments == sum(len(by_piece[one.piece]) < len(one.ids) for one in segments)
    assert packed.unused == sum(lengths) - sum(len(sequence.ids) for sequence in packed.sequences)
    check_lengths(packed.sequences, lengths)


def check_sequence(sequence: PackedSequence, prefix: list[int]) -> None:
    assert list(sequence.ids[: len(prefix)]) == prefix
    assert sequence.parts
    at = len(prefix)
    for part in sequence.parts:
        assert part.start == at < part.end
        at = part.end
    assert at == len(sequence.ids)


def check_lengths(sequences: list[PackedSequence], lengths: list[int]) -> None:
    """The sequences belong to a subsequence of the lengths, in their order."""
    left = iter(lengths)
    for sequence in sequences:
        assert any(len(sequence.ids) <= length for length in left)
