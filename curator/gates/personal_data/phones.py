"""Telephone numbers, judged by Google's metadata (the library ``phonenumbers``)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from curator.gates.personal_data.finding import NOT_AFTER_MASK, NOT_BEFORE_MASK, PersonalData

# Start and end of each number in a short text.
Spans = tuple[tuple[int, int], ...]
# The library's matcher is slow: it sees only what looks like a number. Three ways to write one are looked for.
_INTERNATIONAL = re.compile(
    rf"\+(?<![A-Za-z0-9_+.].){NOT_AFTER_MASK}[0-9(][0-9 ()./\u00a0-]{{5,24}}[0-9](?![A-Za-z_]){NOT_BEFORE_MASK}"
)
# North America's grouping; with spaces alone it would be three columns of a table.
_NORTH_AMERICAN = re.compile(
    rf"[(1-9](?<![A-Za-z0-9_.+/-].){NOT_AFTER_MASK}"
    r"(?:(?<=1)[ .-]\(?[2-9])?"
    r"(?:(?<=\()[2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-]|[0-9]{2}([.-])[2-9][0-9]{2}\1)[0-9]{4}"
    rf"(?![A-Za-z0-9_-]|[./][0-9]){NOT_BEFORE_MASK}"
)
_NATIONAL = re.compile(
    rf"[0-9(](?<![A-Za-z0-9_.+/-].){NOT_AFTER_MASK}[0-9 ()./-]{{6,20}}[0-9](?![A-Za-z0-9_-]){NOT_BEFORE_MASK}"
)
_WORD_BEFORE = re.compile(
    r"(?:(?<!<)\b(?:t[ée]l|telephone|phone|fax|mobile|whatsapp|t[ée]l[ée]phone|telefon|tel[ée]fono|telefone|"
    r"тел|телефон|number is|call (?:me|us|him|her|them) (?:at|on))|"
    r"电话|電話|手机|手機|联系方式|热线|致电|携帯|传真|전화|โทร|هاتف|फ़ोन|फोन)"
    r"[^\w+\n]{0,3}(?:(?:numbers?|is|no|nr|n°|号码|番号|号)[^\w+\n]{0,3}){0,2}$",
    re.IGNORECASE,
)
_BEFORE = 32
# Countries in whose own notation a number behind such a word may be written; the most people first.
_REGIONS = "CN IN US BR RU JP DE GB FR IT ES KR".split()  # noqa: SIM905
_MIN_DIGITS = 8
# Kept for fiction by the regulators of North America and Britain.
_FICTION = re.compile(r"\+1[0-9]{3}55501[0-9]{2}|\+44(?:1632960|7700900|8081570|2079460|1[0-9]{2}4960)[0-9]{3}")


def find_phones(text: str) -> Iterator[PersonalData]:
    """Numbers that exist by their country's plan.

    With ``+`` and country, in North America's grouping, or behind a word such as "tel"; none kept for fiction.
    """
    if "+" in text:
        for match in _INTERNATIONAL.finditer(text):
            yield from _placed(match, _judge_start(match.group()))
    for match in _NORTH_AMERICAN.finditer(text):
        yield from _placed(match, _judge(match.group(), "US"))
    for match in _NATIONAL.finditer(text):
        before = text[max(match.start() - _BEFORE, 0) : match.start()]
        if sum(map(str.isdigit, match.group())) >= _MIN_DIGITS and _WORD_BEFORE.search(before):
            yield from _placed(match, _judge_anywhere(match.group()))


def _placed(match: re.Match[str], spans: Spans) -> Iterator[PersonalData]:
    return (PersonalData(match.start() + start, match.start() + end, "phone") for start, end in spans)


def _judge_start(written: str) -> Spans:
    """An international number, where need be without numbers that follow it."""
    spans: Spans = ()
    while written and not spans:
        spans = _judge(written, None)
        written = written.rpartition(" ")[0]
    return spans


# A text full of one number, in earnest or in malice, asks once.
@functools.lru_cache(maxsize=1024)
def _judge_anywhere(written: str) -> Spans:
    digits = "".join(filter(str.isdigit, written)).lstrip("0")
    # One country's fiction is a number of another.
    if any(_FICTION.fullmatch(country + digits) for country in ("+1", "+44")):
        return ()
    return next(filter(None, (_judge(written, region) for region in _REGIONS)), ())


def _judge(written: str, region: str | None) -> Spans:
    import phonenumbers

    spans = []
    for match in phonenumbers.PhoneNumberMatcher(written, region):
        number = phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)
        if _FICTION.fullmatch(number) is None:
            spans.append((match.start, match.end))
    return tuple(spans)
