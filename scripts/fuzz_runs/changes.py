"""Changes of valid bytes and of valid JSON values, as Hypothesis strategies, so that a failure is made small."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

# Positions are shares of the length, so that one change means much the same in every input.
_WHOLE = 1 << 16
_POSITION = st.integers(0, _WHOLE)
_KINDS = ("flip", "cut", "drop", "insert", "double", "zero", "line away", "line twice", "indent")
_EDIT = tuple[str, int, int, bytes]
_MOST_EDITS = 6

# What JSON can hold and a reader may not expect; 1e999 is written for infinity.
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**40, 0.5, -0.0, 1e308, float("inf"), float("nan"),
    "", "x", "\ud800", "\0", "a\nb", "../../x", "/dev/zero", "0" * 64, "9" * 400, [], {}, [[]], [None], [1, [2]],
    {"": None}, {"a": {"b": []}}, ["x"] * 3, [0] * 50,
)  # fmt: skip


def changed_bytes(seeds: Sequence[bytes], payloads: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """One of some valid inputs with up to six changes.

    Args:
        seeds: valid inputs.
        payloads: what is put in beside random bytes.
    """
    payload = st.sampled_from(list(payloads)) | st.binary(max_size=8)
    edit = st.tuples(st.sampled_from(_KINDS), _POSITION, _POSITION, payload)
    return st.builds(_edited, st.sampled_from(list(seeds)), st.lists(edit, max_size=_MOST_EDITS))


def _edited(data: bytes, edits: Sequence[_EDIT]) -> bytes:
    for kind, first, second, payload in edits:
        at = first * len(data) // _WHOLE
        # Half of the time near its beginning: parts, not only the rest of the input.
        end = min(len(data), at + (second % 16 if second % 2 else second * (len(data) - at) // _WHOLE))
        data = _edit(data, kind, at, end, payload)
    return data


def _edit(data: bytes, kind: str, at: int, end: int, payload: bytes) -> bytes:
    line_end = data.find(b"\n", at) + 1 or len(data)
    line = data.rfind(b"\n", 0, at) + 1
    match kind:
        case "flip":
            return data[:at] + bytes(byte ^ (1 << at % 8) for byte in data[at : at + 1]) + data[at + 1 :]
        case "cut":
            return data[:at]
        case "drop":
            return data[:at] + data[end:]
        case "insert":
            return data[:at] + payload + data[at:]
        case "double":
            return data[:end] + data[at:end] + data[end:]
        case "zero":
            return data[:at] + bytes(end - at) + data[end:]
        case "line away":
            return data[:line] + data[line_end:]
        case "line twice":
            return data[:line_end] + data[line:line_end] + data[line_end:]
        case _:
            return data[:line] + b" " * (at % 5) + payload + data[line:]


def changed_json(seeds: Sequence[Any]) -> st.SearchStrategy[Any]:
    """One of some JSON values with up to four values replaced, left out or put in twice."""
    step = st.lists(st.integers(0, _WHOLE), min_size=1, max_size=7)
    change = st.tuples(step, st.sampled_from(["put", "put", "leave out", "twice"]), st.sampled_from(VALUES))
    numbers = st.integers(0, len(seeds) - 1)
    return st.builds(lambda number, edits: _changed(seeds[number], edits), numbers, st.lists(change, max_size=4))


def as_json(value: Any) -> bytes:
    """As a hostile program would write it: infinity as too large a number, half characters as escapes."""
    return json.dumps(value).replace("Infinity", "1e999").encode()


def _changed(value: Any, changes: Sequence[tuple[list[int], str, Any]]) -> Any:
    value = [copy.deepcopy(value)]
    for steps, kind, new in changes:
        holder, key = value, 0
        for step in steps:
            inner = holder[key]
            if not isinstance(inner, dict | list) or not inner:
                break
            holder, key = inner, list(inner)[step % len(inner)] if isinstance(inner, dict) else step % len(inner)
        if kind == "twice" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif kind == "leave out" and holder is not value:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(new)
    return value[0]
