"""Licences of recipes and cards: SPDX expressions of sources, single licences of the gate."""

from __future__ import annotations

import difflib
import re
from typing import Annotated

from pydantic import AfterValidator, Field

from curator.corpora.spdx import listed_ids, parse_licence

# A card's word for a source in which every document carries its own.
PER_DOCUMENT = "per-document"
_ID = re.compile(r"[A-Za-z0-9.+-]+")
_VERSION = re.compile(r"-?v?([0-9])$")
_WORDS = {"and", "or", "with"}


def checked_licence(expression: str) -> str:
    """``expression`` as it is, when it is an SPDX expression or ``unknown``.

    Raises:
        ValueError: it is not; names the nearest licence of the first that SPDX does not have.
    """
    if parse_licence(expression) is None:
        raise ValueError(f"{expression!r} is no SPDX expression; {_hint(expression)}")
    return expression


def checked_one_licence(name: str) -> str:
    """``name`` as it is, when it is one licence, with an exception or without.

    Raises:
        ValueError: it is no licence, or several.
    """
    parsed = parse_licence(checked_licence(name))
    if getattr(parsed, "operator", ""):
        raise ValueError(f"{name!r} are several licences; give each an entry of its own")
    return name


def _hint(expression: str) -> str:
    if expression == PER_DOCUMENT:
        return "name the column that has it (columns: {licence: ...}) and leave this out"
    words = [
        word for word in _ID.findall(expression) if word.lower() not in _WORDS and parse_licence(word) is None
    ]
    known = {name.lower(): name for name in listed_ids()}
    for word in words[:1]:
        # People write GPLv3 and apache2.
        numbered = parse_licence(_VERSION.sub(r"-\1.0", word))
        near = [str(numbered)] if numbered is not None else difflib.get_close_matches(word.lower(), known, 1)
        if near:
            return f"did you mean {known.get(near[0], near[0])}?"
    return "write it as MIT, Apache-2.0 OR MIT, LicenseRef-name, or unknown"


def _card_licence(expression: str) -> str:
    return expression if expression == PER_DOCUMENT else checked_licence(expression)


Licence = Annotated[str, Field(min_length=1), AfterValidator(checked_licence)]
CardLicence = Annotated[str, Field(min_length=1), AfterValidator(_card_licence)]
OneLicence = Annotated[str, Field(min_length=1), AfterValidator(checked_one_licence)]
