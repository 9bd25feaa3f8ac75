"""The record that flows from a source to a calibration set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Attributes:
        role: ``system``, ``user`` or ``assistant``.
        content: the turn's text.
    """

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text, or a conversation, with where it came from.

    Attributes:
        id: unique within a recipe's sources and the same on every machine that has the same source.
        corpus: id of the corpus card, or ``generate:<name>``, or the path of a local file.
        unit: the smallest part of a source that a held-out split may not cut through: a package, a
            top-level module, a book. All documents of a unit are on the same side.
        task: task type, such as ``prose``, ``code``, ``qa``, ``niah``.
        language: BCP 47 tag, ``und`` when unknown; programming languages are ``zxx``.
        licence: SPDX expression, ``unknown`` when the source does not say.
        text: the whole text; for a conversation the turns joined by blank lines (what gates read).
        messages: the turns of a conversation, else ``None``.
        low_continuity: made without continuous meaning on purpose (needles, UUIDs, random words);
            gates that look for accidents leave such documents alone.
    """

    id: str
    corpus: str
    unit: str
    task: str
    language: str
    licence: str
    text: str
    messages: tuple[Message, ...] | None = None
    low_continuity: bool = False


def conversation_text(messages: tuple[Message, ...]) -> str:
    """The text that gates and scores read for a conversation."""
    return "\n\n".join(message.content for message in messages)
