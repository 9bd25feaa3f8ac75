from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.scores.sentences import sentence_spans, split_sentences


def test_sentences_end_at_marks_blank_lines_and_list_items() -> None:
    text = """# The harbour office
It opens at seven! Does the ferry wait? "No, it never waits." The clerk
shrugs (he always does).

- Bring the tide tables.
- Bring the lamp oil
1. Close the valve first.
"""
    assert split_sentences(text) == [
        "# The harbour office",
        "It opens at seven!",
        "Does the ferry wait?",
        '"No, it never waits."',
        "The clerk shrugs (he always does).",
        "- Bring the tide tables.",
        "- Bring the lamp oil",
        "1. Close the valve first.",
    ]


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("The emotivist A. J. Ayer met Dr. Stevenson in 1936. Version 2.0 of it came later.", "Version 2.0"),
        ("It was cheap, e.g. Three pence a yard. Nobody paid more.", "Nobody"),
        ("See Fig. 3 and Eqs. (4) for the shape of it. Then read on.", "Then"),
        ("He always said no. Seven people heard him say it.", "Seven"),
        ("The U.S. Government paid 3.14 dollars for it. Nobody knows why.", "Nobody"),
        ("They emigrated to the U.S. They never came back again.", "They never"),
        ("The office closes at 5 p.m. The lamps go out then.", "The lamps"),
        ('"Is it really over?" he asked them. Nobody knew.', "Nobody knew."),
        ("Smith et al. Found nothing of the kind there. Jones did so.", "Jones"),
        ("The bridge (the old one.) It has been rebuilt twice.", "It has"),
        ("Er wohnt im Haus Nr. 12 bzw. Am Markt daneben. Dort ist es laut.", "Dort"),
    ],
)
def test_short_forms_numbers_and_initials_end_no_sentence(text: str, second: str) -> None:
    first, rest = split_sentences(text)
    assert rest.startswith(second)
    assert f"{first} {rest}" == text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("港口办公室每天早上七点开门。第一班渡轮二十分钟以后离开！他说：“好的。”然后走了？", 4),
        ("図書館は毎朝九時に開きます。月曜日は休みです！誰が鍵を持っていますか？", 3),
        ("पुस्तकालय सुबह नौ बजे खुलता है। वह शाम को बंद होता है।", 2),
        ("هل المكتبة مفتوحة اليوم؟ نعم هي مفتوحة حتى الخامسة.", 2),
        ("لائبریری صبح نو بجے کھلتی ہے۔ شام کو بند ہوتی ہے۔", 2),
        ("ቤተ መጻሕፍቱ በየቀኑ ክፍት ነው። ሰኞ ዕለት ግን ዝግ ነው።", 2),
        ("Գրադարանը բաց է ամեն օր։ Երկուշաբթի այն փակ է։", 2),
        ("你明天到底来不来?我真的不知道!那就算了吧。", 3),
    ],
    ids=["zh", "ja", "hi", "ar", "ur", "am", "hy", "zh with ASCII marks"],
)
def test_each_script_ends_its_sentences_in_its_own_way(text: str, count: int) -> None:
    found = split_sentences(text)
    assert len(found) == count
    assert "".join(found).replace(" ", "") == text.replace(" ", "")


def test_thai_has_no_marks_and_is_cut_at_spaces() -> None:
    clause = "ห้องสมุดเปิดทุกวันตั้งแต่เก้าโมงเช้าถึงห้าโมงเย็น"
    found = split_sentences(" ".join([clause] * 12))
    assert len(found) == 12
    assert set(found) == {clause}


def test_fragments_are_left_out_and_the_limit_holds() -> None:
    assert split_sentences("Yes. The answer is yes, of course.") == ["The answer is yes, of course."]
    assert split_sentences("好。我不知道。") == ["我不知道。"]
    assert len(split_sentences("The boat is late again. " * 50, 7)) == 7
    for nothing in ("", "   \n", "... --- ...", "-" * 80, "\u0301" * 100, "!?" * 50):
        assert split_sentences(nothing) == []


def test_lines_without_marks_are_compared_by_line() -> None:
    lines = [f"{number:08x}-0000-4000-8000-{number:012x}" for number in range(30)]
    assert split_sentences("\n".join(lines)) == lines


def test_a_list_of_single_words_does_not_vanish() -> None:
    words = [f"word{number}" for number in range(120)]
    assert " ".join(split_sentences("\n".join(words))).split() == words


def test_words_without_marks_are_cut_into_stretches_and_none_is_lost() -> None:
    words = [f"word{number}" for number in range(500)]
    found = split_sentences(" ".join(words))
    assert " ".join(found).split() == words
    assert all(100 < len(stretch) <= 201 for stretch in found[:-1])
    assert [len(stretch) for stretch in split_sentences("x" * 1000)] == [200] * 5


_PIECES = st.sampled_from(
    [
        "The boat is late. ",
        "Dr. ",
        "e.g. ",
        "好的，我知道了。",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "?",
        "…",
        "# ",
        "\t",
        '"',
        "ก" * 30,
        "\ud800",
        "\x00",
        "x" * 450,
        "U.S. ",
        "| a | b |",
        ")",
        "\r\n",
        "\u2028",
        "\u3000",
        "।",
    ]
)


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_places_are_those_of_the_texts_in_order_and_nothing_long_is_lost(text: str) -> None:
    spans = sentence_spans(text)
    for span in spans:
        assert " ".join(text[span.start : span.end].split()) == span.text
        assert not text[span.start].isspace()
        assert not text[span.end - 1].isspace()
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))
    assert sum(span.text.count("x") for span in spans) == text.count("x")


def test_a_rest_too_short_to_stand_alone_stays_with_the_stretch_before() -> None:
    assert [len(span.text) for span in sentence_spans("x" * 1801)][-2:] == [200, 201]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        ". " * 500_000,
        "\n " * 500_000,
        '."' * 500_000,
        "\n" + " " * 10**6,
        "\n- " * 300_000,
        "1. " * 300_000,
        "A. " * 300_000,
        "ก" * 10**6,
        "好" * 10**6,
        "." * 10**6,
        "(" * 10**6,
    ],
    ids=lambda text: repr(text[:3]),
)
def test_a_megabyte_takes_no_quadratic_time(text: str) -> None:
    begin = time.process_time()
    split_sentences(text)
    # Quadratic time would be hours.
    assert time.process_time() - begin < 20
