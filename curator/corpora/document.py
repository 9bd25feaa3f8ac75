"""The record that flows from a source to a calibration set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Attributes:
        role: ``system``, ``user``, ``assistant`` or ``tool``.
        content: the turn's text, without its reasoning.
        reasoning: what an assistant's turn thought before it answered; empty when there is none.
        tool_calls: the calls of an assistant's turn, as JSON values (``{"name", "arguments"}``, and
            ``id`` where the source has one).
        name: the tool whose result a ``tool`` turn is; empty when not told.
        tool_call_id: the ``id`` of the call whose result a ``tool`` turn is; empty when not told.
    """

    role: str
    content: str
    reasoning: str = ""
    tool_calls: tuple[dict[str, Any], ...] = ()
    name: str = ""
    tool_call_id: str = ""

    def as_row(self) -> dict[str, Any]:
        """The turn as a JSON object; parts that are empty are left out, ``role`` and ``content`` never."""
        row: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.reasoning:
            row["reasoning_content"] = self.reasoning
        if self.tool_calls:
            row["tool_calls"] = [dict(call) for call in self.tool_calls]
        if self.name:
            row["name"] = self.name
        if self.tool_call_id:
            row["tool_call_id"] = self.tool_call_id
        return row


@dataclass(frozen=True, slots=True)
class Document:
    """A text, or a conversation, with where it came from.

    Attributes:
        id: unique within a recipe's sources and the same on every machine that has the same source.
        corpus: id of the corpus card, or ``generate:<name>``, the name of a data set, or of a local file.
        unit: the smallest part of a source that a held-out split may not cut through: a package, a
            top-level module, a book. All documents of a unit are on the same side.
        task: task type, such as ``prose``, ``code``, ``qa``, ``niah``.
        language: BCP 47 tag, ``und`` when unknown; programming languages are ``zxx``.
        licence: SPDX expression, ``unknown`` when the source does not say.
        text: the whole text; for a conversation the turns joined by blank lines (what gates read).
        messages: the turns of a conversation, else ``None``.
        tools: the tools that a conversation offers, as JSON values (OpenAI's function schemas).
        low_continuity: made without continuous meaning on purpose (needles, UUIDs, random words);
            gates that look for accidents leave such documents alone.
        revision: what fixes the source's content: a commit, a package's version, SHA-256 of a file; empty
            for what is made on the spot.
        file: the file within the source; empty when there is none.
        row: line or row in that file, from 1; ``None`` when the document has none.
        row_id: the row's own id; empty when it has none.
        gold: what a scorer looks for in an answer, for a generated question; empty when not told.
    """

    id: str
    corpus: str
    unit: str
    task: str
    language: str
    licence: str
    text: str
    messages: tuple[Message, ...] | None = None
    tools: tuple[dict[str, Any], ...] = ()
    low_continuity: bool = False
    revision: str = ""
    file: str = ""
    row: int | None = None
    row_id: str = ""
    gold: tuple[str, ...] = ()


def conversation_text(messages: tuple[Message, ...]) -> str:
    """The text that gates and scores read for a conversation: reasoning and content of every turn."""
    parts = (part for message in messages for part in (message.reasoning, message.content))
    return "\n\n".join(part for part in parts if part)
