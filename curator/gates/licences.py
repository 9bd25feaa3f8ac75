"""Licences, by SPDX's rules: of an OR one part must be met, of an AND all."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from curator.corpora.spdx import UNKNOWN, licence_key, parse_licence
from curator.gates.drop import Drop

_SHOWN = 3


def check_licence(expression: str, allow: Sequence[str] | None, forbid: Sequence[str]) -> Drop | None:
    """Refuse text whose licence cannot be met.

    A bare licence in ``allow`` or ``forbid`` stands for itself with any exception too: an exception only grants
    more. ``X WITH Y`` stands for that pair alone. ``GPL-3.0-only`` stands for ``GPL-3.0-or-later`` too.

    Args:
        expression: the document's licence, an SPDX expression; what cannot be parsed counts as ``unknown``.
        allow: licences that may be needed; ``None`` for all.
        forbid: licences that may not be needed.
    """
    return _check(expression, None if allow is None else tuple(allow), tuple(forbid))


# Millions of documents share a few expressions.
@functools.lru_cache(maxsize=4096)
def _check(expression: str, allow: tuple[str, ...] | None, forbid: tuple[str, ...]) -> Drop | None:
    parsed = parse_licence(expression)
    allowed = None if allow is None else {_key(one) for one in allow}
    forbidden = {_key(one) for one in forbid}
    if _is_met(parsed, allowed, forbidden):
        return None
    shown = str(parsed) if parsed is not None else UNKNOWN
    if expression != shown and parsed is None:
        shown = f"{UNKNOWN} ({expression[:60]!r} is no SPDX expression)"
    if allow is None or not _is_met(parsed, allowed, set()):
        why = "forbidden" if allow is None else f"cannot be met with {_list(allow)}"
    else:
        why = "forbidden"
    return Drop("licence", f"{shown}: {why}")


def _is_met(part: Any, allowed: set[str] | None, forbidden: set[str]) -> bool:
    """Whether an expression can be met; ``None`` is a licence that nobody knows."""
    operator = getattr(part, "operator", "").strip()
    if operator in {"AND", "OR"}:
        every = all if operator == "AND" else any
        return every(_is_met(one, allowed, forbidden) for one in part.args)
    names = _names(part)
    return not names & forbidden and (allowed is None or bool(names & allowed))


def _names(part: Any) -> set[str]:
    """What a licence may be called in a list: itself, without its exception, and as its first version alone."""
    if part is None:
        return {UNKNOWN}
    bare = licence_key(getattr(part, "license_symbol", part))
    # "Or later" grants this version as well, so that whoever lists this version means it too.
    first = f"{bare.removesuffix('-or-later')}-only" if bare.endswith("-or-later") else bare.removesuffix("+")
    return {licence_key(part), bare, first}


def _key(name: str) -> str:
    parsed = parse_licence(name)
    return licence_key(name if parsed is None else parsed)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
