"""Scores of answers to the evaluation's tasks, as the contest gives them.

The rules follow the contest's public scoring script: what comes after the last ``</think>`` is scored; a choice by
the last ``ANSWER: X`` or a boxed letter; a search by any of the golds; a list by the share of its golds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from curator._errors import InputError

_END_OF_THOUGHT = "</think>"
# A small letter counts where nothing follows it: "answer: a" is a choice, "answer: a dog" is not.
_LETTER = r"(?:([A-D])(?![A-Za-z0-9_'’])|([a-d])(?=[ \t]{0,9}(?:[.,;)\]}*$`]|\n|$)))"
_ANSWER = re.compile(r"[Aa][Nn][Ss][Ww][Ee][Rr][*_`]{0,3}[ \t]{0,9}:[*_`]{0,3}\s{0,9}[(\[*_`$]{0,4}" + _LETTER)
_BOXED = re.compile(r"\\boxed\s{0,9}\{[\s({$]{0,9}(?:\\[a-z]{1,9}\s{0,9}\{\s{0,9})?" + _LETTER)


def score_prediction(task: str, prediction: str, gold: str | Sequence[str]) -> float:
    """Score one answer.

    Args:
        task: one of `TASKS`.
        prediction: all that the model wrote, its thoughts included.
        gold: what is right: one text, or several.

    Returns:
        0 to 1: 0 or 1 for a choice or a search, the share of golds that are found for a list.

    Raises:
        InputError: the task is not known, or there is no gold, or an empty one, which any answer would hold.
    """
    if task not in _SCORERS:
        raise InputError(f"task {task!r}: no scorer; known are {', '.join(TASKS)}")
    golds = [gold] if isinstance(gold, str) else list(gold)
    if not golds or not all(one.strip() for one in golds):
        raise InputError(f"task {task!r}: gold {gold!r} is empty; give one text or a list of texts")
    return _SCORERS[task](final_answer(prediction), golds)


def final_answer(prediction: str) -> str:
    """What is scored: all after the last ``</think>``, or everything when there is none."""
    return prediction.rpartition(_END_OF_THOUGHT)[2]


def chosen_letter(answer: str) -> str:
    """The letter that an answer chooses, A to D: by the last ``ANSWER: X``, else the last box; or nothing."""
    # Full-width letters and colons, as Chinese input methods write them, become plain ones.
    text = unicodedata.normalize("NFKC", answer)
    found = _ANSWER.findall(text) or _BOXED.findall(text)
    return "".join(found[-1]).upper() if found else ""


@dataclass(frozen=True, slots=True)
class Flips:
    """How many items changed sides between two runs.

    Attributes:
        right_to_wrong: right in the baseline, wrong in the candidate.
        wrong_to_right: the other way round.
        items: items that were compared.
    """

    right_to_wrong: int
    wrong_to_right: int
    items: int


def flips(baseline: Sequence[float], candidate: Sequence[float], *, right: float = 1.0) -> Flips:
    """Count the items that are right in one run and wrong in the other.

    Args:
        baseline: scores of a run, item by item.
        candidate: scores of another run on the same items, in the same order.
        right: least score that counts as right. A list with one word missing is wrong by default.

    Raises:
        InputError: the runs differ in length.
    """
    if len(baseline) != len(candidate):
        raise InputError(f"flips: {len(baseline)} scores beside {len(candidate)}; compare runs on the same items")
    sides = [(before >= right, after >= right) for before, after in zip(baseline, candidate, strict=True)]
    return Flips(sides.count((True, False)), sides.count((False, True)), len(sides))


def _choice(answer: str, golds: Sequence[str]) -> float:
    return float(chosen_letter(answer) in {gold.strip().upper() for gold in golds})


def _any_found(answer: str, golds: Sequence[str]) -> float:
    return float(_found(answer, golds) > 0)


def _share_found(answer: str, golds: Sequence[str]) -> float:
    return _found(answer, golds) / len(golds)


def _found(answer: str, golds: Sequence[str]) -> int:
    folded = answer.casefold()
    return sum(gold.strip().casefold() in folded for gold in golds)


_SCORERS: dict[str, Callable[[str, Sequence[str]], float]] = {
    "mcq": _choice,
    "niah": _any_found,
    "qa": _any_found,
    "lcx": _any_found,
    "fwe": _share_found,
    "cwe": _share_found,
    # No tasks of the contest, but of the generators, scored alike.
    "kv": _any_found,
    "passkey": _any_found,
    "vt": _share_found,
}
TASKS = tuple(_SCORERS)
