"""Long random stretches are cut out, and what remains reads on."""

from __future__ import annotations

import random

from curator.gates.random_text import RandomSpan, cut_random_text, find_random_text

RNG = random.Random(7)
GOOD = (
    "The keeper wrote down the height of the water every morning and every night, and on Sundays he drew a small "
    "boat beside the number. His daughter has the books now. She lends them to anybody who asks for them politely."
)
JUNK = "\n".join(RNG.randbytes(40).hex() for _ in range(8))


def cut(text: str, start: int, end: int, least: int = 1) -> str:
    return cut_random_text(text, [RandomSpan(start, end, "hex", 1.0)], least)


def test_a_stretch_between_paragraphs_leaves_two_paragraphs() -> None:
    text = f"{GOOD}\n\n{JUNK}\n\n{GOOD}"
    assert cut_random_text(text, find_random_text(text).spans, 200) == f"{GOOD}\n\n{GOOD}"


def test_a_stretch_of_lines_leaves_two_lines() -> None:
    assert cut("one two\n0123\nthree", 8, 12) == "one two\nthree"


def test_a_word_in_a_line_leaves_one_space() -> None:
    assert cut("one two 0123 three", 8, 12) == "one two three"


def test_a_word_is_cut_as_a_whole_with_its_marks() -> None:
    assert cut("see 'ab0123cd', then go", 7, 11) == "see then go"


def test_head_and_tail_leave_no_blank() -> None:
    assert cut("0123\n\ngood text", 0, 4) == "good text"
    assert cut("good text\n\n0123\n", 11, 15) == "good text"


def test_a_short_stretch_stays() -> None:
    text = "one two 0123 three"
    assert cut(text, 8, 12, least=5) == text


def test_stretches_with_only_marks_between_count_as_one() -> None:
    text = "keep " + "0123, " * 3 + "this"
    spans = [RandomSpan(at, at + 4, "hex", 1.0) for at in (5, 11, 17)]
    assert cut_random_text(text, spans, 16) == "keep this"


def test_all_junk_leaves_nothing() -> None:
    assert cut_random_text(JUNK, find_random_text(JUNK).spans, 100) == ""


def test_indentation_behind_the_gap_is_kept() -> None:
    assert cut("def f():\n    0123\n    return 1", 13, 17) == "def f():\n    return 1"
