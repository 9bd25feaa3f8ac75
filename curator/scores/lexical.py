"""Likeness of sentences by their words, without a model: TF-IDF vectors within the document.

Words where words are parted by spaces; single characters and pairs of them in scripts that part none (Chinese,
Japanese, Thai, Lao, Myanmar, Khmer), of which the embedder may know little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curator.scores.mantel import cosines

# Runs of unspaced script, else words and numbers. Digits are one token: the numbers of a list are all different.
_TOKEN = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)|([^\W_]+)"
)
# Endings differ more than stems ("ferry", "ferries"; Turkish, Finnish): a long word also counts by its beginning.
_STEM = 5
# The commonest English words that are hardly words of another language.
_COMMON = """
the of and to that is was for it with as by this are be from which have not you they we or has its these their can
would been will were when there more one if an"""
_ENGLISH = frozenset(_COMMON.split())
# A sentence with so many of them is English. In English text at least 0.38 of the sentences are, in the manuals of
# packages 0.23, in twenty other languages 0.09 at most; the rest may be junk.
_COMMON_SHARE, _ENGLISH_SENTENCES = 0.18, 0.15
# Text half Chinese is no English text, though its sentences may be.
_LATIN_SHARE = 0.9
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_LETTER, _LATIN = re.compile(r"[^\W\d_]"), re.compile(r"[a-zA-Z]")


def terms(sentence: str) -> list[str]:
    """Words, beginnings of long words, and characters and pairs of them in unspaced scripts."""
    found: list[str] = []
    for run, word in _TOKEN.findall(sentence.casefold()):
        if run:
            found += run
            found += [run[at : at + 2] for at in range(len(run) - 1)]
        else:
            found.append(word)
            if len(word) > _STEM:
                found.append(word[:_STEM] + "-")
    return found


def tfidf(documents: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Vectors [n, terms] of n lists of terms: (1 + ln count) * ln(n / sentences with it).

    A term of one sentence alone is left out: it makes no two alike.
    """
    counts = [Counter(document) for document in documents]
    spread = Counter(term for count in counts for term in count)
    columns = {term: column for column, term in enumerate(term for term, number in spread.items() if number > 1)}
    vectors = np.zeros((len(counts), len(columns)))
    for row, count in enumerate(counts):
        for term, number in count.items():
            if (column := columns.get(term)) is not None:
                vectors[row, column] = 1 + np.log(number)
    weights = np.array([np.log(len(counts) / spread[term]) for term in columns])
    return vectors * weights if columns else vectors


def lexical_cosines(sentences: Sequence[str]) -> NDArray[np.float64]:
    """Cosines [n, n] of the sentences' TF-IDF vectors; a sentence that shares no word has zeros."""
    return cosines(tfidf([terms(sentence) for sentence in sentences]))


def is_english(sentences: Sequence[str]) -> bool:
    """Whether text is English by its common words, though most of it may be without any words."""
    english = sum(_has_common_words(sentence) for sentence in sentences)
    if not sentences or english < _ENGLISH_SENTENCES * len(sentences):
        return False
    text = "".join(sentences)
    return len(_LATIN.findall(text)) >= _LATIN_SHARE * len(_LETTER.findall(text))


def _has_common_words(sentence: str) -> bool:
    words = _WORD.findall(sentence.casefold())
    return bool(words) and sum(word in _ENGLISH for word in words) >= _COMMON_SHARE * len(words)
