"""All personal data of a text."""

from __future__ import annotations

from collections.abc import Iterator

from curator.gates.personal_data.checked_numbers import find_cards, find_ibans
from curator.gates.personal_data.clues import Clues
from curator.gates.personal_data.emails import find_emails
from curator.gates.personal_data.finding import KINDS, PersonalData
from curator.gates.personal_data.ip_addresses import find_ip_addresses
from curator.gates.personal_data.phones import find_phones
from curator.gates.personal_data.secrets import find_header_values, find_named_values
from curator.gates.personal_data.tokens import find_private_keys, find_tokens


def find_personal_data(text: str) -> tuple[PersonalData, ...]:
    """What is found in a text, in order, without overlaps; in time linear in the text's length."""
    kept: list[PersonalData] = []
    for found in sorted(set(_find_all(text))):
        if kept and kept[-1].end > found.start:
            last = kept.pop()
            kind = min(last.kind, found.kind, key=KINDS.index)
            found = PersonalData(last.start, max(last.end, found.end), kind)
        kept.append(found)
    return tuple(kept)


def _find_all(text: str) -> Iterator[PersonalData]:
    clues = Clues(text)
    finders = [find_emails, find_private_keys]
    if clues.header_values():
        finders.append(find_header_values)
    if clues.tokens():
        finders.append(find_tokens)
    if clues.named_values():
        finders.append(find_named_values)
    if clues.ip_addresses():
        finders.append(find_ip_addresses)
    if clues.long_numbers():
        finders += [find_cards, find_ibans, find_phones]
    for finder in finders:
        yield from finder(text)
