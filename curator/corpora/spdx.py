"""SPDX licence expressions, parsed once each (https://spdx.github.io/spdx-spec/v3.0.1/annexes/spdx-license-expressions)."""

from __future__ import annotations

import functools
import re
from typing import Any

from license_expression import (
    ExpressionError,
    LicenseExpression,
    LicenseSymbol,
    Licensing,
    get_spdx_licensing,
)

UNKNOWN = "unknown"
# SPDX's own words for "nobody looked" and "there is none", neither of which grants anything.
_NO_LICENCE = {UNKNOWN, "noassertion", "none"}
_OWN = re.compile(r"(?:DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+", re.IGNORECASE)


@functools.cache
def _licensing() -> Licensing:
    return get_spdx_licensing()


@functools.lru_cache(maxsize=4096)
def parse_licence(expression: str) -> LicenseExpression | None:
    """An SPDX expression with its ids as SPDX spells them now (``GPL-3.0`` is ``GPL-3.0-only``).

    ``unknown`` may stand for a part that nobody knows. ``LicenseRef-`` ids are taken as they are.

    Returns:
        The parsed expression; ``None`` when it is empty, no expression, or has an id that SPDX does not list.
    """
    licensing = _licensing()
    try:
        parsed = licensing.parse(expression)
    except ExpressionError:
        return None
    if parsed is None or not all(
        _is_listed(symbol) for symbol in licensing.license_symbols(parsed, decompose=False)
    ):
        return None
    return parsed


def canonical_licence(expression: str) -> str:
    """The expression as SPDX spells it now (``mit`` is ``MIT``); one that SPDX does not know stays as it is."""
    parsed = parse_licence(expression)
    return expression if parsed is None or expression.lower() in _NO_LICENCE else str(parsed)


def licence_key(part: Any) -> str:
    """What two equal licences have in common: the id, or the id and its exception, in lower case."""
    key = str(part).lower()
    return UNKNOWN if key in _NO_LICENCE else key


def listed_ids() -> list[str]:
    """Every SPDX id, for a hint at the nearest."""
    return sorted(key for key, symbol in _licensing().known_symbols.items() if not symbol.is_exception)


def _is_listed(symbol: Any) -> bool:
    base = getattr(symbol, "license_symbol", None)
    if base is not None:
        exception: LicenseSymbol = symbol.exception_symbol
        return _is_listed(base) and exception.key in _licensing().known_symbols and bool(exception.is_exception)
    key = str(symbol.key)
    if key.lower() in _NO_LICENCE or _OWN.fullmatch(key):
        return True
    # A `+` means this version or a later one, which whoever may use this version may use as this.
    known = _licensing().known_symbols.get(key.removesuffix("+"))
    # Some deprecated ids are of a licence and its exception in one word; the library lists them as exceptions.
    return known is not None and (not known.is_exception or "-with-" in key.lower())
