"""Checking the ``options`` of a corpus card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator._errors import InputError
from curator.corpora.card import Card


def card_options(card: Card, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Lay the card's options over ``defaults``; a value has the type of its default.

    Raises:
        InputError: an option is unknown or of another type; the message names those allowed.
    """
    for name, value in card.options.items():
        if name not in defaults:
            known = ", ".join(sorted(defaults)) or "none"
            raise InputError(f"corpus {card.id!r}: unknown option {name!r}; reader {card.reader} has: {known}")
        wanted = type(defaults[name])
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise InputError(f"corpus {card.id!r}: option {name!r} must be a {wanted.__name__}, not {value!r}")
    return {**defaults, **card.options}
