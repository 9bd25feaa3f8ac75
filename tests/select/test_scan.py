"""Reading parts of a source gives their pieces in drawing order, however the source is divided."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from select_shards import Held, document, documents, rule, split

from curator.corpora.corpus import BadRow
from curator.corpora.document import Document
from curator.select.scan import REACH, Rule, scan


@given(st.integers(1, 9), st.integers(0, 3))
def test_shards_do_not_change_the_order(parts: int, seed: int) -> None:
    chosen = rule(seed=seed)
    one = scan(split(documents(30), 1), chosen, 1)
    many = scan(split(documents(30), parts), chosen, 1)
    assert [piece.id for piece in many.pieces] == [piece.id for piece in one.pieces]
    assert sorted(piece.id for piece in one.pieces) == sorted(f"d{number}:0" for number in range(30))
    assert (
        (many.documents, many.chars) == (one.documents, one.chars) == (30, sum(len(d.text) for d in documents(30)))
    )


def test_two_processes_find_what_one_does() -> None:
    shards = split([*documents(50), BadRow("f:9", "null", "x")], 5)
    one, two = (scan(shards, rule(), workers) for workers in (1, 2))
    assert one == two
    assert one.bad == {"null": 1}
    assert one.rows == [10, 10, 10, 10, 11]


def test_bad_rows_are_counted_and_the_first_ten_shown_in_the_order_of_the_source() -> None:
    rows = [BadRow(f"f:{number}", "null", "no text") for number in range(1, 26)]
    found = scan(split([*rows, document(1)], 4), rule(), 1)
    assert found.bad == {"null": 25}
    assert [row.where for row in found.examples["null"]] == [f"f:{number}" for number in range(1, 11)]


def test_text_far_from_a_piece_is_not_kept() -> None:
    long = document(1, "".join(f"{number:09d}\n" for number in range(10_000)))
    found = scan([Held((long,))], rule(chars=1000), 1)
    assert len(found.pieces) == 100
    for piece in found.pieces:
        assert len(piece.document.text) <= 1000 + 2 * REACH
        assert piece.text == long.text[int(piece.id.partition(":")[2]) * 1000 :][:1000]


def test_held_out_units_are_left_out_when_the_rule_says_so() -> None:
    given_ = [Document(f"d{n}", "c", f"package:{n}", "t", "en", "MIT", f"text {n}") for n in range(200)]
    with_, without = (
        scan([Held(tuple(given_))], Rule("t", 100, 1, without_heldout=flag), 1) for flag in (False, True)
    )
    assert with_.documents == 200
    # A quarter is held out.
    assert 120 < without.documents < 180
    # What is left out was read.
    assert without.rows == [200]


def test_documents_count_for_the_task_of_the_recipe() -> None:
    found = scan([Held((document(1),))], Rule("prose", 100, 1, without_heldout=False), 1)
    assert [piece.document.task for piece in found.pieces] == ["prose"]
