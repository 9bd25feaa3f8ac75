"""Frozen prompts in a file, and a user's own prompts."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import json_sha256, write_jsonl
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.rows.conversation import conversation
from curator.corpora.rows.json_lines import read_rows
from curator.measure.heldout.prompt import Prompt
from curator.profile.gold import gold_texts

_ID_BITS = 128
_DEFAULTS = {
    "task": "prompt",
    "corpus": "file",
    "unit": "file",
    "language": "und",
    "licence": "unknown",
    "text": "",
    "cell": "",
}
# Written where there is something to write: prompts that were not matched have the rows that they always had.
_MATCHED = ("cell", "gold", "output_tokens")


def prompts_sha256(prompts: Sequence[Prompt]) -> str:
    """Hash of the prompts, whatever their order."""
    return json_sha256(sorted((_as_row(prompt) for prompt in prompts), key=lambda row: str(row["id"])))


def save_prompts(path: Path, prompts: Sequence[Prompt]) -> None:
    """Freeze prompts in a JSON Lines file."""
    write_jsonl(path, (_as_row(prompt) for prompt in prompts))


def load_prompts(path: Path) -> list[Prompt]:
    """Read frozen prompts, or any JSON Lines file whose rows have ``text``, ``messages`` or ``conversations``.

    An evaluation file's rows, with ``question`` or ``prompt``, are conversations of one turn.

    A row of the user's own may leave out everything else: its ``task`` is then ``prompt``.

    Raises:
        InputError: a row cannot be used, or two are alike in id or words; names file and line.
    """
    prompts: dict[str, Prompt] = {}
    lines: dict[str, int] = {}
    for number, row in read_rows(path):
        try:
            prompt = _from_row(row, f"{path.name}#{number}")
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from error
        if not prompt.words().strip():
            found = f" (it has {', '.join(map(str, row))})" if row else ""
            raise InputError(f"{path}:{number}: an empty prompt; give it text, messages or question{found}")
        if prompt.id in prompts:
            raise InputError(f"{path}:{number}: the id {prompt.id!r} is used twice")
        # The model would be asked the same twice, and the error bars count two.
        if (first := lines.setdefault(prompt.words(), number)) != number:
            raise InputError(f"{path}:{number}: the same prompt as in line {first}; remove one of them")
        prompts[prompt.id] = prompt
    if not prompts:
        raise InputError(f"{path}: no prompts")
    return list(prompts.values())


def refuse_other_file(path: Path) -> None:
    """Refuse to replace what is not frozen prompts; a file may be missing, empty, or one of ours.

    Raises:
        InputError: something else is there, such as rows that have ``text`` but are no frozen prompts.
    """
    try:
        if stat.S_ISREG((found := os.lstat(path)).st_mode) and not found.st_size:
            return
    except FileNotFoundError:
        return
    every = {field.name for field in fields(Prompt)}
    least = every - set(_MATCHED)
    try:
        frozen = all(least <= row.keys() <= every for _, row in read_rows(path))
    except InputError:
        frozen = False
    if not frozen:
        raise InputError(f"{path}: exists and holds no frozen prompts; choose another file")


def _as_row(prompt: Prompt) -> dict[str, Any]:
    row: dict[str, Any] = {field.name: getattr(prompt, field.name) for field in fields(Prompt)}
    row |= {"messages": [message.as_row() for message in prompt.messages], "gold": list(prompt.gold)}
    return {name: value for name, value in row.items() if value or name not in _MATCHED}


def _from_row(row: dict[str, Any], name: str) -> Prompt:
    """The prompt of a row; ``ValueError`` says what is wrong with it."""
    values = {field: _text(field, row.get(field, default)) for field, default in {**_DEFAULTS, "id": name}.items()}
    # An evaluation file's own rows: the question is what the model is asked.
    asked = [[{"role": "user", "content": row[key]}] for key in ("question", "prompt") if key in row]
    default = asked[0] if asked and not values["text"] else []
    turns: Any = next((row[key] for key in ("messages", "conversations") if key in row), default)
    output = row.get("output_tokens")
    if output is not None and (type(output) is not int or output < 1):
        raise ValueError("output_tokens must be a whole number, 1 or more")
    return Prompt(
        **values, messages=conversation(turns), gold=tuple(gold_texts(row.get("gold"))), output_tokens=output
    )


def _text(field: str, value: Any) -> str:
    if field == "id" and type(value) is int and value.bit_length() < _ID_BITS:
        value = str(value)
    if field == "text" and value is None:
        # As in a source: a row without text, which is then an empty prompt.
        value = ""
    if not isinstance(value, str):
        raise ValueError(f"{field} must be text, not {'null' if value is None else type(value).__name__}")
    return without_surrogates(value)
