"""One spelling for characters that Unicode can write in several ways."""

from __future__ import annotations

import functools
import re
import unicodedata

# Combining marks are sorted by insertion: a run of a million of them would take hours. A joiner after every 30, as
# in the stream-safe format of Unicode's annex 15, keeps runs short. Marks are no word characters in `re`.
_RUN = 30
_MARK = re.compile(r"[^\w\s\x00-\x7f]")
_MARKS = re.compile(r"[^\w\s\x00-\x7f]{30}")
_JOINER = "\u034f"


def nfc(text: str) -> str:
    """The text in normal form C, in time linear in its length; runs of over 30 marks are sorted in parts."""
    return text if text.isascii() else _nfc(text)


# Two gates ask about each text of a batch, the second one when all of the batch have been through the first.
@functools.lru_cache(maxsize=64)
def _nfc(text: str) -> str:
    # A run of 30 covers one of every 30 characters: most texts need no closer look.
    if _MARK.search(text[::_RUN]):
        text = _MARKS.sub(lambda run: run.group() + _JOINER, text)
    return unicodedata.normalize("NFC", text)
