"""Earlier turns that a row keeps in a column of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.corpora.document import Message
from curator.corpora.rows.conversation import conversation
from curator.corpora.rows.json_values import kind, parse_json
from curator.corpora.rows.records import UnusableError
from curator.corpora.rows.values import MISSING, value_at

_PAIR = ("user", "assistant")


def earlier_turns(values: Mapping[str, Any], path: str) -> tuple[Message, ...]:
    """The turns at ``path``: a list of turns or of pairs of a question and its answer, or JSON text of one.

    One side of a pair may be empty or null: that turn is left out.

    Raises:
        UnusableError: another shape.
    """
    history = value_at(values, path)
    if isinstance(history, str):
        history = _unpacked(history, path) if history.strip() else None
    if history is None or history is MISSING:
        return ()
    if not isinstance(history, list):
        raise _refusal(path, kind(history))
    if not any(isinstance(part, list) for part in history):
        return conversation(history)
    return conversation([turn for pair in history for turn in _pair(pair, path)])


def _pair(pair: Any, path: str) -> list[dict[str, str]]:
    if not isinstance(pair, list) or len(pair) != len(_PAIR):
        raise _refusal(path, f"one with {kind(pair)} of another length" if isinstance(pair, list) else kind(pair))
    if not all(part is None or isinstance(part, str) for part in pair):
        raise _refusal(path, "one with a pair that is not text")
    return [{"role": role, "content": part} for role, part in zip(_PAIR, pair, strict=True) if part]


def _unpacked(text: str, path: str) -> Any:
    try:
        return parse_json(text)[0]
    except UnusableError as error:
        raise _refusal(path, "text") from error


def _refusal(path: str, found: str) -> UnusableError:
    detail = f"column {path!r} must be a list of earlier turns or of pairs of question and answer, not {found}"
    return UnusableError(f"{detail}; name prompt and response in columns to do without it", "not a conversation")
