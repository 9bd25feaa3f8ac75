"""Cheap looks at a whole text: what it cannot hold is not searched for.

A text without any clue costs a few passes over its bytes. A clue may be there without personal data, never the
other way round.
"""

from __future__ import annotations

import re
import string

from curator.gates.personal_data.tokens import TOKEN_STARTS

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
# What may stand between the digits of a number; the last two bytes are a space without break.
_BETWEEN_DIGITS = b" -.()/\xc2\xa0"
_TOKEN_CHARS = (string.ascii_letters + string.digits + "_-").encode()
_TOKEN = bytes.maketrans(_TOKEN_CHARS, b"a" * len(_TOKEN_CHARS))
_NAMES = bytes.maketrans(string.ascii_uppercase.encode() + b":", string.ascii_lowercase.encode() + b"=")
_BETWEEN_NAME_AND_VALUE = b" \t\"'"
# Behind the ends of "password", "passwd", "passphrase", "secret", "token", and of "key" behind a word that makes
# it a secret. The sign comes first: one fixed byte is found fastest.
_NAMED_SIGN = re.compile(rb"=(?<=(?:word|sswd|rase|cret|oken|[siet_-]key)=)")
# Likewise four short numbers between dots, and four hexadecimal digits before a colon.
_FOUR_PARTS = re.compile(rb"\.(?<=0\.)0{1,3}\.0{1,3}\.0")
_COLON = re.compile(rb":(?<=[23][0-9A-Fa-f]{3}:)")
# The shortest token that is looked for, and what stands at its start, or just before it.
MIN_TOKEN = 20
_LONG_WORD = re.compile(b"a" * MIN_TOKEN + b"a*")
_TOKEN_START = re.compile("|".join(map(re.escape, TOKEN_STARTS)).encode())
_LONGEST_BEFORE = len("SG.")
_MIN_DIGITS = 7


class Clues:
    """What a text may hold.

    Args:
        text: any text.
    """

    def __init__(self, text: str) -> None:
        self._bytes = text.encode("utf-8", "surrogatepass")
        self._digits = self._bytes.translate(_DIGITS)
        self._names = self._bytes.translate(_NAMES, _BETWEEN_NAME_AND_VALUE)

    def long_numbers(self) -> bool:
        """Whether seven digits follow each other with nothing but separators between them."""
        if self._digits.count(b"0") < _MIN_DIGITS:
            return False
        return b"0" * _MIN_DIGITS in self._digits.translate(None, _BETWEEN_DIGITS)

    def ip_addresses(self) -> bool:
        """Whether four short numbers stand between dots, or a colon behind four digits as in IPv6."""
        return _FOUR_PARTS.search(self._digits) is not None or _COLON.search(self._bytes) is not None

    def tokens(self) -> bool:
        """Whether a word of letters, digits, ``-`` and ``_`` is as long as a token, and begins like one."""
        chars = self._bytes.translate(_TOKEN)
        # Most texts are told apart by this alone, which is faster.
        words = _LONG_WORD.finditer(chars) if b"a" * MIN_TOKEN in chars else ()
        spans = ((max(word.start() - _LONGEST_BEFORE, 0), word.end()) for word in words)
        return any(_TOKEN_START.search(self._bytes, *span) for span in spans)

    def header_values(self) -> bool:
        """Whether a header that carries a secret is named, or a link may have a user."""
        named = b"earer" in self._names or b"uthorization" in self._names
        return named or (b"@" in self._bytes and b"://" in self._bytes)

    def named_values(self) -> bool:
        """Whether a sign stands behind what may be the name of a secret."""
        return _NAMED_SIGN.search(self._names) is not None
