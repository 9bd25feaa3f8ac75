"""Addresses of machines on the Internet."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from curator.gates.personal_data.finding import NOT_AFTER_MASK, NOT_BEFORE_MASK, PersonalData

# What must not stand before is looked at behind the first digit: a pattern that begins with a digit is fast.
# More parts, or a part next to letters, make a version, an object identifier, or a name. Only ASCII's letters
# count: in Chinese nothing stands between.
_V4 = re.compile(
    rf"[0-9](?<![A-Za-z0-9_.+-].){NOT_AFTER_MASK}[0-9]{{0,2}}(?:\.[0-9]{{1,3}}){{3}}"
    rf"(?![A-Za-z0-9_+-]|\.[A-Za-z0-9_]){NOT_BEFORE_MASK}"
)
_V6 = re.compile(
    rf"[23](?<![A-Za-z0-9_:.].){NOT_AFTER_MASK}[0-9A-Fa-f]{{3}}:[0-9A-Fa-f:]{{1,34}}"
    rf"(?![A-Za-z0-9_:]|\.[A-Za-z0-9_]){NOT_BEFORE_MASK}"
)
# Versions have small parts ("1.2.3.4"); of real addresses one in 20,000 has four parts this small.
_VERSION_PART = 22
_VERSION_WORD = re.compile(
    r"(?:version|release|build|firmware|section|chapter|rev|ver|[=<>~!]=|[~^]|[\w\]>]<)\.?[\s:\"'=]*$",
    re.IGNORECASE,
)
_BEFORE = 16


def find_ip_addresses(text: str) -> Iterator[PersonalData]:
    """Public addresses: none that is private, local, for documentation, or like a version number."""
    for match in _V4.finditer(text):
        if _is_public(match.group()) and not _is_version(text, match):
            yield PersonalData(match.start(), match.end(), "ip")
    # The shortest form has two.
    for match in _V6.finditer(text) if text.count(":") > 1 else ():
        # A colon of the sentence may follow.
        written = match.group() if match.group().endswith("::") else match.group().rstrip(":")
        if _is_public(written):
            yield PersonalData(match.start(), match.start() + len(written), "ip")


def _is_public(written: str) -> bool:
    try:
        address = ipaddress.ip_address(written)
    except ValueError:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _is_version(text: str, match: re.Match[str]) -> bool:
    before = text[max(match.start() - _BEFORE, 0) : match.start()]
    small = all(int(part) < _VERSION_PART for part in match.group().split("."))
    return small or _VERSION_WORD.search(before) is not None
