"""A model's answers to a sample, scored, and kept in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import read_json, write_json
from curator.measure.task_sample.sample import Sample
from curator.profile.task_scoring import score_prediction
from curator.serve.interface import Continuation, Sampling, Server
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
    advance: Callable[[int], None],
) -> Answers:
    """Have a model answer a sample greedily.

    Args:
        server: the model.
        sample: the items.
        tokenizer: turns ids into the text that is scored.
        max_new: the most tokens of an answer.
        batch_size: items asked together.
        advance: told of each item answered.

    Raises:
        InputError: an item does not fit into the model.
        ServerError: the server failed.
    """
    longest = server.longest()
    for item, ids in zip(sample.items, sample.encoded, strict=True):
        if longest is not None and len(ids) + max_new > longest:
            raise InputError(
                f"item {item.id}: {len(ids)} tokens and an answer of {max_new} do not fit into the model's "
                f"{longest}; leave it out, or lower --max-new"
            )
    answers = []
    continuations = server.generate(sample.encoded, Sampling(max_new), batch_size)
    for item, continuation in zip(sample.items, continuations, strict=True):
        answers.append(
            Answer(
                id=item.id,
                task=item.task,
                score=score_prediction(item.task, _text(continuation, tokenizer), item.gold),
                tokens=len(continuation.ids),
                finished=continuation.finished,
                loop=bool(find_loop(continuation.ids)),
            )
        )
        advance(1)
    return Answers(sample.sha256, max_new, batch_size, tuple(answers))


def _text(continuation: Continuation, tokenizer: Tokenizer) -> str:
    """What the model said; the token that ends it is no word of it."""
    ids = list(continuation.ids[:-1] if continuation.finished else continuation.ids)
    return tokenizer.decode(ids)


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
        raise InputError(f"{folder}: has no answers of BF16 to compare with; {again}")
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
