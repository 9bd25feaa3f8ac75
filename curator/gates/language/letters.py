"""Letters that only some languages write, against a detector that does not know those languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

_WRITTEN_BY = {
    "az": "ə",
    "ba": "ыэәғҡңөүһҙҫ",
    "be": "ыэіў",
    "eo": "ĉĝĥĵŝŭ",
    "fa": "پچژگ",
    "fo": "ð",
    "is": "þð",
    "kk": "ыэіәғқңөұүһ",
    "ku": "پچژگڕڵۆێە",
    "ky": "ыэңөү",
    "mk": "јљњџѓќѕ",
    "mn": "ыэөү",
    "mt": "ġħċ",
    "ps": "پچژګټډړږښڼېۍ",
    "ru": "ыэ",
    "sd": "پچڄڃڇڏڊڌڙڳڱڻڪ",
    "sr": "јљњџђћ",
    "tg": "эғқҳҷӣӯ",
    "tt": "ыэәҗңөүһ",
    "ug": "پچژگڭۆۇۈۋېە",
    "uk": "іїєґ",
    "ur": "پچژگٹڈڑںھہے",
}
_WRITERS: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
for _language, _letters in _WRITTEN_BY.items():
    for _letter in _letters + _letters.upper():
        _WRITERS[_letter] |= {_language}
# A name from abroad has one or two such letters in a text of some hundred.
_MIN_LETTERS, _MIN_SHARE = 2, 0.005


def agree_with_letters(language: str, counts: Mapping[str, int]) -> str:
    """A detector's answer where its language writes the letters of the text.

    Args:
        language: the answer.
        counts: how often each character is in the text.

    Returns:
        The answer; where the text has letters that its language does not write, the one language that writes
        them all, or ``und`` where there is none or more than one.
    """
    foreign = [char for char in counts.keys() & _WRITERS.keys() if language not in _WRITERS[char]]
    found = sum(counts[char] for char in foreign)
    if found < _MIN_LETTERS or found < _MIN_SHARE * sum(counts.values()):
        return language
    writers = frozenset.intersection(*(_WRITERS[char] for char in foreign))
    return next(iter(writers)) if len(writers) == 1 else "und"
