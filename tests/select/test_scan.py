"""One pass over a source keeps the first pieces of the drawing order, however the source is divided."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from select_shards import Held, document, documents, rule, split

from curator.corpora.corpus import BadRow
from curator.corpora.document import Document
from curator.select.scan import REACH, Rule, piece_key, scan


def test_the_first_pieces_are_those_of_the_whole_order() -> None:
    whole = [piece.id for piece in scan(split(documents(40), 1), rule(), None, 1).pieces]
    assert sorted(whole) == sorted(f"d{number}:0" for number in range(40))
    # Six or seven characters a text: a window of 40 holds five or six of them.
    found = scan(split(documents(40), 1), rule(window=40), None, 1)
    ids = [piece.id for piece in found.pieces]
    assert 5 <= len(ids) <= 6
    assert ids == whole[: len(ids)]
    assert found.cutoff is not None
    assert found.cutoff[1] == whole[len(ids)]


@given(st.integers(1, 9), st.integers(1, 200), st.integers(0, 3))
def test_shards_and_windows_do_not_change_what_comes_first(parts: int, window: int, seed: int) -> None:
    chosen = rule(window=window, seed=seed)
    one = scan(split(documents(30), 1), chosen, None, 1)
    many = scan(split(documents(30), parts), chosen, None, 1)
    assert [piece.id for piece in many.pieces] == [piece.id for piece in one.pieces]
    assert many.cutoff == one.cutoff
    assert (
        (many.documents, many.chars) == (one.documents, one.chars) == (30, sum(len(d.text) for d in documents(30)))
    )


def test_two_processes_find_what_one_does() -> None:
    shards = split([*documents(50), BadRow("f:9", "null", "x")], 5)
    one, two = (scan(shards, rule(window=99), None, workers) for workers in (1, 2))
    assert one == two
    assert one.bad == {"null": 1}


def test_windows_follow_each_other_without_gap_or_overlap() -> None:
    shards = split(documents(40), 3)
    whole = [piece.id for piece in scan(shards, rule(), None, 1).pieces]
    found, after = [], None
    while True:
        part = scan(shards, rule(window=50), after, 1)
        found += [piece.id for piece in part.pieces]
        if part.cutoff is None:
            break
        after = piece_key(1, part.pieces[-1])
    assert found == whole


def test_a_piece_larger_than_the_window_still_comes() -> None:
    found = scan([Held((document(1, "x" * 90), document(2, "y" * 90)))], rule(window=10), None, 1)
    assert len(found.pieces) == 1
    assert found.cutoff is not None


def test_bad_rows_are_counted_and_the_first_ten_shown_in_the_order_of_the_source() -> None:
    rows = [BadRow(f"f:{number}", "null", "no text") for number in range(1, 26)]
    found = scan(split([*rows, document(1)], 4), rule(), None, 1)
    assert found.bad == {"null": 25}
    assert [row.where for row in found.examples["null"]] == [f"f:{number}" for number in range(1, 11)]


def test_text_far_from_a_piece_is_not_kept() -> None:
    long = document(1, "".join(f"{number:09d}\n" for number in range(10_000)))
    found = scan([Held((long,))], rule(chars=1000, window=10**7), None, 1)
    assert len(found.pieces) == 100
    for piece in found.pieces:
        assert len(piece.document.text) <= 1000 + 2 * REACH
        assert piece.text == long.text[int(piece.id.partition(":")[2]) * 1000 :][:1000]


def test_held_out_units_are_left_out_when_the_rule_says_so() -> None:
    given_ = [Document(f"d{n}", "c", f"package:{n}", "t", "en", "MIT", f"text {n}") for n in range(200)]
    with_, without = (
        scan([Held(tuple(given_))], Rule("t", 100, 1, without_heldout=flag, window=10**6), None, 1).documents
        for flag in (False, True)
    )
    assert with_ == 200
    # A quarter is held out.
    assert 120 < without < 180


def test_documents_count_for_the_task_of_the_recipe() -> None:
    found = scan([Held((document(1),))], Rule("prose", 100, 1, without_heldout=False, window=99), None, 1)
    assert [piece.document.task for piece in found.pieces] == ["prose"]
