"""Tools on offer, and calls of them, in the shapes that people keep them in."""

from __future__ import annotations

from typing import Any

from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.rows.json_values import check_finite, kind, parse_json
from curator.corpora.rows.records import UnusableError

_REASON = "not tools"


def tools_of(value: Any) -> tuple[dict[str, Any], ...]:
    """The tools of a conversation, from a list of objects, or JSON text of one; null and empty give none.

    Raises:
        UnusableError: another shape.
    """
    tools = value
    if isinstance(value, str):
        tools = _unpacked(value) if value.strip() else None
    if not tools:
        return ()
    if not isinstance(tools, list):
        raise UnusableError(f"tools must be a list of objects, not {kind(tools)}", _REASON)
    found = tuple(_unpacked(tool) if isinstance(tool, str) else tool for tool in tools)
    for tool in found:
        if not isinstance(tool, dict):
            raise UnusableError(f"a tool must be an object, not {kind(tool)}", _REASON)
    check_finite(found)
    return found


def tool_calls_of(value: Any, turn: int) -> tuple[dict[str, Any], ...]:
    """The calls of a turn as ``{"name", "arguments"}``, from that shape or OpenAI's (in ``function``).

    A call's ``id``, by which its result names it, is kept where it has one.

    Args:
        value: a list of calls; null and empty give none.
        turn: the turn's number, for errors.

    Raises:
        UnusableError: another shape, or arguments that are no object nor JSON text of one.
    """
    if not value:
        return ()
    if not isinstance(value, list):
        raise UnusableError(f"turn {turn}: tool_calls must be a list, not {kind(value)}", _REASON)
    calls = tuple(_call(call, turn) for call in value)
    check_finite(calls)
    return calls


def call_id_of(value: Any, turn: int) -> str:
    """The id of a call, which text and numbers may be; empty when it has none.

    Args:
        value: what the row holds.
        turn: the turn's number, for errors.

    Raises:
        UnusableError: another kind of value.
    """
    if value is None:
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise UnusableError(f"turn {turn}: the id of a tool call must be text, not {kind(value)}", _REASON)
    return without_surrogates(str(value))


def _call(call: Any, turn: int) -> dict[str, Any]:
    function = call.get("function", call) if isinstance(call, dict) else call
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise UnusableError(f"turn {turn}: a tool call needs a name and arguments", _REASON)
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        arguments = _unpacked(arguments) if arguments.strip() else {}
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, dict):
        raise UnusableError(
            f"turn {turn}: a tool call's arguments must be an object, not {kind(arguments)}", _REASON
        )
    found = {"name": function["name"], "arguments": arguments}
    call_id = call_id_of(call.get("id"), turn)
    return {"id": call_id, **found} if call_id else found


def _unpacked(text: str) -> Any:
    try:
        return parse_json(text)[0]
    except UnusableError as error:
        raise UnusableError(f"tools as text: {error}", _REASON) from error
