"""Strict JSON, with faults in plain words."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from curator.corpora.rows.records import UnusableError

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MENDED = "half a surrogate pair became U+FFFD"


def parse_json(text: str) -> tuple[Any, str]:
    r"""The value of a JSON text; half of a surrogate pair (``\ud83d`` alone) becomes U+FFFD.

    Returns:
        The value, and what was mended in words (empty when nothing was).

    Raises:
        UnusableError: not JSON (NaN and Infinity are not), a key that an object has twice, a number with thousands
            of digits, or nested too deeply.
    """
    return mend_surrogates(text, parse_strict(text))


def parse_strict(text: str) -> Any:
    """As `parse_json`, but lone surrogates stay."""
    return _told(_DECODER.decode, text)


def parse_json_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at ``start``, and where it ends; as `parse_json`, but nothing is mended."""
    found: tuple[Any, int] = _told(_DECODER.raw_decode, text, start)
    return found


def skip_json_at(text: str, start: int) -> int:
    """Where the JSON value at ``start`` ends, whether or not `parse_json_at` would take it.

    Raises:
        UnusableError: it is no JSON at all.
    """
    return int(_told(_LENIENT.raw_decode, text, start)[1])


def mend_surrogates(text: str, value: Any) -> tuple[Any, str]:
    """``value``, parsed from ``text``, without lone surrogates, and what was mended in words."""
    # Most texts have no such escape, and the walk is slow.
    if "\\u" not in text or not _SURROGATE_ESCAPE.search(text):
        return value, ""
    found: list[str] = []
    value = _told(_mended, value, found)
    return value, _MENDED if found else ""


def check_finite(value: Any) -> None:
    """Refuse what cannot be written as strict JSON.

    Raises:
        UnusableError: a number or another value that JSON does not have, or nested too deeply.
    """
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UnusableError(f"a value is no JSON ({error})", "not JSON") from error


def json_fault(error: json.JSONDecodeError) -> str:
    """The parser's words for a fault, some of which end where the place would follow."""
    return error.msg.removesuffix(" at")


def kind(value: Any) -> str:
    """What a value is, in JSON's words."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    names |= {int: "a number", float: "a number", bytes: "bytes that are not UTF-8"}
    return names.get(type(value), f"a {type(value).__name__}")


def _told(parse: Any, *arguments: Any) -> Any:
    try:
        return parse(*arguments)
    except json.JSONDecodeError as error:
        detail = f"not JSON ({json_fault(error)} at column {error.colno}); {_fix(error)}"
        raise UnusableError(detail, "not JSON") from error
    except UnusableError:
        raise
    except ValueError as error:
        raise UnusableError("a number has too many digits to be read; make it text", "number too long") from error
    except RecursionError as error:
        raise UnusableError("nested too deeply; write a flatter object", "nested too deeply") from error


def _fix(error: json.JSONDecodeError) -> str:
    if "control character" not in error.msg:
        return "write one object a line"
    return "write one object a line, and line ends and tabs in a string as \\n and \\t"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UnusableError(f"the key {twice[:80]!r} is there twice; keep one of them", "key twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise UnusableError(f"{name} is no JSON; write null or a number", "not JSON")


def _mended(value: Any, found: list[str]) -> Any:
    if isinstance(value, str):
        if not _SURROGATE.search(value):
            return value
        found.append(value)
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(part, found) for part in value]
    if isinstance(value, dict):
        return {_mended(key, found): _mended(part, found) for key, part in value.items()}
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)
_LENIENT = json.JSONDecoder(parse_int=lambda _: 0, parse_constant=lambda _: math.nan)
