"""Exact duplicates, after folding what does not change a text's meaning."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from curator.gates.drop import Drop

# Part of every fingerprint: fingerprints of two versions of the folding never meet.
VERSION = "nfc-1"
_INNER_SPACES = re.compile(r"(?<=\S)[ \t\u00a0]+")


def fingerprint(text: str) -> str:
    """Hash of the text in NFC, with line ends unified and runs of spaces inside lines folded.

    Indentation, case and punctuation count: they tell code from code.
    """
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    folded = "\n".join(_INNER_SPACES.sub(" ", line).rstrip() for line in lines).strip("\n")
    return hashlib.sha256(f"{VERSION}\n{folded}".encode("utf-8", "surrogatepass")).hexdigest()


class Duplicates:
    """Remembers what was taken."""

    def __init__(self) -> None:
        self._owner: dict[str, str] = {}

    def check(self, name: str, text: str) -> Drop | None:
        """Refuse a text that another name already holds; else remember it under ``name``."""
        owner = self._owner.setdefault(fingerprint(text), name)
        return None if owner == name else Drop("duplicate", f"same text as {owner}")
