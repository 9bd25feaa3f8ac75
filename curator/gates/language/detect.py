"""The language of a text: rules first, then the script, then English by its small words, then a detector."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curator.gates.language.codes import NO_LINGUISTIC_CONTENT, UNDETERMINED, canonical
from curator.gates.language.detectors import DEFAULT_DETECTOR, load_detector
from curator.gates.language.function_words import agree_with_words, is_english
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
_ENGLISH = "en"

_SMALL = string.ascii_lowercase.encode()
_NO_LETTERS = bytes(set(range(256)) - set(string.ascii_letters.encode()))
_ASCII = frozenset(map(chr, range(128)))


@dataclass(frozen=True, slots=True)
class _Question:
    """A text that rules do not tell the language of.

    Attributes:
        text: what a detector is asked.
        script: that it is written in.
        counts: how often it has each character beyond ASCII, and as a space all others; empty for ASCII.
        words: its words in small letters.
    """

    text: str
    script: str
    counts: Mapping[str, int]
    words: Sequence[str]


def detect_language(text: str, detector: str = DEFAULT_DETECTOR) -> str:
    """See `detect_languages`."""
    return detect_languages([text], detector)[0]


def detect_languages(texts: Sequence[str], detector: str = DEFAULT_DETECTOR) -> list[str]:
    """BCP 47 language of each text, from at most 400 of its characters.

    The same text has the same answer in every call, process and order of calls.

    Args:
        texts: any texts.
        detector: one of ``DETECTORS``; asked only where rule, script and small English words do not tell.

    Returns:
        ``zxx`` for code, formulas, tables of numbers and ids; ``und`` without enough evidence.

    Raises:
        InputError: there is no such detector.
        DependencyError: the detector's library is not installed.
    """
    chosen = load_detector(detector)
    told = list(map(_told_or_asked, texts))
    # One after another, so that the detector's tables stay in the processor's caches.
    guesses = iter([canonical(chosen.guess(one.text)) for one in told if isinstance(one, _Question)])
    return [_agreed(one, next(guesses)) if isinstance(one, _Question) else one for one in told]


def _told_or_asked(text: str) -> str | _Question:
    seen = _without_links(sample(text))
    if has_no_language(seen):
        return NO_LINGUISTIC_CONTENT
    words = _without_written_alike(seen) if _DIGIT_OR_PATH.search(seen) else seen
    return _of_latin(words) if words.isascii() else _of_any_script(words)


def _of_any_script(words: str) -> str | _Question:
    """By the script where one language has it, else to be asked about the letters of the commonest script."""
    # As `Counter` counts, at half of its cost for so few different characters; letters of ASCII all at once.
    counts = {char: words.count(char) for char in set(words) - _ASCII}
    counts[" "] = len(words) - sum(counts.values())
    plain = _plain_letters(words)
    scripts = weigh_scripts(counts | {"a": len(plain)} if plain else counts)
    if not scripts:
        return UNDETERMINED
    script, weight = max(scripts.items(), key=lambda item: (item[1], item[0]))
    if script in ONE_LANGUAGE:
        return ONE_LANGUAGE[script] if weight >= _MIN_OWN_SCRIPT else UNDETERMINED
    letters = set(plain.decode())
    different = len(letters) + sum(map(str.isalpha, counts))
    if weight < _MIN_LETTERS or different < _MIN_DIFFERENT or (script != LATIN and script not in SHARED):
        return UNDETERMINED
    if len(scripts) > 1:
        for char in (*counts, *letters):
            if script_of(char) not in (script, ""):
                words = words.replace(char, " ")
    upper = _capitals(plain) + sum([count for char, count in counts.items() if char.isupper()])
    return _unless_english(words, 2 * upper > weight, script, {} if words.isascii() else counts)


def _of_latin(words: str) -> str | _Question:
    """As `_of_any_script`, at a third of its cost, for ASCII alone."""
    letters = _plain_letters(words)
    if len(letters) < _MIN_LETTERS or len(set(letters)) < _MIN_DIFFERENT:
        return UNDETERMINED
    return _unless_english(words, 2 * _capitals(letters) > len(letters), LATIN, {})


def _plain_letters(words: str) -> bytes:
    return words.encode().translate(None, _NO_LETTERS)


def _capitals(letters: bytes) -> int:
    return len(letters.translate(None, _SMALL))


def _unless_english(words: str, is_upper: bool, script: str, counts: Mapping[str, int]) -> str | _Question:
    small = words.lower()
    # Capitals alone look like no language to the detectors.
    question = _Question(small if is_upper else words, script, counts, small.split())
    return _agreed(question, _ENGLISH) if is_english(question.words) else question


def _agreed(question: _Question, language: str) -> str:
    """An answer where script, letters and words agree."""
    if not is_written_in(language, question.script):
        return UNDETERMINED
    if question.counts:
        language = agree_with_letters(language, question.counts)
    return agree_with_words(language, question.words)


def _without_written_alike(text: str) -> str:
    # Word by word, since few have anything to be looked for.
    words = text.split(" ")
    return " ".join([word if word.isalpha() else _WRITTEN_ALIKE.sub(" ", word) for word in words])


def _without_links(text: str) -> str:
    if "@" in text or "://" in text or "www." in text:
        text = _LINKS.sub(" ", text)
    return text if text.isascii() else _SURROGATES.sub(" ", text)
