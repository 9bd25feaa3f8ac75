"""Rows of a prompt and its response as conversations of two turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from curator.corpora.document import Message
from curator.corpora.rows.conversation import conversation, split_reasoning
from curator.corpora.rows.history import earlier_turns
from curator.corpora.rows.json_values import kind
from curator.corpora.rows.records import UnusableError
from curator.corpora.rows.values import MISSING, present_at, string_at, text_at, value_at

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class QuestionColumns:
    """Which columns (or paths) of a row are what.

    Attributes:
        prompt: what the user says.
        response: what the assistant answers; with ``choices`` an index from 0, a label or the text of one.
        before: text put before the prompt.
        after: text put after it (Alpaca's ``input``).
        choices: answers to choose from, listed below the prompt as A, B, C or by their own labels.
        system: a first turn.
        history: earlier turns, as `earlier_turns` takes them.
        reasoning: what the assistant thought before it answered.
    """

    prompt: str
    response: str
    before: str | None = None
    after: str | None = None
    choices: str | None = None
    system: str | None = None
    history: str | None = None
    reasoning: str | None = None


def two_turns(values: Mapping[str, Any], columns: QuestionColumns) -> tuple[Message, ...]:
    """The conversation of a row: two turns, or those of a prompt and a response that are lists of turns.

    Raises:
        UnusableError: prompt or response is missing, null, no text or shows nothing, or an answer is none of the
            choices; or a context or reasoning that has no place among turns.
    """
    prompt, response = present_at(values, columns.prompt), present_at(values, columns.response)
    if isinstance(prompt, list) and isinstance(response, list) and not columns.choices:
        turns = conversation([*prompt, *response])
        for path in (columns.before, columns.after, columns.reasoning):
            if _passage(values, path):
                raise UnusableError(
                    f"column {path!r} has no place in a prompt that is turns", "not a conversation"
                )
    else:
        turns = _question(values, columns, response)
    earlier = earlier_turns(values, columns.history) if columns.history else ()
    return with_system((*earlier, *turns), values, columns.system)


def with_system(turns: tuple[Message, ...], values: Mapping[str, Any], path: str | None) -> tuple[Message, ...]:
    """The turns behind the row's system turn, unless there is none or they begin with their own.

    Raises:
        UnusableError: what is at ``path`` is no text.
    """
    system = _optional(values, path)
    if not system or not turns or turns[0].role == "system":
        return turns
    return (Message("system", system), *turns)


def _question(values: Mapping[str, Any], columns: QuestionColumns, response: Any) -> tuple[Message, ...]:
    parts = [_passage(values, columns.before), text_at(values, columns.prompt), _passage(values, columns.after)]
    if columns.choices:
        labels, texts = _choices(present_at(values, columns.choices), columns.choices)
        parts.append("\n".join(f"{label}. {text}" for label, text in zip(labels, texts, strict=True)))
        answer = _answer(response, labels, texts, columns.response)
    else:
        answer = text_at(values, columns.response)
    reasoning, content = _optional(values, columns.reasoning), answer
    if not reasoning:
        reasoning, content = split_reasoning(answer)
    user = Message("user", "\n\n".join(part for part in parts if part))
    return user, Message("assistant", content, reasoning)


def _optional(values: Mapping[str, Any], path: str | None) -> str:
    """The text at ``path``; empty when it is missing, null or shows nothing."""
    if path is None or value_at(values, path) in (None, MISSING):
        return ""
    text = string_at(values, path)
    return text if text.strip() else ""


def _passage(values: Mapping[str, Any], path: str | None) -> str:
    """As `_optional`; lists are joined: the outer one by blank lines, inner ones by nothing."""
    value = value_at(values, path) if path is not None else None
    if not isinstance(value, list):
        return _optional(values, path)
    return "\n\n".join(text for part in value if (text := _run(part, str(path))).strip())


def _run(value: Any, path: str) -> str:
    if isinstance(value, list):
        return "".join(_run(part, path) for part in value)
    if not isinstance(value, str):
        raise UnusableError(f"column {path!r} must hold text, not {kind(value)}", "not text")
    return value


def _choices(value: Any, path: str) -> tuple[list[str], list[str]]:
    """Labels and texts, from a list of texts or from ``{"label": [...], "text": [...]}``."""
    texts = value.get("text") if isinstance(value, dict) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise UnusableError(f"column {path!r} must be a list of texts to choose from", "not choices")
    labels = value.get("label") if isinstance(value, dict) else list(_LETTERS[: len(texts)])
    if (
        not isinstance(labels, list)
        or len(labels) != len(texts)
        or not all(isinstance(one, str) for one in labels)
    ):
        raise UnusableError(f"column {path!r} needs a label for each of its {len(texts)} choices", "not choices")
    return labels, texts


def _answer(value: Any, labels: list[str], texts: list[str], path: str) -> str:
    """The chosen line. A text counts before a label: choices may be letters or digits themselves."""
    place = -1
    if isinstance(value, str):
        wanted = value.strip()
        stripped = [text.strip() for text in texts]
        capital = [label.upper() for label in labels]
        if wanted in stripped:
            place = stripped.index(wanted)
        elif wanted.upper() in capital:
            place = capital.index(wanted.upper())
    elif type(value) is int and 0 <= value < len(texts):
        place = value
    if place < 0:
        raise UnusableError(
            f"column {path!r} is {str(value)[:40]!r}, which is none of the {len(texts)} choices: give an "
            "index from 0, a label or the text of one",
            "answer not among choices",
        )
    return f"{labels[place]}. {texts[place]}"
