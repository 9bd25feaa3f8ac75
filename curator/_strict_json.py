"""JSON with finite numbers and whole characters, so that what was read can be written again."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

# Whole numbers of more digits are beyond what a float can hold.
_DIGITS = 300
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def strict_json(text: str) -> Any:
    """The value of one JSON text.

    Raises:
        ValueError: it is none (`json.JSONDecodeError`), or holds what no result may hold.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_usual)
    if _HALF.search(text):
        _refuse_halves(value)
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    # 1e999 is JSON, and becomes an infinity that no result may hold.
    if math.isinf(value := float(text)):
        raise ValueError(f"{text[:20]} is too large a number")
    return value


def _usual(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"{text[:20]}... is too large a number")
    return int(text)


def _refuse_halves(value: Any) -> None:
    """Refuse half of a pair of surrogates, which only an escape can bring into a UTF-8 file."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"\\u{ord(error.object[error.start]):04x} is half a character") from error
