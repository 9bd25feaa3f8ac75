"""Every token is placed once or counted; boundaries, prefixes and lengths hold, however packing is done."""

from __future__ import annotations

import random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.tokens.best_fit import LEAST_CUT
from curator.tokens.pack import Packed, PackedSequence, Segment, pack

How = Literal["concat", "bfd", "none"]
HOW: tuple[How, ...] = ("concat", "bfd", "none")


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


def test_best_fit_keeps_documents_whole_and_in_their_order() -> None:
    packed = pack(sized(30, 60, 40, 70), [100, 100], [], "bfd")
    # 70 and then 60 take a sequence each; 40 fits exactly beside 60, then 30 beside 70.
    assert layout(packed) == [[("0", 0, 30), ("3", 30, 100)], [("1", 0, 60), ("2", 60, 100)]]
    assert (packed.cut_segments, packed.cut_tokens, packed.unused) == (0, 0, 0)


def test_best_fit_takes_the_tightest_of_mixed_lengths() -> None:
    assert layout(pack(sized(50, 90), [100, 50], [], "bfd")) == [[("1", 0, 90)], [("0", 0, 50)]]


def test_best_fit_cuts_a_head_into_the_largest_gap_only_when_nothing_fits() -> None:
    packed = pack(sized(80, 80, 80), [100, 130], [], "bfd")
    # Two are whole; the third is cut into the gap of 50, not into that of 20.
    assert layout(packed) == [[("0", 0, 80)], [("1", 0, 80), ("2", 80, 130)]]
    assert (packed.cut_segments, packed.cut_tokens, packed.unused) == (1, 30, 20)


def test_best_fit_leaves_out_what_only_a_scrap_of_would_fit() -> None:
    half = pack(sized(80, 40), [80 + 20], [], "bfd")
    assert (half.cut_segments, half.cut_tokens, half.unused) == (1, 20, 0)
    less = pack(sized(80, 40), [80 + 19], [], "bfd")
    assert layout(less) == [[("0", 0, 80)]]
    assert (less.cut_segments, less.cut_tokens, less.unused) == (1, 40, 19)
    # A short document's half may still be too little to be worth a cut.
    scrap = pack(sized(80, 20), [80 + LEAST_CUT - 1], [], "bfd")
    assert layout(scrap) == [[("0", 0, 80)]]


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
@settings(deadline=None)
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


@given(st.lists(st.integers(1, 40), min_size=1, max_size=14), st.integers(1, 6))
@settings(deadline=None)
def test_best_fit_leaves_no_gap_that_a_document_left_over_fits_in(sizes: list[int], count: int) -> None:
    packed = pack(sized(*sizes), [40] * count, [], "bfd")
    pieces = [part.segment.piece for sequence in packed.sequences for part in sequence.parts]
    assert len(pieces) == len(set(pieces)), "a document is in one sequence only"
    missing = [size for number, size in enumerate(sizes) if str(number) not in pieces]
    gaps = [40] * (count - len(packed.sequences)) + [40 - len(sequence.ids) for sequence in packed.sequences]
    assert all(max(gaps) < min(size, LEAST_CUT) for size in missing)


def test_best_fit_wastes_next_to_nothing_and_cuts_less_than_concat() -> None:
    # Lengths as documents have them: many short, few long (log-normal), 64 sequences of 2,048 tokens.
    draw = random.Random(5)
    lengths, sizes = [2048] * 64, []
    while sum(sizes) < sum(lengths):
        sizes.append(min(2048, max(8, int(draw.lognormvariate(5.8, 1.1)))))
    sizes[-1] -= sum(sizes) - sum(lengths)
    segments = sized(*sizes)
    best, concat = pack(segments, lengths, [], "bfd"), pack(segments, lengths, [], "concat")
    total = sum(lengths)
    # No packing leaves less than nothing unused, and concat reaches that by cutting documents in two.
    assert (concat.unused, concat.cut_tokens) == (0, 0)
    assert best.unused == best.cut_tokens
    assert best.unused / total < 0.005
    parts = [part.segment.piece for one in concat.sequences for part in one.parts]
    assert len(parts) - len(set(parts)) > 50, "documents that concat cuts in two"
    whole = [part.segment.piece for one in best.sequences for part in one.parts]
    assert len(whole) == len(set(whole))
    assert best.cut_segments <= 10
