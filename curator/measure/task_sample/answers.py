"""A model's answers to a sample, scored, and kept in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from curator._errors import InputError
from curator._files import read_json, write_json
from curator._progress import Advance
from curator.measure.fits import is_continuation
from curator.measure.heldout import Prompt
from curator.measure.lists_file import Arrays
from curator.measure.partial import Partial
from curator.measure.task_sample.sample import Sample
from curator.profile.task_scoring import score_prediction
from curator.serve.interface import Sampling, Server
from curator.tokens.loops import find_loop
from curator.tokens.tokenizer import Tokenizer

TASKS_FILE = "tasks.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """One item's answer.

    Attributes:
        id: the item's.
        task: its task.
        score: 0 to 1.
        tokens: how many the model wrote, its end token included.
        finished: it ended by itself; otherwise it was cut at the most tokens.
        loop: it goes round in circles.
    """

    id: str
    task: str
    score: float
    tokens: int
    finished: bool
    loop: bool


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one model.

    Attributes:
        sample_sha256: of the items.
        max_new: the most tokens of an answer.
        batch_size: items asked together.
        answers: in the order of the items.
    """

    sample_sha256: str
    max_new: int
    batch_size: int
    answers: tuple[Answer, ...]


def ask(
    server: Server,
    sample: Sample,
    tokenizer: Tokenizer,
    max_new: int,
    batch_size: int,
    partial: Partial,
    advance: Advance,
) -> Answers:
    """Have a model answer a sample greedily, or go on with it.

    Args:
        server: the model.
        sample: the items.
        tokenizer: turns ids into the text that is scored.
        max_new: the most tokens of an answer.
        batch_size: items asked together.
        partial: where answers are kept on the way.
        advance: told of each item answered.

    Raises:
        InputError: an item does not fit into the model.
        RefusedError: the model's weights changed on the way.
        ServerError: the server failed.
    """
    _check_lengths(server, sample, max_new)
    order = in_order(sample)

    def answered(begin: int) -> Iterator[Arrays]:
        asked = [sample.encoded[place] for place in order[begin:]]
        for continuation in server.generate(asked, Sampling(max_new), batch_size):
            yield {"new": np.array(continuation.ids, np.int32), "finished": np.array(continuation.finished)}

    def fits(place: int, arrays: Arrays) -> bool:
        return is_continuation(arrays, max_new, tokenizer.size)

    partial.run("tasks", len(order), batch_size, answered, server, advance, fits)
    found = dict(zip(order, partial.results("tasks", len(order)), strict=True))
    answers = tuple(_judged(item, found[place], tokenizer) for place, item in enumerate(sample.items))
    return Answers(sample.sha256, max_new, batch_size, answers)


def in_order(sample: Sample) -> list[int]:
    """Places of the items, as they are asked: near-equal lengths share a batch, for less padding."""
    return sorted(range(len(sample.items)), key=lambda place: (len(sample.encoded[place]), sample.items[place].id))


def _check_lengths(server: Server, sample: Sample, max_new: int) -> None:
    longest = server.longest()
    for item, ids in zip(sample.items, sample.encoded, strict=True):
        if longest is not None and len(ids) + max_new > longest:
            raise InputError(
                f"item {item.id}: {len(ids)} tokens and an answer of {max_new} do not fit into the model's "
                f"{longest}; leave it out, or lower --answer-tokens"
            )


def _judged(item: Prompt, arrays: Arrays, tokenizer: Tokenizer) -> Answer:
    ids, finished = arrays["new"].tolist(), bool(arrays["finished"])
    # The token that ends an answer is no word of it.
    text = tokenizer.decode(ids[:-1] if finished else ids)
    return Answer(
        id=item.id,
        task=item.task,
        score=score_prediction(item.task, text, item.gold),
        tokens=len(ids),
        finished=finished,
        loop=bool(find_loop(ids)),
    )


def save_answers(folder: Path, answers: Answers) -> None:
    """Write the answers into a baseline's folder."""
    write_json(folder / TASKS_FILE, {"format": _FORMAT, **asdict(answers)})


def load_answers(folder: Path, sample: Sample, path: Path) -> Answers:
    """BF16's answers to a sample.

    Args:
        folder: the baseline's.
        sample: the items that are asked now.
        path: their file, for the message.

    Raises:
        InputError: there are none, or they are to other items.
    """
    again = f"take them with `curate baseline --tasks {path}`, in the command that the baseline was taken with"
    file = folder / TASKS_FILE
    if not file.is_file():
        raise InputError(f"{folder}: has no answers of the reference to compare with; {again}")
    stored: Any = read_json(file)
    try:
        if stored["format"] != _FORMAT:
            raise ValueError
        answers = tuple(
            Answer(**{field.name: row[field.name] for field in fields(Answer)}) for row in stored["answers"]
        )
        found = Answers(str(stored["sample_sha256"]), int(stored["max_new"]), int(stored["batch_size"]), answers)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file}: damaged, or of another version; {again}") from error
    if found.sample_sha256 != sample.sha256 or len(answers) != len(sample.items):
        raise InputError(f"{file}: answers to other items than those of {path}; {again}")
    return found
