"""Thirteen words in a row are a leak; shared phrases are not."""

from __future__ import annotations

import time

from curator.gates.leakage import Leakage

WORDS = [f"word{number}" for number in range(40)]
PROMPT = " ".join(WORDS)


def test_thirteen_words_in_a_row_are_found_whatever_the_punctuation() -> None:
    gate = Leakage([PROMPT])
    drop = gate.check("before, " + ", ".join(WORDS[20:33]).upper() + "; after")
    assert drop is not None
    assert drop.reason == "leakage"
    assert "word20 word21" in drop.detail
    assert gate.check("before " + " ".join(WORDS[20:32]) + " after") is None


def test_the_same_words_in_another_order_are_no_leak() -> None:
    assert Leakage([PROMPT]).check(" ".join(reversed(WORDS))) is None


def test_a_shared_short_licence_phrase_is_no_leak() -> None:
    phrase = "Licensed under the Apache License, Version 2.0 (the License)."
    gate = Leakage([phrase + " The ferry timetable of the northern islands was printed twice a year in the mill."])
    assert gate.check(phrase + " A good map of the marsh shows the paths that stay dry, and two gates.") is None


def test_a_short_prompt_counts_as_a_whole() -> None:
    gate = Leakage(["Which pier does the second ferry leave from today?", "Hello there"])
    assert gate.check("A: which pier does the second ferry leave from today") is not None
    assert gate.check("A: which pier does the second ferry leave from on Sunday?") is None
    assert gate.check("Hello there") is None


def test_scripts_without_spaces_count_by_characters() -> None:
    gate = Leakage(["港口办公室七点开门，第一班渡轮二十分钟后离开。"])
    assert gate.check("他说，港口办公室七点开门，第一班渡轮很慢。") is not None
    assert gate.check("港口办公室很小。") is None


def test_nothing_held_out_refuses_nothing() -> None:
    assert Leakage([]).check(PROMPT) is None


def test_a_piece_of_two_thousand_characters_is_quick() -> None:
    gate = Leakage([" ".join(f"p{prompt}w{number}" for number in range(150)) for prompt in range(100)])
    text = "the clerk kept the ledger in pencil " * 56
    begin = time.perf_counter()
    for _ in range(50):
        gate.check(text)
    # 0.3 ms on a quiet machine.
    assert (time.perf_counter() - begin) / 50 < 0.01
