"""Lines and phrases that come round and round are refused; refrains, tables, logs and code are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.gates.repetition import Repetition, check_repetition, measure_repetition, measure_repetitions

LINE = "The ferry leaves at noon and nobody is on it."
CYCLE = (LINE, "The captain counts the ropes.", "The gulls have gone inland.")
VERSES = (
    "The tide has turned\nand the lamps are lit,\nhaul away, haul away\n\n"
    "The cook has burned\nwhat was left of it,\nhaul away, haul away\n\n"
    "The mate has learned\nnot to mind a bit,\nhaul away, haul away\n"
)
TABLE = "| pier | boats | fee |\n|---|---|---|\n" + "".join(f"| {n} | {n * 7 % 13} | 4.50 |\n" for n in range(30))
CSV = "day,high,low\n" + "".join(f"2031-03-{n:02d},{3 + n % 4}.1,0.{n % 7}\n" for n in range(1, 29))
LOG = "".join(
    f"2031-03-02 08:{n % 60:02d}:{n * 7 % 60:02d} INFO gate {n % 5} open for boat {n * 37 % 101} after {n % 9} s\n"
    for n in range(60)
)
CODE = "".join(
    f"    def {name}(self) -> int:\n        if self.closed:\n            return 0\n        return self.{name}_\n\n"
    for name in ("tide", "wind", "swell", "depth", "salt", "heat", "light", "drift")
)
LIST = "".join(f"{n}. {word}\n" for n, word in enumerate(("rope", "anchor", "lamp", "sail", "oar", "bell"), 1))


def refused(text: str) -> bool:
    return check_repetition(measure_repetition(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        f"{LINE}\n" * 20,
        "\n".join(CYCLE * 10),
        "".join(f"Line {number}: the same\n" for number in range(40)),
        "".join(f"{number}. {LINE}\n" for number in range(1, 30)),
        "".join(f"{LINE} {number}\n" for number in range(1, 30)),
        f"{LINE} " * 20,
        "haul away " * 100,
        "港口办公室七点开门。" * 40,
        "ab" * 500,
        "I will not run.\n" * 6,
    ],
    ids=[
        "line",
        "cycle",
        "counter",
        "numbered",
        "counter behind",
        "in one line",
        "phrase",
        "han",
        "no spaces",
        "short",
    ],
)
def test_what_comes_round_and_round_is_refused(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize("text", [VERSES, TABLE, CSV, LOG, CODE, LIST, "ha ha ha!", "}\n" * 10 + LINE, ""])
def test_what_repeats_for_a_purpose_is_kept(text: str) -> None:
    assert not refused(text)


def test_lines_count_by_characters_and_only_in_runs() -> None:
    good = "".join(
        f"Boat {name} lies at the {place} quay tonight.\n"
        for name, place in zip("ABCDEFGH", "nsewnsew", strict=True)
    )
    measured = measure_repetition(good + f"{LINE}\n" * 8)
    assert measured.lines == pytest.approx(8 * 44 / (8 * 44 + 8 * 33), abs=0.01)
    apart = "".join(f"{line}\n{LINE}\n" for line in good.splitlines())
    assert measure_repetition(apart).lines == 0


def test_two_copies_are_no_cycle() -> None:
    text = " ".join(
        f"Boat number{n} carried salt to port{n * 3} in the year of the {n}th flood." for n in range(30)
    )
    assert measure_repetition(f"{text} {text}").ngrams == 0


def test_limits_apply_to_the_measured_numbers() -> None:
    measured = Repetition(lines=0.3, ngrams=0.5, compression=9.0)
    assert check_repetition(measured, 0.3, 0.5, 9.0) is None
    for limits, word in (((0.29, 1, 99), "lines"), ((1, 0.49, 99), "groups"), ((1, 1, 8.9), "packs")):
        drop = check_repetition(measured, *limits)
        assert drop is not None
        assert drop.reason == "repetition"
        assert word in drop.detail


@settings(max_examples=60)
@given(st.text(st.characters(codec=None), max_size=600))
def test_any_text_is_measured(text: str) -> None:
    measured = measure_repetition(text)
    assert 0 <= measured.lines <= 1
    assert 0 <= measured.ngrams <= 1
    assert measured.compression >= 1


@pytest.mark.parametrize(
    "text", ["a" * 500_000, "a\n" * 200_000, "1 " * 200_000, "\ud800" * 100_000, "\x00" * 500_000]
)
def test_a_long_repetition_is_seen(text: str) -> None:
    assert measure_repetition(text).compression > 10
    assert refused(text)


PARTS = [LINE, LINE + "\n", "haul away ", "是否" * 30, "\ud800 é ", "\n" * 9, "ab" * 40, VERSES, "x" * 31, ""]


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), max_size=12))
def test_many_texts_at_once_repeat_what_each_repeats_alone(texts: list[str]) -> None:
    assert measure_repetitions(texts) == [measure_repetition(text) for text in texts]


def test_long_texts_are_measured_with_short_ones() -> None:
    # Longer than what is looked at together, and than what is looked at at once.
    other = " ".join(f"w{number}" for number in range(12_000))
    cycle = f"{other[:60_000]} " + f"{LINE} " * 300
    first, long, last = measure_repetitions([other[:9000], other, cycle])
    assert (first.ngrams, long.ngrams) == (0, 0)
    # Copies lie in both parts; in each the first two are new.
    assert last.ngrams == pytest.approx(296 * len(LINE.split()) / len(cycle.split()), abs=0.002)
