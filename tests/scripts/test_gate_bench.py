"""The labelled set and the figures of the gates' benchmark."""

from __future__ import annotations

import re
import sys
import uuid
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from gate_bench import good_scripts, junk_repeat, junk_strings, junk_words
from gate_bench.draw import draw_length, half_of, stream
from gate_bench.embedded import embed
from gate_bench.junk_bench import Judged, tabulate
from gate_bench.labelled import Labelled, family
from gate_bench.pieces import Piece, by_sentences, is_clearly_text, part_of, without_seen
from gate_bench.proportions import Share


def judged(is_junk: bool, refused: bool, kind: str = "uuid", ours: bool = True) -> Judged:
    return Judged(Labelled("x", "text", is_junk, kind, "made", 1, ours), refused, "")


def test_streams_depend_on_names_and_not_on_each_other() -> None:
    assert stream(0, "uuid", 1).random() == stream(0, "uuid", 1).random()
    assert stream(0, "uuid", 1).random() != stream(0, "uuid", 2).random()
    # Names are kept apart: ("a", "bc") is not ("ab", "c").
    assert stream("a", "bc").random() != stream("ab", "c").random()


def test_a_unit_has_the_same_half_on_every_machine() -> None:
    assert [half_of(name) for name in ("numpy", "scipy", "word:tide", "word:ebb")] == [1, 1, 0, 0]


def test_lengths_are_log_uniform() -> None:
    draw = stream("lengths")
    lengths = [draw_length(draw) for _ in range(4000)]
    assert min(lengths) >= 40 and max(lengths) <= 4000
    # The middle of 40 and 4,000 by their logarithms is 400.
    assert 370 < sorted(lengths)[2000] < 430


def test_uuids_are_version_4_and_fill_the_length() -> None:
    text = junk_strings.uuids(stream("u"), 0, 900)
    found = re.findall(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text)
    assert 800 <= len(text) <= 900
    assert all(uuid.UUID(one).version == 4 for one in found)


def test_keyboard_mash_stays_on_a_row() -> None:
    rows = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    texts = [junk_words.keyboard_mash(stream("mash", number), 0, 400) for number in range(40)]
    pairs = [
        pair for text in texts if re.fullmatch(r"[a-z\s]+", text) for pair in re.findall(r"(?=([a-z]{2}))", text)
    ]
    same = sum(any(first in row and second in row for row in rows) for first, second in pairs)
    # Letters drawn at random are on one row 34 times in 100.
    assert len(pairs) > 1000
    assert same > 0.6 * len(pairs)


def test_the_halves_share_no_dictionary_word() -> None:
    from gate_bench.vocabulary import english_dictionary

    first, second = (set(english_dictionary(half)) for half in (0, 1))
    assert len(first) > 1000 and len(second) > 1000
    assert not first & second


def test_repeated_lines_come_at_least_five_times() -> None:
    for number in range(20):
        text = junk_repeat.repeated_lines(stream("repeat", number), 0, 600)
        plain = re.sub(r"\d+\.? ?", "", text)
        line = max(re.split(r"\n|(?<=[.!?]) ", plain), key=len)
        assert plain.count(line[:12]) >= 4


@pytest.mark.parametrize("place", ["head", "middle", "tail"])
def test_embedded_junk_is_where_it_should_be(place: str) -> None:
    text = embed(lambda _draw, _half, size: "#" * size, place, 60)(stream("embed", place), 0, 1000)
    start, end = text.index("#"), text.rindex("#") + 1
    assert 0.3 * 1000 - 1 <= end - start <= 0.7 * 1000 + 1
    assert set(text[start:end]) == {"#"}
    assert (start == 0) == (place == "head")
    assert (end == len(text)) == (place == "tail")


def test_a_family_is_what_the_junk_is() -> None:
    assert family("embedded:salad:han@middle") == "salad:han"
    assert family("uuid") == "uuid"


def test_phrases_of_the_halves_differ() -> None:
    make = good_scripts.in_language("am")
    first, second = (set(make(stream("am"), half, 700).split("። ")) for half in (0, 1))
    assert len(first) > 5 and not first & second


def test_text_and_blobs_are_told_apart() -> None:
    assert is_clearly_text("The harbour office opens at seven, and the ferry leaves at 7:20.")
    assert is_clearly_text("图书馆每天上午九点开门，下午五点关门。")
    assert not is_clearly_text("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12")
    assert not is_clearly_text("src='data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAUA" * 4)
    assert not is_clearly_text("")


def test_parts_of_a_file_meet_at_a_line_end_and_share_nothing() -> None:
    text = "one\ntwo\nthree\nfour\nfive\n"
    assert part_of(text, 0) + part_of(text, 1) == text
    assert part_of(text, 0).endswith("\n")
    assert part_of("one line only", 0) + part_of("one line only", 1) == "one line only"


def test_sentences_end_at_their_marks() -> None:
    assert by_sentences("Low tide. High tide! 退潮。涨潮。\nEnd") == [
        "Low tide. ",
        "High tide! ",
        "退潮。",
        "涨潮。",
        "\n",
        "End",
    ]


def test_pieces_that_the_other_half_has_are_left_out() -> None:
    licence = "Permission is hereby granted, free of charge, to any person obtaining a copy"
    own = "This line is in no other package's licence, as far as anyone knows"
    found = [Piece(licence, "b"), Piece(own, "b"), Piece("short", "b")]
    assert without_seen(found, [Piece(licence, "a")]) == found[1:]


def test_wilson_intervals() -> None:
    low, high = Share(0, 80).interval()
    assert low == pytest.approx(0, abs=1e-9)
    assert high == pytest.approx(0.0458, abs=1e-4)
    assert Share(0, 0).interval() == (0.0, 1.0)
    assert Share(79, 80).as_json()["share"] == 0.9875


def test_the_table_counts_by_class_and_tells_what_is_missed() -> None:
    rows = [judged(True, True)] * 97 + [judged(True, False)] * 3
    rows += [judged(True, False, "digits", ours=False)] + [judged(True, True, "digits")] * 4
    rows += [judged(False, False, "prose", ours=False)] * 199 + [judged(False, True, "prose")]
    table = tabulate(rows)
    assert (table.all_junk, table.all_good, table.precision) == (Share(101, 105), Share(1, 200), Share(101, 102))
    assert table.real == (Share(0, 1), Share(0, 199))
    assert table.failures() == [
        "recall 0.962 is under 0.98",
        "digits: recall 0.80",
        "fewer than 300 texts that no generator of ours made",
    ]
    assert [len(table.mistakes[kind]) for kind in ("uuid", "digits", "prose")] == [2, 1, 1]
