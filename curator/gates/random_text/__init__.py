"""Random text: strings and words that no language and no program put together."""

from curator.gates.random_text.cut import cut_random_text
from curator.gates.random_text.find import find_random_text, find_random_texts
from curator.gates.random_text.found import RandomSpan, RandomText, check_random_text

# Part of every stored score: scores of two versions are not compared.
VERSION = "7"

__all__ = [
    "VERSION",
    "RandomSpan",
    "RandomText",
    "check_random_text",
    "cut_random_text",
    "find_random_text",
    "find_random_texts",
]
