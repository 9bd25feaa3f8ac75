"""Held-out prompts: made and frozen before any set, from units of text that no set may use."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import json_sha256, write_jsonl
from curator._seed import stable_hash
from curator.corpora.document import Document, Message
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import READERS
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.rows.conversation import conversation
from curator.corpora.rows.json_lines import read_rows
from curator.corpora.shelf import find_card
from curator.gates.length import visible_chars
from curator.gates.random_text import find_random_text
from curator.select.pieces import cut_pieces
from curator.tokens.tokenizer import Tokenizer

# Kind of prompt -> corpora it is taken from, in turn.
DEFAULT_SOURCES = {"prose": ["package-docs"], "code": ["python-stdlib"], "qa": ["python-qa"]}
DEFAULT_PER_TASK = 16
# No package or module gives more prompts than this: its style would weigh too much.
_PER_UNIT = 2
# About 80 tokens of English: context to go on from, at little cost for each of the many scorings.
_PROMPT_CHARS = 320
_MIN_CHARS = 160
_MAX_RANDOM = 0.1


@dataclass(frozen=True, slots=True)
class Prompt:
    """One held-out prompt.

    Attributes:
        id: the document's id and stretch.
        task: kind of prompt, the clusters of the primary number.
        corpus: source family.
        unit: package or module.
        language: BCP 47.
        licence: SPDX expression.
        text: a plain-text prompt; empty for a conversation.
        messages: a conversation that the model is to answer; empty for plain text.
    """

    id: str
    task: str
    corpus: str
    unit: str
    language: str
    licence: str
    text: str
    messages: tuple[Message, ...] = ()

    def encode(self, tokenizer: Tokenizer) -> list[int]:
        """Token ids: the text after the tokenizer's own start, or the templated turns with the answer opened."""
        if self.messages:
            return tokenizer.encode_chat(self.messages, answer_next=True)
        return [*tokenizer.sequence_start(), *tokenizer.encode(self.text)]

    def words(self) -> str:
        """The text that leakage is looked for in."""
        return self.text or "\n".join(message.content for message in self.messages)


def make_heldout(per_task: int = DEFAULT_PER_TASK) -> list[Prompt]:
    """Choose prompts from the held-out quarter of the default corpora.

    The choice depends on the installed text only, on no seed or recipe.

    Raises:
        InputError: a corpus has too few held-out texts; names it and the number found.
    """
    return [prompt for task, corpora in DEFAULT_SOURCES.items() for prompt in _choose(task, corpora, per_task)]


def _choose(task: str, corpora: list[str], count: int) -> list[Prompt]:
    documents = [document for corpus in corpora for document in _heldout_documents(corpus)]
    documents.sort(key=lambda document: stable_hash("heldout", document.id))
    chosen: list[Prompt] = []
    per_unit: Counter[str] = Counter()
    for document in documents:
        prompt = _prompt(task, document) if per_unit[document.unit] < _PER_UNIT else None
        if prompt is not None:
            per_unit[document.unit] += 1
            chosen.append(prompt)
        if len(chosen) == count:
            return chosen
    raise InputError(
        f"held-out {task}: {len(chosen)} prompts in {', '.join(corpora)}, {count} wanted; lower --per-task"
    )


def _heldout_documents(corpus: str) -> Iterator[Document]:
    card = find_card(corpus)
    return (document for document in READERS[card.reader](card) if is_heldout(document.unit))


def _prompt(task: str, document: Document) -> Prompt | None:
    """A stretch of the document, or its question; ``None`` when it is too short or random."""
    common = (task, document.corpus, document.unit, document.language, document.licence)
    if document.messages is not None:
        return Prompt(document.id, *common, "", document.messages[:-1])
    pieces = [piece for piece in cut_pieces(document, _PROMPT_CHARS) if len(piece.text.strip()) >= _MIN_CHARS]
    if not pieces:
        return None
    piece = pieces[stable_hash("heldout-piece", document.id) % len(pieces)]
    # A prompt ends within a word's reach of more text, not behind a blank line.
    text = piece.text.strip()
    if visible_chars(text) < _MIN_CHARS or find_random_text(text).share > _MAX_RANDOM:
        return None
    return Prompt(piece.id, *common, text)


def prompts_sha256(prompts: Sequence[Prompt]) -> str:
    """Hash of the prompts, whatever their order."""
    return json_sha256(sorted((_as_row(prompt) for prompt in prompts), key=lambda row: str(row["id"])))


def save_prompts(path: Path, prompts: Sequence[Prompt]) -> None:
    """Freeze prompts in a JSON Lines file."""
    write_jsonl(path, (_as_row(prompt) for prompt in prompts))


def _as_row(prompt: Prompt) -> dict[str, Any]:
    row: dict[str, Any] = {field.name: getattr(prompt, field.name) for field in fields(Prompt)}
    return {**row, "messages": [message.as_row() for message in prompt.messages]}


def load_prompts(path: Path) -> list[Prompt]:
    """Read frozen prompts, or any JSON Lines file whose rows have ``text``, ``messages`` or ``conversations``.

    An evaluation file's rows, with ``question`` or ``prompt``, are conversations of one turn.

    A row of the user's own may leave out everything else: its ``task`` is then ``prompt``.

    Raises:
        InputError: a row cannot be used, or two share an id; names file and line.
    """
    prompts: dict[str, Prompt] = {}
    for number, row in read_rows(path):
        try:
            prompt = _from_row(row, f"{path.name}#{number}")
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from error
        if not prompt.words().strip():
            raise InputError(f"{path}:{number}: an empty prompt; give it text or messages")
        if prompt.id in prompts:
            raise InputError(f"{path}:{number}: the id {prompt.id!r} is used twice")
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
    ours = {field.name for field in fields(Prompt)}
    try:
        frozen = all(row.keys() == ours for _, row in read_rows(path))
    except InputError:
        frozen = False
    if not frozen:
        raise InputError(f"{path}: exists and holds no frozen prompts; choose another file")


def _from_row(row: dict[str, Any], name: str) -> Prompt:
    """The prompt of a row; ``ValueError`` says what is wrong with it."""
    values = {field: _text(field, row.get(field, default)) for field, default in {**_DEFAULTS, "id": name}.items()}
    # An evaluation file's own rows: the question is what the model is asked.
    asked = [[{"role": "user", "content": row[key]}] for key in ("question", "prompt") if key in row]
    default = asked[0] if asked and not values["text"] else []
    turns: Any = next((row[key] for key in ("messages", "conversations") if key in row), default)
    return Prompt(**values, messages=conversation(turns))


def _text(field: str, value: Any) -> str:
    if field == "id" and type(value) is int and value.bit_length() < _ID_BITS:
        value = str(value)
    if field == "text" and value is None:
        # As in a source: a row without text, which is then an empty prompt.
        value = ""
    if not isinstance(value, str):
        raise ValueError(f"{field} must be text, not {'null' if value is None else type(value).__name__}")
    return without_surrogates(value)


_ID_BITS = 128
_DEFAULTS = {
    "task": "prompt",
    "corpus": "file",
    "unit": "file",
    "language": "und",
    "licence": "unknown",
    "text": "",
}
