"""Which script a text is written in, and the language that this alone tells."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping

# Scripts that one language uses in practice, or one so much more than the others that the guess is fair.
ONE_LANGUAGE = {
    "ARMENIAN": "hy", "BENGALI": "bn", "CHEROKEE": "chr", "CJK": "zh", "ETHIOPIC": "am", "GEORGIAN": "ka",
    "GREEK": "el", "GUJARATI": "gu", "GURMUKHI": "pa", "HANGUL": "ko", "HEBREW": "he", "KANA": "ja",
    "KANNADA": "kn", "KHMER": "km", "LAO": "lo", "MALAYALAM": "ml", "MONGOLIAN": "mn", "MYANMAR": "my",
    "NKO": "nqo", "ORIYA": "or", "SINHALA": "si", "SYRIAC": "syr", "TAMIL": "ta", "TELUGU": "te", "THAANA": "dv",
    "THAI": "th", "TIBETAN": "bo", "TIFINAGH": "zgh",
}  # fmt: skip
# Languages that a detector may answer for the other scripts that it knows; every other one is Latin's.
SHARED = {
    "ARABIC": frozenset({"ar", "ary", "arz", "az", "ckb", "fa", "ks", "ku", "pa", "ps", "sd", "ug", "ur", "uz"}),
    "CYRILLIC": frozenset({
        "ba", "be", "bg", "ce", "crh", "cv", "kk", "ky", "mk", "mn", "os", "ru", "sr", "tg", "tk", "tt", "uk",
        "uz",
    }),
    "DEVANAGARI": frozenset({"bho", "gom", "hi", "mai", "mr", "ne", "new", "sa"}),
}  # fmt: skip
LATIN = "LATIN"
_IN_LATIN_TOO = {"az", "crh", "ku", "sr", "tk", "uz"}
_NOT_LATIN = frozenset(ONE_LANGUAGE.values()).union(*SHARED.values()) - _IN_LATIN_TOO
# Names of characters that begin with another word than their script's.
_FIRST_WORDS = {
    "FULLWIDTH": LATIN, "HALFWIDTH": "KANA", "HIRAGANA": "KANA", "IDEOGRAPHIC": "CJK", "KATAKANA": "KANA",
    "KATAKANA-HIRAGANA": "KANA", "MODIFIER": "", "MATHEMATICAL": "", "DOUBLE-STRUCK": "", "SCRIPT": "", "?": "",
}  # fmt: skip
# What a letter weighs against a Latin one: a character that is a syllable or a word says as much as some letters.
# Other scripts weigh a little more too, because text in them quotes English, and English seldom quotes them.
_WEIGHTS = {"CJK": 4.0, "HANGUL": 3.0, "KANA": 2.5, "ETHIOPIC": 2.5, LATIN: 1.0}
_OTHER_WEIGHT = 1.25
# Share of kana among kana and Han from which on a text is Japanese; Chinese text quotes a character or two.
_JAPANESE = 0.06


def weigh_scripts(letters: Mapping[str, int]) -> dict[str, float]:
    """Evidence for each script, in Latin letters; Han counts as Japanese where there is kana with it."""
    totals: dict[str, int] = {}
    for char, count in letters.items():
        name = script_of(char)
        totals[name] = totals.get(name, 0) + count
    totals.pop("", None)
    weights = {name: total * _WEIGHTS.get(name, _OTHER_WEIGHT) for name, total in totals.items()}
    kana, han = weights.get("KANA", 0), weights.get("CJK", 0)
    if kana and han and kana >= _JAPANESE * (kana + han):
        weights["KANA"] += weights.pop("CJK")
    return weights


@functools.lru_cache(maxsize=10_000)
def script_of(char: str) -> str:
    """Script of a letter or of a mark on one, by its Unicode name; empty for anything else."""
    if unicodedata.category(char)[0] not in "LM":
        return ""
    first = unicodedata.name(char, "?").split(maxsplit=1)[0]
    return _FIRST_WORDS.get(first, first)


def is_written_in(language: str, script: str) -> bool:
    """Whether a detector's answer can be in the script that the text is written in."""
    return language in SHARED[script] if script in SHARED else language not in _NOT_LATIN
