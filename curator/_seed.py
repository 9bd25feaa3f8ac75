"""Randomness that depends on names, never on the order in which things happen.

Every random choice is a pure function of (seed, labels). Two workers, a resumed run and another
``PYTHONHASHSEED`` therefore choose the same.
"""

from __future__ import annotations

import hashlib
import random

Label = str | int


def stable_hash(*labels: Label) -> int:
    """A 64-bit number from the labels: BLAKE2b over their length-prefixed text."""
    digest = hashlib.blake2b(digest_size=8)
    for label in labels:
        text = f"{type(label).__name__}:{label}".encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text)
    return int.from_bytes(digest.digest(), "big")


def rng(*labels: Label) -> random.Random:
    """A generator of its own for these labels."""
    return random.Random(stable_hash(*labels))
