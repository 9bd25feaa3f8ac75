"""Licences under which excerpts of a text may be passed on to others."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from typing import Any

from license_expression import get_license_index

from curator.corpora.spdx import UNKNOWN, licence_key, parse_licence

# Classes of the ScanCode LicenseDB, which the library of SPDX expressions carries.
_FREE = {"Permissive", "Copyleft", "Copyleft Limited", "Public Domain"}
# Creative Commons' NonCommercial lets anybody pass a text on without payment; NoDerivatives no excerpts, and a set
# cuts and joins its texts. Computational Use of Data lets results and data be shared under the same terms.
_SHARED = re.compile(r"cc-by-nc(-sa)?-[0-9.]+(-[a-z]+)?|c-uda-1\.0")


def not_passed_on(expression: str, allowed: Collection[str] = ()) -> str | None:
    """Why a text may not be passed on, or ``None`` when its licence grants it.

    Of an OR one part must grant it, of an AND all.

    Args:
        expression: the text's licence, an SPDX expression.
        allowed: licences, or whole expressions, that the user has cleared.
    """
    keys = {name.strip().lower() for name in allowed}
    if expression.strip().lower() in keys:
        return None
    return _why(parse_licence(expression), keys | {licence_key(parse_licence(name) or name) for name in allowed})


def _why(part: Any, allowed: Collection[str]) -> str | None:
    operator = getattr(part, "operator", "").strip()
    if operator:
        found = [_why(one, allowed) for one in part.args]
        if operator == "OR":
            return None if None in found else found[0]
        return next(filter(None, found), None)
    # An exception only grants more than its licence.
    key = UNKNOWN if part is None else licence_key(getattr(part, "license_symbol", part))
    if key in allowed or (part is not None and licence_key(part) in allowed):
        return None
    if key == UNKNOWN:
        return "nobody says that it may be passed on"
    if _SHARED.fullmatch(key) or _classes().get(key.removesuffix("+")) in _FREE:
        return None
    if "-nd-" in key:
        return "allows no excerpts, and a set is made of them"
    return "is not known to let a text be passed on"


@functools.cache
def _classes() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in get_license_index():
        for key in (entry.get("spdx_license_key"), *entry.get("other_spdx_license_keys", ())):
            if key:
                found.setdefault(key.lower(), entry["category"])
    return found
