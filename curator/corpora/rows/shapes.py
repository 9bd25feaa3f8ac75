"""From the columns of a row to a text or a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.corpora.document import Message, conversation_text
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.conversation import conversation
from curator.corpora.rows.join import joined, template_columns
from curator.corpora.rows.own import LICENCES
from curator.corpora.rows.question import QuestionColumns, two_turns, with_system
from curator.corpora.rows.records import UnusableError
from curator.corpora.rows.tools import tools_of
from curator.corpora.rows.values import MISSING, column_list, present_at, text_at, value_at, why_empty

# The usual names, in the order in which they are looked for.
_CONVERSATIONS = ("messages", "conversations", "conversation")
_TEXT = "text"
_QUESTIONS = (
    ("instruction", "output", "input"),
    ("instruction", "response", "input"),
    ("prompt", "response", None),
    ("prompt", "completion", None),
    ("question", "answer", None),
    ("question", "answerKey", None),
)
# What a conversation may have beside its turns.
_BESIDE = frozenset({"system", "tools"})
_USUAL = frozenset(
    {*_CONVERSATIONS, *_BESIDE, _TEXT, "context", "choices", "history"}
    | {name for shape in _QUESTIONS for name in shape if name is not None}
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a row says. Fields as in `Document`."""

    text: str
    messages: tuple[Message, ...] | None = None
    tools: tuple[dict[str, Any], ...] = ()


def content_of(values: Mapping[str, Any], reading: Reading) -> Content:
    """The text or conversation of a row, by the recipe's columns, or by the usual names when it gives none.

    Raises:
        UnusableError: the row has none that can be used; says why.
    """
    columns = reading.columns
    if reading.join is not None:
        return Content(joined(values, reading.join))
    if columns.text is not None:
        return Content(text_at(values, columns.text))
    if columns.messages is not None:
        return _conversation(values, columns.messages, columns)
    if columns.prompt is not None and columns.response is not None:
        named = QuestionColumns(
            prompt=columns.prompt,
            response=columns.response,
            before=columns.context,
            choices=columns.choices,
            system=columns.system,
            reasoning=columns.reasoning,
        )
        return _checked(two_turns(values, named), _tools(values, columns.tools))
    return _usual(values, columns)


def has_usual_names(values: Mapping[str, Any]) -> bool:
    """Whether a row has the columns of a usual shape, whatever they hold."""
    return _usual_name(values, empty_too=True) is not None


def asked_columns(reading: Reading) -> frozenset[str]:
    """The paths that a recipe names."""
    asked = {path for path in reading.columns.model_dump().values() if path is not None}
    return frozenset(asked | set(template_columns(reading.join) if reading.join is not None else ()))


def columns_to_read(names: Sequence[str], reading: Reading) -> list[str]:
    """Those of a table's columns that documents are made of; all where `content_of` would find no text."""
    asked = asked_columns(reading)
    tops = {path if path in names else path.partition(".")[0] for path in asked}
    own: set[str] = {"id"} | (set() if reading.columns.licence else set(LICENCES))
    own |= _BESIDE if reading.columns.messages else set()
    if is_explicit(reading):
        # What is missing is told with the columns found.
        return [name for name in names if name in tops | own] if tops <= set(names) else list(names)
    if not has_usual_names(dict.fromkeys(names)):
        return list(names)
    return [name for name in names if name in tops | own | _USUAL]


def is_explicit(reading: Reading) -> bool:
    """Whether a reading says what the text is."""
    columns = reading.columns
    return any((reading.join, columns.text, columns.messages, columns.prompt))


def _usual(values: Mapping[str, Any], columns: Columns) -> Content:
    name = _usual_name(values, empty_too=False) or _usual_name(values, empty_too=True)
    if name is None:
        raise UnusableError(f"no column of text; columns found: {column_list(values)}", "missing column")
    if name in _CONVERSATIONS:
        return _conversation(values, name, columns)
    if name == _TEXT:
        return Content(text_at(values, _TEXT))
    prompt, response, after = next(shape for shape in _QUESTIONS if shape[0] == name and shape[1] in values)
    named = QuestionColumns(
        prompt=prompt,
        response=response,
        before="context",
        after=after,
        choices="choices" if prompt == "question" and "choices" in values else None,
        system=columns.system or "system",
        history="history",
    )
    return _checked(two_turns(values, named), _tools(values, columns.tools or "tools"))


def _usual_name(values: Mapping[str, Any], *, empty_too: bool) -> str | None:
    """The column that tells the shape; where several shapes share a table, null ones are passed over at first."""

    def held(name: str) -> bool:
        return name in values and (empty_too or values[name] is not None)

    for name in (*_CONVERSATIONS, _TEXT):
        if held(name):
            return name
    return next((prompt for prompt, response, _ in _QUESTIONS if held(prompt) and response in values), None)


def _conversation(values: Mapping[str, Any], path: str, columns: Columns) -> Content:
    messages = with_system(conversation(present_at(values, path)), values, columns.system or "system")
    return _checked(messages, _tools(values, columns.tools or "tools"))


def _checked(messages: tuple[Message, ...], tools: tuple[dict[str, Any], ...]) -> Content:
    text = conversation_text(messages)
    why = why_empty(text)
    if why and not any(message.tool_calls for message in messages):
        raise UnusableError("no turn of the conversation has text", why)
    return Content(text, messages, tools)


def _tools(values: Mapping[str, Any], path: str | None) -> tuple[dict[str, Any], ...]:
    value = value_at(values, path) if path is not None else None
    return tools_of(None if value is MISSING else value)
