"""Where sentences end, in the scripts that mark it."""

from __future__ import annotations

import re
from collections.abc import Iterator

# These end a sentence whatever follows: CJK, Devanagari and its kin, Ethiopic, Armenian, Myanmar, Khmer, Tibetan.
_ALWAYS = "。！？｡．।॥፧።፨։။៕។༎"
# These need white space behind them.
_WITH_SPACE = ".!?…؟۔؛"
_CLOSERS = "\"'”’»)\\]}」』）】》〉*_"
_MARKS = re.compile(rf"[{_ALWAYS}{_WITH_SPACE}][{_ALWAYS}{_WITH_SPACE}{_CLOSERS}]*")
_ALWAYS_SET = frozenset(_ALWAYS)
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
# The longest token that is looked at before a full stop, in characters.
_LOOK_BACK = 24

# Never before the end of a sentence: titles, and short forms that take something behind them.
_WITH_MORE = """
adj adm al approx apr aug bros bzw capt cf col comdr dec dept dipl dr drs ed eds eg eng esp est evtl feb fr gen ggf
gov hon ie insp jan jul jun lt ltd maj mar mgr mlle mm mme mr mrs ms msgr mt mtn nov nr oct ph pp prof rep rev sen
sep sept sgt sr sra srta st ste str supt tel ung vgl viz vs zb т.е т.д т.п т.к тыс млн млрд e.g i.e d.h z.b u.a o.ä
v.a p.ej"""
_ABBREVIATIONS = frozenset(_WITH_MORE.split())
# Only before a number or a bracket: "Fig. 3", "No. 7", "p. [12]".
_WITH_NUMBER = """
abb art ch chap eq eqs fig figs fn kap lib no nos p par ref refs sec secs tab v vol г с рис"""
_BEFORE_NUMBERS = frozenset(_WITH_NUMBER.split())
_NUMBERED = re.compile(r"[\d(\[#]")
# What follows "U.S." or "p.m." at the start of a sentence, and hardly ever inside one.
_FIRST_WORDS = """
A After An And As At But For He Her His However I If In It Its On She So Some That The Their Then There These They
This Those To We What When While You"""
_STARTERS = frozenset(_FIRST_WORDS.split())
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Offsets behind the closing marks (and brackets, quotation marks) that end a sentence.

    A full stop ends none inside a number, after an initial, a title or another short form, after the number
    of a list item, or before a small letter.

    Args:
        text: any text.
        start: of the part looked at, the beginning of a line or sentence.
        end: of that part; ``None`` for the text's.
    """
    end = len(text) if end is None else end
    for match in _MARKS.finditer(text, start, end):
        marks = match.group()
        if not _ALWAYS_SET.isdisjoint(marks) or _ends_here(text, match, start, end):
            yield match.end()


def _ends_here(text: str, match: re.Match[str], start: int, end: int) -> bool:
    stop = match.end()
    if stop >= end:
        return True
    if not text[stop].isspace():
        # "多少?我不知道": ASCII marks among CJK letters.
        return match.group()[0] in "!?" and _WIDE.match(text[stop]) is not None
    following = text[stop : stop + _LOOK_BACK].split(maxsplit=1)
    if not following:
        return True
    after = following[0].lstrip("\"'“‘«([*_`¿¡„")
    if after[:1].islower():
        return False
    return match.group()[0] != "." or not _is_short_form(text, match, start, after)


def _is_short_form(text: str, match: re.Match[str], start: int, after: str) -> bool:
    """Whether the full stop belongs to what is before it."""
    begin = max(start, match.start() - _LOOK_BACK)
    before = text[begin : match.start()].rsplit(maxsplit=1)
    if not before or match.group().startswith(".."):
        return False
    word = before[-1].lstrip("\"'“‘«([*_`")
    if word.isdecimal():
        # "1. Close the valve" at the start of a line, not "in 1936. Later".
        return len(word) <= 3 and not text[begin : match.start()].removesuffix(word).strip("\"'“‘«([*_` \t\n")
    if len(word) == 1:
        # An initial, but not a pronoun, a grade or a letter of a script that has no small ones.
        return word.isupper() and word != "I"
    folded = word.casefold()
    if folded in _ABBREVIATIONS:
        return True
    if folded in _BEFORE_NUMBERS:
        return _NUMBERED.match(after) is not None
    if _DOTTED.fullmatch(word):
        following = _WORD.match(after)
        return following is not None and following.group() not in _STARTERS
    return False
