"""Exact duplicates, after folding what does not change a text's meaning."""

from __future__ import annotations

import hashlib
import re

from curator.gates.drop import Drop
from curator.gates.normal_form import nfc

# Part of every fingerprint: fingerprints of two versions of the folding never meet.
VERSION = "nfc-2"
# Every space that Unicode has, but no line end.
_INNER_SPACES = re.compile(r"(?<=\S)[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


def fingerprint(text: str) -> str:
    """Hash of the text in NFC, with line ends unified and runs of spaces inside lines folded.

    Indentation, case and punctuation count: they tell code from code.
    """
    lines = nfc(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    folded = "\n".join(_INNER_SPACES.sub(" ", line).rstrip() for line in lines).strip("\n")
    return hashlib.sha256(f"{VERSION}\n{folded}".encode("utf-8", "surrogatepass")).hexdigest()


def check_duplicate(owner: str | None) -> Drop | None:
    """Refuse a text that another name already holds."""
    return None if owner is None else Drop("duplicate", f"same text as {owner}")


class Duplicates:
    """Remembers every text it is asked about, by its fingerprint."""

    def __init__(self) -> None:
        self._owner: dict[str, str] = {}

    def owner(self, name: str, text: str) -> str | None:
        """Who else had this text before; without one it is remembered under ``name``."""
        owner = self._owner.setdefault(fingerprint(text), name)
        return None if owner == name else owner
