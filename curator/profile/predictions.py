"""A run's predictions for the items of an evaluation file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.rows.records import Fault, Row
from curator.gates.leakage.evaluation_file import evaluation_rows
from curator.profile.gold import gold_texts
from curator.profile.read_items import RawItem, task_name
from curator.tokens.tokenizer import Tokenizer

_END = "</think>"
_WORD = re.compile(r"\w+")
# More is no count of tokens and no score, and sums of it would be infinite.
_MOST = 10**12
# Characters of a gold that a message shows.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Prediction:
    """One answer.

    Attributes:
        text: what the model said; ``None`` where the file does not hold it.
        score: its score; ``None`` where the file does not hold it.
        input_tokens: of the prompt as it was served, by the file.
        output_tokens: of the answer, by the file.
    """

    text: str | None
    score: float | None
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A prediction with our counts.

    Attributes:
        prediction: what the file says.
        ours: tokens of its text; ``None`` without one.
        reasoning: of these, those up to the last ``</think>``, which is not scored.
    """

    prediction: Prediction
    ours: int | None
    reasoning: int

    @property
    def output_tokens(self) -> int | None:
        """What the server made, else what its text has."""
        told = self.prediction.output_tokens
        return self.ours if told is None else told


def read_predictions(path: Path, items: Sequence[RawItem]) -> list[Prediction | None]:
    """Each item's prediction, or ``None``.

    Rows have ``index`` (an item's place in the file, from 0, or from 1 where none is 0 and the last item's is
    there) and what there is of ``task``, ``gold``, ``prediction``, ``score``, ``input_tokens`` and
    ``output_tokens``.

    Raises:
        InputError: a row is damaged, twice there, of another task or gold than its item, or of no item; names
            the line.
    """
    rows: list[Row] = []
    for row in evaluation_rows(path):
        if isinstance(row, Fault):
            raise InputError(f"{path}{row.mark}{row.number}: {row.detail}")
        rows.append(row)
    indices = [_index(row, path) for row in rows]
    first = 1 if indices and 0 not in indices and len(items) in indices else 0
    found: list[Prediction | None] = [None] * len(items)
    for row, index in zip(rows, indices, strict=True):
        where, place = f"{path}{row.mark}{row.number}", index - first
        if not 0 <= place < len(items):
            raise InputError(f"{where}: index {index} is of no item, there are {len(items)}; is it another run's?")
        if found[place] is not None:
            raise InputError(f"{where}: index {index} is there twice; give one prediction an item")
        task = task_name(row.values.get("task"))
        if task and task != items[place].task:
            raise InputError(
                f"{where}: task {task[:40]!r}, but item {index} is of task {items[place].task[:40]!r}; "
                "is it a run of another file?"
            )
        _refuse_other_gold(row.values.get("gold"), items[place], index, where)
        found[place] = _prediction(row, where)
    if all(one is None for one in found):
        raise InputError(f"{path}: no predictions; give one a line, with index and prediction")
    return found


def count_answers(found: Sequence[Prediction | None], tokenizer: Tokenizer) -> list[Answer | None]:
    """The predictions with the tokens of their texts."""
    texts = [one.text or "" if one else "" for one in found]
    whole = tokenizer.count(texts)
    ends = [text.rfind(_END) for text in texts]
    before = tokenizer.count(
        [text[: end + len(_END)] if end >= 0 else "" for text, end in zip(texts, ends, strict=True)]
    )
    return [
        None if one is None else Answer(one, None if one.text is None else tokens, min(reasoning, tokens))
        for one, tokens, reasoning in zip(found, whole, before, strict=True)
    ]


def _refuse_other_gold(gold: Any, item: RawItem, index: int, where: str) -> None:
    """Refuse a prediction that was scored against another gold: its score says nothing of this item."""
    told = tuple(gold_texts(gold))
    if told and item.golds and _said(told) != _said(item.golds):
        shown, own = (" ".join(" | ".join(texts).split())[:_SHOWN] for texts in (told, item.golds))
        raise InputError(
            f"{where}: gold {shown!r}, but that of item {index} (row {item.row}) is {own!r}; is it a run of "
            "another file? If both mean the same, leave gold out of the predictions"
        )


def _said(golds: Sequence[str]) -> tuple[str, ...]:
    """What golds say, however a run's file writes them: a list may be there as text, case may differ."""
    return tuple(_WORD.findall(" ".join(golds).casefold())) or tuple(gold.strip() for gold in golds)


def _index(row: Row, path: Path) -> int:
    index = row.values.get("index")
    if isinstance(index, bool) or not isinstance(index, int):
        raise InputError(
            f"{path}{row.mark}{row.number}: needs an index, the place of its item in the evaluation file"
        )
    return index


def _prediction(row: Row, where: str) -> Prediction:
    values = row.values
    text = values.get("prediction")
    if not isinstance(text, str | None):
        raise InputError(f"{where}: prediction must be text or null")
    return Prediction(
        text=None if text is None else without_surrogates(text),
        score=_score(values.get("score"), where),
        input_tokens=_count(values.get("input_tokens"), "input_tokens", where),
        output_tokens=_count(values.get("output_tokens"), "output_tokens", where),
    )


def _score(value: Any, where: str) -> float | None:
    if value is None:
        return None
    # An integer of any length is finite, but need not be a float.
    if not isinstance(value, int | float) or not -_MOST <= value <= _MOST:
        raise InputError(f"{where}: score must be a finite number (of at most 1e12) or null")
    return float(value)


def _count(value: Any, name: str, where: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise InputError(f"{where}: {name} must be a whole number of 0 or more (at most 1e12), or null")
    return value
