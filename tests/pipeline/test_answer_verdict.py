from __future__ import annotations

import pytest

from curator.corpora.document import Message
from curator.pipeline.answers.verdict import Refusal, Scoring, gold_of, read_answer, refuse_answer
from curator.serve.interface import Continuation

ENDED = Continuation((4, 5, 6), True)


@pytest.mark.parametrize(
    ("text", "opened", "reasoning", "content"),
    [
        ("Paris.", False, "", "Paris."),
        ("<think>\nIt is in France.\n</think>\n\nParis.", False, "It is in France.", "Paris."),
        # The template's own opening has the tag already.
        ("It is in France.\n</think>\nParis.", True, "It is in France.", "Paris."),
        ("It is in", True, "It is in", ""),
        ("<think>It is in", False, "It is in", ""),
        ("a</think>b</think> c", False, "a</think>b", "c"),
        ("", False, "", ""),
    ],
)
def test_thoughts_are_told_from_the_answer(text: str, opened: bool, reasoning: str, content: str) -> None:
    assert read_answer(text, opened=opened) == Message("assistant", content, reasoning)


def refused(text: str, written: Continuation = ENDED, scoring: Scoring | None = None, *gold: str) -> str:
    found = refuse_answer(written, text, read_answer(text, opened=False), scoring or Scoring(), gold)
    return found.reason if found else ""


def test_reasons_come_in_the_order_in_which_they_say_most() -> None:
    assert refused("fine") == ""
    assert refused("fine", Continuation((4, 5, 6), False)) == "truncated"
    # A loop runs into the limit; that is not why it is of no use.
    assert refused("x x x", Continuation((7,) * 30, False)) == "loop"
    assert refused("") == "empty_answer"
    assert refused("<think>so</think>") == "empty_answer"


@pytest.mark.parametrize(
    ("task", "text", "gold", "reason"),
    [
        ("mcq", "It must be so.\nANSWER: B", ("B",), ""),
        ("mcq", "It must be so.\nANSWER: C", ("B",), "wrong_answer"),
        ("mcq", "B", ("B",), "wrong_answer"),
        ("niah", "It is 71.", ("71", "72"), ""),
        # Of a list and of an unknown task all must be there.
        ("cwe", "apple, pear", ("apple", "pear"), ""),
        ("cwe", "apple", ("apple", "pear"), "wrong_answer"),
        ("of-my-own", "apple", ("apple", "pear"), "wrong_answer"),
        ("qa", "The answer is 9.", (), "no_gold"),
        ("qa", "The answer is 9.", (" ",), "no_gold"),
        # What was only thought is not answered.
        ("qa", "<think>9</think>No idea.", ("9",), "wrong_answer"),
    ],
)
def test_only_right_answers_are_kept_when_asked_for(
    task: str, text: str, gold: tuple[str, ...], reason: str
) -> None:
    assert refused(text, ENDED, Scoring("gold", task), *gold) == reason
    assert refused(text, ENDED, Scoring("all", task), *gold) == ""


def test_a_wrong_answer_says_what_was_expected() -> None:
    found = refuse_answer(ENDED, "no", Message("assistant", "no"), Scoring("gold", "qa"), ["Pa\u00dfau"])
    assert found == Refusal("wrong_answer", "scored 0.00 as qa against 'Pa\u00dfau'")


def test_the_gold_of_a_prompt_with_an_answer() -> None:
    assert gold_of("Since it is even.\nANSWER: D", "mcq") == ("D",)
    assert gold_of(" Paris ", "qa") == ("Paris",)
    assert gold_of("just words", "mcq") == ("just words",)
