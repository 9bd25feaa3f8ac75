"""Language by langdetect, made repeatable and safe."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from curator.gates.drop import Drop

UNDETERMINED = "und"
# Enough for a stable answer; langdetect's cost grows with length.
_CHARS = 1000
# langdetect's names for Chinese, and BCP 47's.
_CODES = {"zh-cn": "zh", "zh-tw": "zh"}
# Scripts of the languages that langdetect knows; for any other it names a language all the same.
_SCRIPTS = {
    "ARABIC", "BENGALI", "CJK", "CYRILLIC", "DEVANAGARI", "GREEK", "GUJARATI", "GURMUKHI", "HANGUL", "HEBREW",
    "HIRAGANA", "KANNADA", "KATAKANA", "LATIN", "MALAYALAM", "TAMIL", "TELUGU", "THAI",
}  # fmt: skip
# Scripts without spaces between words, or whose characters are syllables, say more with fewer letters.
_DENSE = {"CJK", "HANGUL", "HIRAGANA", "KATAKANA", "THAI"}
_MIN_LETTERS, _MIN_DENSE = 20, 6
# Links, commands of TeX, and words with digits in them are written alike in every language.
_NO_LANGUAGE = re.compile(r"https?://\S+|\\[A-Za-z]+|\S*@\S+|\w*\d\w*")


def detect_language(text: str) -> str:
    """BCP 47 language of a text, ``und`` without evidence.

    No evidence are digits, links, commands of TeX, fewer than 20 letters, or a script that langdetect does
    not know.
    """
    from langdetect import DetectorFactory, detect
    from langdetect.lang_detect_exception import LangDetectException

    words = _NO_LANGUAGE.sub(" ", text[:_CHARS])
    if not _has_evidence(words):
        return UNDETERMINED
    # Capitals alone look like no language to the detector.
    if sum(map(str.isupper, words)) > sum(map(str.islower, words)):
        words = words.lower()
    # langdetect draws random numbers; with a seed every call starts from the same state.
    DetectorFactory.seed = 0
    try:
        code = str(detect(words))
    except LangDetectException:
        return UNDETERMINED
    return _CODES.get(code, code)


def check_language(text: str, allow: list[str]) -> Drop | None:
    """Refuse text in a language that is not allowed."""
    found = detect_language(text)
    return None if found in allow else Drop("language", f"{found}, not one of {', '.join(allow)}")


def _has_evidence(words: str) -> bool:
    scripts = Counter(unicodedata.name(char, "?").split(maxsplit=1)[0] for char in words if char.isalpha())
    known = sum(count for script, count in scripts.items() if script in _SCRIPTS)
    dense = sum(count for script, count in scripts.items() if script in _DENSE)
    enough = known >= _MIN_LETTERS or dense >= _MIN_DENSE
    return enough and 2 * known > scripts.total()
