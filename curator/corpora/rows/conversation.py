"""Conversations in the shapes that people keep them in."""

from __future__ import annotations

import re
from typing import Any

from curator.corpora.document import Message
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.rows.json_values import kind
from curator.corpora.rows.records import UnusableError
from curator.corpora.rows.tools import call_id_of, tool_calls_of

_ROLES = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant",
    "gpt": "assistant", "model": "assistant", "bot": "assistant", "tool": "tool", "function": "tool",
    "observation": "tool",
}  # fmt: skip
_REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")
_THOUGHT = re.compile(r"\s*<think>(.*?)</think>(.*)", re.DOTALL)


def conversation(turns: Any) -> tuple[Message, ...]:
    """Messages from a list of turns.

    A turn is ``{"role", "content"}`` or ``{"from", "value"}`` (``human`` and ``gpt`` are user and assistant, and
    so on). Content is a string, or a list of ``{"type": "text", "text"}`` parts, which are joined; it may be null
    in a turn that calls tools or thinks. What an assistant thought is taken from ``reasoning_content``,
    ``reasoning`` or ``thinking``, or from a ``<think>`` block at the start of its content.

    Raises:
        UnusableError: another shape; the text says which, without file or line.
    """
    if not isinstance(turns, list):
        raise _refusal(f"messages must be a list of turns, not {kind(turns)}")
    return tuple(_message(turn, number) for number, turn in enumerate(turns, start=1))


def split_reasoning(content: str) -> tuple[str, str]:
    """The thought and the rest of a content that begins with a ``<think>`` block; else an empty thought.

    A block without a thought stays in the content: models that can think write it when they are told not to.
    """
    found = _THOUGHT.fullmatch(content)
    thought = found.group(1).strip("\n") if found else ""
    return (thought, found.group(2).lstrip("\n")) if found and thought.strip() else ("", content)


def _message(turn: Any, number: int) -> Message:
    if not isinstance(turn, dict):
        raise _refusal(f"turn {number} must be an object with role and content, not {kind(turn)}")
    role_key, text_key = ("from", "value") if "from" in turn and "role" not in turn else ("role", "content")
    calls = tool_calls_of(turn.get("tool_calls"), number)
    reasoning = _reasoning(turn, number)
    if role_key not in turn or not (text_key in turn or calls or reasoning):
        raise _refusal(f"turn {number} needs role and content; it has: {', '.join(map(str, turn)) or 'nothing'}")
    role = _role(turn[role_key], number)
    value = turn.get(text_key)
    content = "" if value is None and (calls or reasoning) else _content(value, number)
    if role == "assistant" and not reasoning:
        reasoning, content = split_reasoning(content)
    name = turn.get("name")
    return Message(
        role,
        without_surrogates(content),
        without_surrogates(reasoning),
        calls,
        without_surrogates(name) if isinstance(name, str) else "",
        tool_call_id=call_id_of(turn.get("tool_call_id"), number) if role == "tool" else "",
    )


def _role(role: Any, number: int) -> str:
    found = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if found is None:
        raise _refusal(f"turn {number} has role {str(role)[:40]!r}; allowed: {', '.join(_ROLES)}")
    return found


def _reasoning(turn: dict[str, Any], number: int) -> str:
    for key in _REASONING_KEYS:
        value = turn.get(key)
        if isinstance(value, str) and value:
            return value
        if value and not isinstance(value, str):
            raise _refusal(f"turn {number}: {key} must be text, not {kind(value)}")
    return ""


def _content(content: Any, number: int) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise _refusal(f"turn {number}: content must be text, not {kind(content)}")
    parts = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise _refusal(f"turn {number}: content has a part that is not text; only text can be used")
        parts.append(part["text"])
    return "".join(parts)


def _refusal(detail: str) -> UnusableError:
    return UnusableError(detail, "not a conversation")
