"""The language of a text: rules first, then the script, then a detector."""

from __future__ import annotations

import re
import string

from curator.gates.language.codes import NO_LINGUISTIC_CONTENT, UNDETERMINED, canonical
from curator.gates.language.detectors import DEFAULT_DETECTOR, Detector, load_detector
from curator.gates.language.function_words import agree_with_words
from curator.gates.language.letters import agree_with_letters
from curator.gates.language.no_language import has_no_language
from curator.gates.language.sample import sample
from curator.gates.language.scripts import LATIN, ONE_LANGUAGE, SHARED, is_written_in, script_of, weigh_scripts

_LINKS = re.compile(r"(?:[A-Za-z]{2,10}://|www\.)\S+|(?<!\S)[^\s@]++@\S+")
# Halves of characters, which no library takes.
_SURROGATES = re.compile("[\ud800-\udfff]")
# Words with digits in them, paths, names with underscores and commands of TeX are written alike in every language.
_WRITTEN_ALIKE = re.compile(r"(?<![!-~])[!-.0-\[\]^`-~]*+[/\\_][!-~]*|\b[^\W\d]*+\d\w*")
_DIGIT_OR_PATH = re.compile(r"[\d/\\_]")
# Evidence, in Latin letters, that a detector needs for a stable answer, and that a script of one language needs.
_MIN_LETTERS, _MIN_OWN_SCRIPT = 20, 9
# So many letters in words have twice as many different ones; laughter and keys held down do not.
_MIN_DIFFERENT = 6

_SMALL = string.ascii_lowercase.encode()
_NO_LETTERS = bytes(set(range(128)) - set(string.ascii_letters.encode()))


def detect_language(text: str, detector: str = DEFAULT_DETECTOR) -> str:
    """BCP 47 language of a text, from at most 400 of its characters.

    The same text has the same answer in every call, process and order of calls.

    Args:
        text: any text.
        detector: one of ``DETECTORS``; asked only where rule and script do not tell.

    Returns:
        ``zxx`` for code, formulas, tables of numbers and ids; ``und`` without enough evidence.

    Raises:
        InputError: there is no such detector.
        DependencyError: the detector's library is not installed.
    """
    chosen = load_detector(detector)
    seen = _without_links(sample(text))
    if has_no_language(seen):
        return NO_LINGUISTIC_CONTENT
    return _language_of(_without_written_alike(seen) if _DIGIT_OR_PATH.search(seen) else seen, chosen)


def _language_of(words: str, detector: Detector) -> str:
    """By the script where one language has it, and by the detector's agreed answer for the other scripts."""
    if words.isascii():
        return _latin_language_of(words, detector)
    # As `Counter` counts, at half of its cost for so few different characters.
    counts = {char: words.count(char) for char in set(words)}
    scripts = weigh_scripts(counts)
    if not scripts:
        return UNDETERMINED
    script, weight = max(scripts.items(), key=lambda item: (item[1], item[0]))
    if script in ONE_LANGUAGE:
        return ONE_LANGUAGE[script] if weight >= _MIN_OWN_SCRIPT else UNDETERMINED
    different = sum(map(str.isalpha, counts))
    if weight < _MIN_LETTERS or different < _MIN_DIFFERENT or (script != LATIN and script not in SHARED):
        return UNDETERMINED
    if len(scripts) > 1:
        for char in counts:
            if script_of(char) not in (script, ""):
                words = words.replace(char, " ")
    upper = sum([count for char, count in counts.items() if char.isupper()])
    language = _guess(words, 2 * upper > weight, detector)
    if not is_written_in(language, script):
        return UNDETERMINED
    if not words.isascii():
        language = agree_with_letters(language, counts)
    return agree_with_words(language, words)


def _latin_language_of(words: str, detector: Detector) -> str:
    """As `_language_of`, at a third of its cost, for ASCII alone."""
    letters = words.encode("ascii").translate(None, _NO_LETTERS)
    if len(letters) < _MIN_LETTERS or len(set(letters)) < _MIN_DIFFERENT:
        return UNDETERMINED
    upper = len(letters.translate(None, _SMALL))
    language = _guess(words, 2 * upper > len(letters), detector)
    return agree_with_words(language, words) if is_written_in(language, LATIN) else UNDETERMINED


def _guess(words: str, is_upper: bool, detector: Detector) -> str:
    # Capitals alone look like no language to the detectors.
    return canonical(detector.guess(words.lower() if is_upper else words))


def _without_written_alike(text: str) -> str:
    # Word by word, since few have anything to be looked for.
    words = text.split(" ")
    return " ".join([word if word.isalpha() else _WRITTEN_ALIKE.sub(" ", word) for word in words])


def _without_links(text: str) -> str:
    if "@" in text or "://" in text or "www." in text:
        text = _LINKS.sub(" ", text)
    return text if text.isascii() else _SURROGATES.sub(" ", text)
