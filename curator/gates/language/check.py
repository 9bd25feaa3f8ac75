"""Refuse languages that a recipe does not allow."""

from __future__ import annotations

from collections.abc import Sequence

from curator.gates.drop import Drop
from curator.gates.language.codes import NO_LINGUISTIC_CONTENT, UNDETERMINED, is_covered


def check_language(found: str, allow: Sequence[str]) -> Drop | None:
    """Refuse a text whose language is not allowed.

    Args:
        found: the stored answer of ``detect_language``.
        allow: BCP 47 codes; ``und`` among them lets texts without enough evidence pass.

    Returns:
        ``None`` for an allowed language, and always for ``zxx``: code, formulas and tables are in no language,
        so that a recipe that keeps English does not lose them.
    """
    if found == NO_LINGUISTIC_CONTENT or any(is_covered(found, code) for code in allow):
        return None
    listed = ", ".join(allow)
    if found == UNDETERMINED:
        return Drop("undetermined", f"too little to tell a language by, and und is not one of {listed}")
    return Drop("language", f"{found}, not one of {listed}")
