"""Numbers that carry check digits: payment cards and IBANs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.gates.personal_data.finding import NOT_AFTER_MASK, NOT_BEFORE_MASK, PersonalData

# As printed on cards: together, in fours, or in American Express's and Diners Club's groups. What must not stand
# before is looked at behind the first digit: a pattern that begins with a digit is fast.
_CARD = re.compile(
    rf"[0-9](?<![A-Za-z0-9_.+-].){NOT_AFTER_MASK}"
    r"(?:[0-9]{12,18}|[0-9]{3}([ -])[0-9]{4}(?:\1[0-9]{4}){2}(?:\1[0-9]{3})?(?!\1[0-9]{4})|"
    r"[0-9]{3}([ -])[0-9]{6}\2[0-9]{4,5})(?![A-Za-z0-9_-]|\.[0-9])"
    rf"{NOT_BEFORE_MASK}"
)
# First digits and lengths: ISO/IEC 7812, as the networks publish them.
_NETWORKS = [
    (re.compile("4"), (13, 16, 19)),
    (re.compile("5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),
    (re.compile("3[47]"), (15,)),
    (re.compile("6011|64[4-9]|65"), (16, 19)),
    (re.compile("30[0-5]|3095|36|3[89]"), (14, 16, 19)),
    (re.compile("352[89]|35[3-8]"), (16, 19)),
    (re.compile("62"), (16, 17, 18, 19)),
]
_IBAN = re.compile(
    rf"[A-Z](?<![A-Za-z0-9].){NOT_AFTER_MASK}[A-Z][0-9]{{2}}(?: ?[A-Z0-9]{{4}}){{2,7}}(?: ?[A-Z0-9]{{1,3}})?"
    rf"(?![A-Za-z0-9]){NOT_BEFORE_MASK}"
)
_MAX_TOGETHER = 16
_ALNUM = re.compile("[A-Za-z0-9]")
# Characters of an IBAN by country, from SWIFT's registry.
_IBAN_LENGTHS = {
    15: "NO", 16: "BE", 18: "DK FI FK FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC",
    33: "RU",
}  # fmt: skip
_LENGTH_OF = {country: length for length, countries in _IBAN_LENGTHS.items() for country in countries.split()}


def find_cards(text: str) -> Iterator[PersonalData]:
    """Card numbers of the known networks whose last digit checks (Luhn)."""
    for match in _CARD.finditer(text):
        digits = re.sub("[ -]", "", match.group())
        known = any(first.match(digits) and len(digits) in lengths for first, lengths in _NETWORKS)
        # Together, so many digits are more often another number.
        short = len(digits) <= _MAX_TOGETHER or digits != match.group()
        if known and short and _luhn(digits) and len(set(digits)) > 1:
            yield PersonalData(match.start(), match.end(), "card")


def find_ibans(text: str) -> Iterator[PersonalData]:
    """Account numbers of the right length for their country whose digits check (ISO 7064, modulo 97)."""
    for match in _IBAN.finditer(text):
        compact = match.group().replace(" ", "")
        length = _LENGTH_OF.get(compact[:2], 0)
        if 0 < length <= len(compact) and _mod97(compact[:length]):
            end = match.start() + _written_length(match.group(), length)
            if not _ALNUM.match(text, end):
                yield PersonalData(match.start(), end, "iban")


def _luhn(digits: str) -> bool:
    doubled = (2 * int(digit) for digit in digits[-2::-2])
    return (sum(map(int, digits[::-2])) + sum(digit // 10 + digit % 10 for digit in doubled)) % 10 == 0


def _mod97(iban: str) -> bool:
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _written_length(written: str, characters: int) -> int:
    """Length of the part of a number written with spaces that holds so many of its characters."""
    places = [place for place, char in enumerate(written) if char != " "]
    return places[characters - 1] + 1
