"""Personal data replaced by placeholders."""

from __future__ import annotations

from collections.abc import Sequence

from curator.gates.personal_data.find import find_personal_data
from curator.gates.personal_data.finding import PersonalData

# What was joined to a find may be one itself once that is masked. A second round finds nothing, as a rule; a text
# made to need many shall not keep us.
_MAX_ROUNDS = 8


def mask_personal_data(text: str, found: Sequence[PersonalData]) -> str:
    """The text with each find replaced by its kind in capitals, such as ``<EMAIL>``.

    Nothing is found in a masked text: masking twice is masking once.

    Args:
        text: where the finds are.
        found: in order, without overlaps, as ``find_personal_data`` gives them.
    """
    for _ in range(_MAX_ROUNDS):
        if not found:
            break
        text = _replace(text, found)
        found = find_personal_data(text)
    return text


def _replace(text: str, found: Sequence[PersonalData]) -> str:
    parts, end = [], 0
    for one in found:
        parts += [text[end : one.start], f"<{one.kind.upper()}>"]
        end = one.end
    return "".join([*parts, text[end:]])
