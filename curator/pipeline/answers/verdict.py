"""What an answer says, and whether it is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from curator.corpora.document import Message
from curator.profile.task_scoring import TASKS, chosen_letter, score_prediction
from curator.serve.interface import Continuation
from curator.tokens.loops import find_loop

_OPENED, _CLOSED = "<think>", "</think>"
_CHOICE = "mcq"
# All golds must be there.
_ALL = "cwe"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer, or a prompt, is left out: ``reason`` for counting, ``detail`` in words."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Scoring:
    """Which answers are kept.

    Attributes:
        keep: ``gold`` for those that are right, ``all`` for all that end by themselves.
        task: the task whose rules say what is right; another than those known asks for every gold.
    """

    keep: Literal["all", "gold"] = "all"
    task: str = _ALL


def read_answer(text: str, *, opened: bool) -> Message:
    """The turn that a model's text is.

    Args:
        text: all that it wrote, without the end token.
        opened: the prompt itself ended with the opening of its thoughts.
    """
    thought, closed, answer = text.rpartition(_CLOSED)
    if closed:
        return Message("assistant", answer.strip(), thought.strip().removeprefix(_OPENED).strip())
    if opened or text.lstrip().startswith(_OPENED):
        # Thoughts without an end are no answer.
        return Message("assistant", "", text.strip().removeprefix(_OPENED).strip())
    return Message("assistant", text.strip())


def refuse_answer(
    written: Continuation, text: str, turn: Message, scoring: Scoring, gold: Sequence[str]
) -> Refusal | None:
    """Why an answer is left out; ``None`` when it is not.

    Args:
        written: its tokens.
        text: their text.
        turn: the same as a turn.
        scoring: which answers are kept.
        gold: what is right.
    """
    loop = find_loop(written.ids)
    if loop:
        return Refusal("loop", loop)
    if not written.finished:
        return Refusal("truncated", f"no end after {len(written.ids)} tokens")
    if not turn.content:
        return Refusal("empty_answer", "no text after its reasoning" if turn.reasoning else "no text")
    if scoring.keep == "all":
        return None
    golds = [one for one in gold if one.strip()]
    if not golds:
        return Refusal("no_gold", "nothing is known that it should say")
    task = scoring.task if scoring.task in TASKS else _ALL
    score = score_prediction(task, text, golds)
    shown = ", ".join(golds)[:80]
    return None if score == 1 else Refusal("wrong_answer", f"scored {score:.2f} as {task} against {shown!r}")


def gold_of(answer: str, task: str) -> tuple[str, ...]:
    """What is right by a prompt's own answer: of a choice its letter, else the answer itself."""
    letter = chosen_letter(answer) if task == _CHOICE else ""
    return (letter or answer.strip(),)
