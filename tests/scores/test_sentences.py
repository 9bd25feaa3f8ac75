from __future__ import annotations

import time

import pytest

from curator.scores.sentences import split_sentences


def test_sentences_end_at_marks_blank_lines_and_list_items() -> None:
    text = """# The harbour office

It opens at seven! Does the ferry wait? "No, it never waits." The clerk
shrugs (he always does).

- Bring the tide tables.
- Bring the lamp oil.
1. Close the valve first.
"""
    assert split_sentences(text) == [
        "# The harbour office",
        "It opens at seven!",
        "Does the ferry wait?",
        '"No, it never waits."',
        "The clerk shrugs (he always does).",
        "- Bring the tide tables.",
        "- Bring the lamp oil.",
        "Close the valve first.",
    ]


def test_initials_titles_and_numbers_end_no_sentence() -> None:
    text = "The emotivist A. J. Ayer met Dr. Stevenson in 1936. Version 2.0 of it came later, e.g. in print."
    assert split_sentences(text) == [
        "The emotivist A. J. Ayer met Dr. Stevenson in 1936.",
        "Version 2.0 of it came later, e.g. in print.",
    ]


def test_chinese_marks_need_no_space() -> None:
    assert split_sentences(
        "港口办公室每天早上七点开门。第一班渡轮二十分钟以后离开！大多数人坐的是第二班渡轮。"
    ) == [
        "港口办公室每天早上七点开门。",
        "第一班渡轮二十分钟以后离开！",
        "大多数人坐的是第二班渡轮。",
    ]


def test_fragments_are_left_out_and_the_limit_holds() -> None:
    assert split_sentences("Yes. The answer is yes, of course.") == ["The answer is yes, of course."]
    assert len(split_sentences("The boat is late again. " * 50, 7)) == 7
    assert split_sentences("") == []
    assert split_sentences("... --- ...") == []


def test_lines_without_marks_are_compared_by_line() -> None:
    lines = [f"{number:08x}-0000-4000-8000-{number:012x}" for number in range(30)]
    assert split_sentences("\n".join(lines)) == lines


def test_words_without_marks_are_cut_into_stretches_and_none_is_lost() -> None:
    words = [f"word{number}" for number in range(500)]
    found = split_sentences(" ".join(words))
    assert " ".join(found).split() == words
    assert all(100 < len(stretch) <= 201 for stretch in found[:-1])
    assert [len(stretch) for stretch in split_sentences("x" * 1000)] == [200] * 5


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, ". " * 500_000, "\n " * 500_000, '."' * 500_000, "\n" + " " * 10**6]
)
def test_a_megabyte_takes_no_quadratic_time(text: str) -> None:
    begin = time.perf_counter()
    split_sentences(text)
    assert time.perf_counter() - begin < 5
