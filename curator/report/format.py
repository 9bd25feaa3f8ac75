"""Numbers and texts as the reports print them.

One rule holds everywhere: what is missing, not a number or not finite is a dash, never ``nan`` and never
``None``. Text that comes from recipes and corpora is cleaned of control characters first, so that an arm's
name can neither move the terminal's cursor nor reverse the direction of a line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TypeGuard

DASH = "-"

_BIDI_AND_ZERO_WIDTH = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_C1 = re.compile("[\x80-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TRAILING_SPACES = re.compile(r" +(?=\n|\Z)")


def is_number(value: object) -> TypeGuard[int | float]:
    """True for a finite number; booleans are not numbers here."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_interval(value: object) -> TypeGuard[Sequence[float]]:
    """True for a pair of finite numbers, lower end first."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) == 2
        and all(is_number(end) for end in value)
    )


def decimals_for(values: Iterable[object], significant: int = 4, least: int = 3) -> int:
    """Decimals that show the smallest non-zero magnitude of a column with ``significant`` digits.

    A column is printed with one number of decimals, so that its points stand under each other. The result is
    kept between ``least`` and 6.
    """
    magnitudes = [abs(value) for value in values if is_number(value) and value != 0]
    if not magnitudes:
        return significant
    return min(6, max(least, significant - 1 - math.floor(math.log10(min(magnitudes)))))


def number(value: object, decimals: int) -> str:
    """A number with a fixed count of decimals, or a dash; a rounded zero has no sign."""
    if not is_number(value):
        return DASH
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.,") else text


def kl(value: object, decimals: int | None = None) -> str:
    """A KL divergence in nats, to 4 significant decimals unless the column's decimals are given."""
    return number(value, decimals_for([value]) if decimals is None else decimals)


def spread(value: object) -> str:
    """An SD or a smallest difference, to 2 significant decimals: more would say more than is known.

    Below 1e-5 in powers of ten: a row of zeros would hide that it is not zero. What is zero is one digit: no
    number of decimals is known of it.
    """
    if is_number(value) and value == 0:
        return "0"
    if is_number(value) and 0 < abs(value) < 1e-5:
        return f"{value:.1e}"
    return number(value, decimals_for([value], significant=2, least=1))


def signed(value: object, decimals: int) -> str:
    """A difference, with its sign."""
    text = number(value, decimals)
    rounded_to_zero = not text.strip("0.,")
    return text if text.startswith("-") or text == DASH or rounded_to_zero else f"+{text}"


def interval_decimals(intervals: Iterable[object], decimals: int) -> int:
    """Decimals for a column of intervals beside a column of means that has ``decimals``.

    One decimal less than the mean, as the ends are less certain than it, unless the narrowest interval then
    would be shown with fewer than two digits of width.
    """
    widths = [pair[1] - pair[0] for pair in intervals if is_interval(pair) and pair[1] > pair[0]]
    coarse = max(1, decimals - 1)
    return decimals if widths and min(widths) < 10 ** (1 - coarse) else coarse


def interval(value: object, decimals: int | None = None) -> str:
    """An interval, ``[0.237, 0.295]``, or a dash when an end is missing."""
    if not is_interval(value):
        return DASH
    if decimals is None:
        decimals = interval_decimals([value], decimals_for([max(value, key=abs)]))
    return f"[{number(value[0], decimals)}, {number(value[1], decimals)}]"


def percent(value: object, decimals: int = 1) -> str:
    """A share as a percentage with its sign: ``75.0 %``."""
    return f"{number(100 * value, decimals)} %" if is_number(value) else DASH


def percentage(value: object, decimals: int = 1) -> str:
    """A share as a percentage for a column whose head holds the sign: ``75.0``."""
    return number(100 * value, decimals) if is_number(value) else DASH


def count(value: object) -> str:
    """A whole number with thousands separated: ``8,192``."""
    return number(value, 0)


def p_value(value: object) -> str:
    """A p value; below 0.001 only the bound is printed."""
    if not is_number(value):
        return DASH
    return "< 0.001" if value < 0.001 else number(value, 3)


def p_equation(value: object) -> str:
    """A p value after Holm within a sentence: ``p(Holm)=0.012``, without spaces at which a line could break."""
    text = p_value(value)
    return f"p(Holm){text.replace(' ', '')}" if text.startswith("<") else f"p(Holm)={text}"


def seconds(value: object) -> str:
    """A duration: ``42 s``, ``3 min 20 s``, ``2 h 05 min``."""
    if not is_number(value):
        return DASH
    if value < 10:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def short_hash(value: object, length: int = 12) -> str:
    """The first characters of a hash, enough to tell two sets of a run apart."""
    return value.rpartition(":")[2][:length] if isinstance(value, str) and value else DASH


def clean(text: object) -> str:
    """Text without characters that act on a terminal or turn a line's direction; they are shown by name."""
    shown = _CONTROL.sub(lambda match: _control_picture(match.group()), str(text))
    shown = _C1.sub(lambda match: f"‹U+{ord(match.group()):04X}›", shown)
    shown = _BIDI_AND_ZERO_WIDTH.sub(lambda match: f"‹U+{ord(match.group()):04X}›", shown)
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", shown)


def one_line(text: object) -> str:
    """Cleaned text with every run of white space as one space."""
    return " ".join(clean(text).split())


def excerpt(text: object, length: int = 400) -> tuple[str, bool]:
    """The first characters of a text with its white space made visible, and whether it was cut.

    Tabs and spaces at the end of a line get a sign; line breaks stay line breaks.
    """
    whole = str(text)
    shown = whole[:length].replace("\r\n", "\n")
    shown = _TRAILING_SPACES.sub(lambda match: "·" * len(match.group()), shown)
    return clean(shown.replace("\t", "⇥\t")), len(whole) > length


def listing(items: Iterable[object]) -> str:
    """Items as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _control_picture(character: str) -> str:
    return "\N{SYMBOL FOR DELETE}" if character == "\x7f" else chr(0x2400 + ord(character))
