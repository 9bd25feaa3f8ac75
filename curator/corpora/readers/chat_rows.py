"""Conversations in the shapes that people keep them in."""

from __future__ import annotations

from typing import Any

from curator.corpora.document import Message
from curator.corpora.readers.plain_text import without_surrogates

_ROLES = {"system": "system", "user": "user", "human": "user", "assistant": "assistant", "gpt": "assistant"}


def conversation(turns: Any) -> tuple[Message, ...]:
    """Messages from a list of turns.

    A turn is ``{"role", "content"}`` or ``{"from", "value"}`` (``human`` and ``gpt`` are user and
    assistant). Content is a string, or a list of ``{"type": "text", "text"}`` parts, which are joined.

    Raises:
        ValueError: another shape; the text says which, without file or line.
    """
    if not isinstance(turns, list):
        raise ValueError(f"messages must be a list of turns, not {_kind(turns)}")
    return tuple(_message(turn, number) for number, turn in enumerate(turns, start=1))


def _message(turn: Any, number: int) -> Message:
    if not isinstance(turn, dict):
        raise ValueError(f"turn {number} must be an object with role and content, not {_kind(turn)}")
    role_key, text_key = ("role", "content") if "role" in turn else ("from", "value")
    if role_key not in turn or text_key not in turn:
        raise ValueError(f"turn {number} needs role and content; it has: {', '.join(map(str, turn)) or 'nothing'}")
    role = turn[role_key]
    if not isinstance(role, str) or role not in _ROLES:
        raise ValueError(f"turn {number} has role {role!r}; allowed: {', '.join(_ROLES)}")
    return Message(_ROLES[role], without_surrogates(_content(turn[text_key], number)))


def _content(content: Any, number: int) -> str:
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        raise ValueError(f"turn {number}: content must be text, not {_kind(content)}")
    parts = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise ValueError(f"turn {number}: content has a part that is not text; only text can be used")
        parts.append(part["text"])
    return "".join(parts)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
