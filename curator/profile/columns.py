"""Which columns of an evaluation file are what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from curator._errors import InputError, did_you_mean
from curator.corpora.rows.values import column_list

# The usual names, in the order in which they are looked for.
_TASKS = ("task", "task_name", "task_type", "kind", "type", "category", "subject", "subset")
_PROMPTS = ("question", "prompt", "query", "problem", "instruction", "input", "user", "text")
_GOLDS = (
    "gold",
    "golds",
    "answer",
    "answers",
    "target",
    "targets",
    "reference",
    "references",
    "answerKey",
    "expected",
    "label",
    "outputs",
    "solution",
    "response",
    "completion",
    "output",
)
_MESSAGES = ("messages", "conversations", "conversation")
_MEANT = {"question": "prompt", "answer": "gold", "conversations": "messages"}


@dataclass(frozen=True, slots=True)
class EvalColumns:
    """Paths of columns, as recipes write them (``answers.text.0``); several joined by ``+`` make one prompt.

    Attributes:
        task: each item's task; empty when all are of one.
        prompt: what the model is asked; empty for conversations.
        messages: conversations, in place of a prompt.
        gold: what the right answer is; empty where none is told.
    """

    task: str = ""
    prompt: str = ""
    messages: str = ""
    gold: str = ""

    def named(self) -> dict[str, str]:
        """Those that there are."""
        return {name: path for name, path in asdict(self).items() if path}


def parse_map(text: str | None) -> EvalColumns:
    """Columns as ``--map`` gives them: ``task=kind,question=prompt,gold=answer``.

    Raises:
        InputError: a part is no pair, or names nothing that a column could be.
    """
    found: dict[str, str] = {}
    known = [*EvalColumns.__dataclass_fields__, *_MEANT]
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, equals, path = (side.strip() for side in part.partition("="))
        if not equals or not path:
            raise InputError(f"--map: {part.strip()!r} is no pair; write task=COLUMN,prompt=COLUMN,gold=COLUMN")
        if name not in known:
            hint = did_you_mean(name, known, f"give {', '.join(known)}")
            raise InputError(f"--map: {name!r} is nothing that is read; {hint}")
        name = _MEANT.get(name, name)
        if name in found:
            raise InputError(f"--map: {name} is given twice; join columns of a prompt with +, as in a+b")
        found[name] = path
    if "prompt" in found and "messages" in found:
        raise InputError("--map: an item is a prompt or messages, not both; leave one out")
    return EvalColumns(**found)


def find_columns(names: Sequence[str], asked: EvalColumns, where: str) -> EvalColumns:
    """The columns that were asked for, and by their usual names those that were not.

    Args:
        names: all columns of the first items.
        asked: what the user named.
        where: the file, for the message.

    Raises:
        InputError: nothing could be a prompt, or what the user named is no column.
    """
    _refuse_unknown(names, asked, where)
    by_small = {name.lower(): name for name in reversed(names)}

    def usual(candidates: Sequence[str]) -> str:
        return next((by_small[name.lower()] for name in candidates if name.lower() in by_small), "")

    prompt, messages = asked.prompt, asked.messages
    if not prompt and not messages:
        prompt = _with_beside(usual(_PROMPTS[:-1]), names)
        messages = "" if prompt else usual(_MESSAGES)
        prompt = prompt or ("" if messages else usual(_PROMPTS))
    if not prompt and not messages:
        raise InputError(
            f"{where}: no column of prompts; name it with --map prompt=COLUMN; columns found: "
            f"{column_list(list(names))}"
        )
    taken = {*prompt.split("+"), messages}
    gold = asked.gold or usual([name for name in _GOLDS if name not in taken])
    task = asked.task or usual([name for name in _TASKS if name not in taken | {gold}])
    return EvalColumns(task, prompt, messages, gold)


def _refuse_unknown(names: Sequence[str], asked: EvalColumns, where: str) -> None:
    for what, path in asked.named().items():
        for part in [path] if path in names else path.split("+"):
            # Steps into an object are looked up row by row: not all rows have the same.
            if part not in names and part.partition(".")[0] not in names:
                found = f"columns found: {column_list(list(names))}"
                hint = did_you_mean(part, names, "name one of them")
                raise InputError(f"{where}: --map {what}={path}: no column {part!r}; {hint}; {found}")


def _with_beside(prompt: str, names: Sequence[str]) -> str:
    """A prompt with what belongs to it: the passage before it, the choices below it."""
    if not prompt:
        return ""
    before = ["context"] if "context" in names and prompt != "context" else []
    below = [name for name in ("choices", "options") if name in names][:1]
    return "+".join([*before, prompt, *below])


def all_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of some rows, each once, in their order."""
    return list(dict.fromkeys(str(name) for row in rows for name in row))
