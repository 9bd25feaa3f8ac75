"""Code, formulas, tables of numbers and ids by rule: text with no linguistic content."""

from __future__ import annotations

import itertools
import math
import re

# What code, markup and formulas write, and prose hardly ever does.
# Most characters are a small letter before another, or a space before a word: nothing begins there but a line.
_MARKS = re.compile(
    r"(?:(?![a-z][^(:_\[.A-Z]| [^=+<>])|^)(?:"
    r"[{}]|;[ \t]*$|[A-Za-z0-9_]\((?!s\))|[])]\)|(?<![=\w-])(?:[=!<>+*/|&:-]=|[=-]>)(?![=-])|\w::\w|&&|\|\||"
    r" [=+<>] |[^\W_]_[^\W_]|[a-z][A-Z]\w*|</?[A-Za-z]|/>|\\[A-Za-z]+|\$\w|\w\[|[\w\])]\.[a-z]\w*[.(\[=]|\"\w+\":|"
    r"\b0x[0-9A-Fa-f]|[\"'][,:][ \t]*(?:$|[\"'\d(\[])|"
    r"^[ \t]*(?://|/\*|#!|#include\b|(?:def|class|import|require|return|yield|local|end$)(?!\S)|from \S+ import\b|"
    r"(?:if|elif|else|for|while|try|except|with)\b.*:$)|"
    r"\b(?:SELECT|FROM|WHERE|INSERT INTO|VALUES|UPDATE|ORDER BY|GROUP BY|CREATE TABLE)\b)",
    re.MULTILINE,
)
# Text with none of these has hardly a mark; looking for them first halves what prose costs.
_SIGNS = (
    "{", "}", "[", "]", "<", ">", "=", "_", "\\", "$", "|", ";\n", "()", '("', "('", "',", "':", '",', '":', "::",
    "//", "0x", "SELECT ", "import ", "require ", "return ", ":\n",
)  # fmt: skip
# A word of prose: letters, whole between spaces but for punctuation, emphasis, hyphens and apostrophes.
_WORD = re.compile(r"[(\[\"'«„“‘¿¡*_#@-]*[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)\]\"'»”“’*_…-]*")
# Ids mix letters and digits, tables have rows, formulas have signs between numbers.
_IDS_OR_ROWS = re.compile(r"[A-Za-z]\d|\d[A-Za-z]|\S[ \t]*\n\s*\S|\d ?[=+*/^<>×÷] ?\d")
# Letters from Greek on are of scripts whose words may have no spaces, or marks that are no letters.
_OTHER_SCRIPTS = re.compile("[\u0370-\u1fff\u2c00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+")
# Their characters: this many are a word, and one is worth so many letters of one.
_CHARS_A_WORD, _LETTERS_A_CHAR = 3, 2
# One mark for five words: 92 in 100 pieces of Python's library and 96 of programs in 21 languages have more (the
# others are comments mostly), as do none of 2,280 pieces of prose in 37 languages.
_MIN_MARKS, _MARKS_A_WORD = 2, 0.2
_MAX_WORD_CHARS = 0.3


def has_no_language(text: str) -> bool:
    """Whether a text is code, a formula, a table of numbers or ids rather than words of a language.

    Prose that quotes some code, is marked up, or lists names or links is not. Neither are digits alone, which
    are no evidence of anything.

    Args:
        text: without its links; some hundred characters.
    """
    tokens = text.split()
    has_signs = any(map(text.__contains__, _SIGNS))
    # Most prose is known by this alone.
    if not has_signs and sum(map(len, filter(str.isalpha, tokens))) > _MAX_WORD_CHARS * len(text):
        return False
    # The question before the pattern is cheap, and true of most words.
    words = [token for token in tokens if token.isalpha() or _WORD.fullmatch(token)]
    others = 0 if text.isascii() else sum(map(len, _OTHER_SCRIPTS.findall(text)))
    if has_signs:
        needed = math.ceil(max(_MIN_MARKS, _MARKS_A_WORD * (1 + len(words) + others / _CHARS_A_WORD)))
        if next(itertools.islice(_MARKS.finditer(text), needed - 1, None), None) is not None:
            return True
    in_words = sum(map(len, words)) + _LETTERS_A_CHAR * others
    return in_words <= _MAX_WORD_CHARS * sum(map(len, tokens)) and _IDS_OR_ROWS.search(text) is not None
