"""Exact duplicates, after folding what does not change a text's meaning."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curator.gates.drop import Drop
from curator.gates.normal_form import nfc

# Part of every fingerprint: fingerprints of two versions of the folding never meet.
VERSION = "nfc-2"
# Every other space that Unicode has, but no line end.
_OTHER_SPACES = (
    "\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
# Runs behind a character of the line, which is looked for behind the first space: a pattern that begins with given
# characters is fast. Most texts have plain spaces only.
_PLAIN_RUN = re.compile(r"  (?<=\S  ) *")
_INNER_SPACES = re.compile(rf" (?<=\S )[ {_OTHER_SPACES}]+|[{_OTHER_SPACES}](?<=\S.)[ {_OTHER_SPACES}]*")


def fingerprint(text: str) -> str:
    """Hash of the text in NFC, with line ends unified and runs of spaces inside lines folded.

    Indentation, case and punctuation count: they tell code from code.
    """
    unified = nfc(text).replace("\r\n", "\n").replace("\r", "\n")
    others = "\t" if unified.isascii() else _OTHER_SPACES
    if any(map(unified.__contains__, others)):
        unified = _INNER_SPACES.sub(" ", unified)
    elif "  " in unified:
        unified = _PLAIN_RUN.sub(" ", unified)
    folded = "\n".join(map(str.rstrip, unified.split("\n"))).strip("\n")
    return hashlib.sha256(f"{VERSION}\n{folded}".encode("utf-8", "surrogatepass")).hexdigest()


def check_duplicate(owner: str | None) -> Drop | None:
    """Refuse a text that another name already holds."""
    return None if owner is None else Drop("duplicate", f"same text as {owner}")


def duplicate_keys(texts: Sequence[str]) -> list[NDArray[np.int64]]:
    """Of each text one number; only texts with the same one can be duplicates of each other."""
    return [np.array([int(fingerprint(text)[:15], 16)], np.int64) for text in texts]


class Duplicates:
    """Remembers every text it is asked about, by its fingerprint."""

    def __init__(self) -> None:
        self._owner: dict[str, str] = {}

    def owner(self, name: str, text: str) -> str | None:
        """Who else had this text before; without one it is remembered under ``name``."""
        owner = self._owner.setdefault(fingerprint(text), name)
        return None if owner == name else owner
