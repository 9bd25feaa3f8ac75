"""Cheap looks at a whole text: what it cannot hold is not searched for.

A text without any clue costs a few passes over its bytes. A clue may be there without personal data, never the
other way round.
"""

from __future__ import annotations

import re
import string

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
# What may stand between the digits of a number; the last two bytes are a space without break.
_BETWEEN_DIGITS = b" -.()/\xc2\xa0"
_TOKEN_CHARS = (string.ascii_letters + string.digits + "_-").encode()
_TOKEN = bytes.maketrans(_TOKEN_CHARS, b"a" * len(_TOKEN_CHARS))
_NAMES = bytes.maketrans(string.ascii_uppercase.encode() + b":", string.ascii_lowercase.encode() + b"=")
_BETWEEN_NAME_AND_VALUE = b" \t\"'"
# Behind the ends of "password", "passwd", "passphrase", "secret", "token", "key". The sign comes first: one fixed
# byte is found fastest.
_NAMED_SIGN = re.compile(rb"=(?<=(?:rd|wd|se|et|en|ey)=)")
# The shortest token that is looked for.
MIN_TOKEN = 20
_MIN_DIGITS = 7
# Of an IPv6 address without abbreviation.
_MAX_COLONS = 7


class Clues:
    """What a text may hold.

    Args:
        text: any text.
    """

    def __init__(self, text: str) -> None:
        self._bytes = text.encode("utf-8", "surrogatepass")
        self._digits = self._bytes.translate(_DIGITS)

    def long_numbers(self) -> bool:
        """Whether seven digits follow each other with nothing but separators between them."""
        if self._digits.count(b"0") < _MIN_DIGITS:
            return False
        return b"0" * _MIN_DIGITS in self._digits.translate(None, _BETWEEN_DIGITS)

    def ip_addresses(self) -> bool:
        """Whether digits stand around a dot, or colons as in IPv6."""
        colons = self._bytes.count(b":")
        return b"0.0" in self._digits or colons >= _MAX_COLONS or (colons > 1 and b"::" in self._bytes)

    def tokens(self) -> bool:
        """Whether a word of letters, digits, ``-`` and ``_`` is as long as a token."""
        return b"a" * MIN_TOKEN in self._bytes.translate(_TOKEN)

    def named_values(self) -> bool:
        """Whether a sign stands behind what may be the name of a secret."""
        return _NAMED_SIGN.search(self._bytes.translate(_NAMES, _BETWEEN_NAME_AND_VALUE)) is not None
