"""Items of the stand-in: the held-out side of the generators, whose wordings no calibration set has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.corpora.document import Message
from curator.corpora.generators import generate
from curator.corpora.generators.mcq.generator import KINDS

CountText = Callable[[str], int]
"""Tokens of a text."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the set.

    Attributes:
        tokens: mean tokens of its prompts in the real set, whose longest prompts have `LONGEST`.
        options: options of its generator; its items take them in turn.
        one_gold: the gold is a text and not a list.
    """

    tokens: int
    options: Sequence[Mapping[str, Any]]
    one_gold: bool = False


LONGEST = 74_164
# A text to read has its own length; what is to be computed comes with worked examples, up to the length that
# prompts have in the real set.
_READING = {"kind": "reading"}
_COMPUTED = tuple({"kind": kind, "fill": "examples"} for kind in KINDS if kind != "reading")
TASKS: dict[str, Task] = {
    "mcq": Task(271, (*_COMPUTED, _READING), one_gold=True),
    "niah": Task(
        73_984,
        (
            {"needles": "numbers"},
            {"needles": "uuids"},
            {"needles": "uuids", "keys": "uuids", "haystack": "needles"},
            {"needles": "words"},
            {"needles": "numbers", "haystack": "needles"},
        ),
    ),
    "qa": Task(71_570, ({},)),
    "fwe": Task(68_155, ({"vocabulary": "coded"},)),
    "cwe": Task(74_164, ({},)),
}
# A short list cannot hold ten words six times as often as others.
SHORT_OPTIONS: dict[str, Mapping[str, Any]] = {"cwe": {"common": 5, "ratio": 4}, "fwe": {"alpha": 2.0}}
SHORT = 1500


@dataclass(frozen=True, slots=True)
class Item:
    """One item, with the answer that the set itself does not tell.

    Attributes:
        task: one of `TASKS`.
        question: the whole prompt.
        gold: what is right.
        answer: a right answer, worked out.
    """

    task: str
    question: str
    gold: str | list[str]
    answer: str

    def row(self) -> dict[str, Any]:
        """The item as the set's file has it."""
        return {"task": self.task, "question": self.question, "gold": self.gold}


def make_items(items: int, tokens: int, seed: int, count: CountText) -> Iterator[Item]:
    """The items of a set, block by block.

    Args:
        items: how many; the first tasks have one more where they cannot have equally many.
        tokens: length of the longest prompts.
        seed: of every draw.
        count: counts the tokens of a prompt.

    Raises:
        InputError: a prompt cannot be that short or long.
    """
    share, more = divmod(items, len(TASKS))
    for place, name in enumerate(TASKS):
        for index in range(share + (place < more)):
            yield _item(name, index, tokens, seed, count)


def _item(name: str, index: int, tokens: int, seed: int, count: CountText) -> Item:
    task = TASKS[name]
    options = dict(task.options[index % len(task.options)])
    if tokens < SHORT:
        options |= SHORT_OPTIONS.get(name, {})
    # Prompts of mcq are as long as in the real set, whatever the others are.
    wanted = task.tokens if name == "mcq" else round(tokens * task.tokens / LONGEST)
    if options == _READING:
        wanted = LONGEST

    def prompt_tokens(content: str | tuple[Message, ...]) -> int:
        # The set's lengths are those of the questions: what is answered is no part of it.
        return count(content if isinstance(content, str) else content[0].content)

    made = generate(
        name, seed=seed, index=index, tokens=wanted, options=options, count=prompt_tokens, heldout=True
    )
    assert made.messages is not None
    question, answer = made.messages[0].content, made.messages[-1].content
    return Item(name, question, made.gold[0] if task.one_gold else list(made.gold), answer)
