"""What is measured once, whoever asks for it: one set, quantised one way, of one model.

A piece's folder is named by the hash of what goes into it. A recipe that was renamed, edited and edited back, or
added, and a method or a draw that was added, therefore find what was measured before; scores in it also carry the
hash of the baseline that they were taken against (see measure_arm.py).
"""

from __future__ import annotations

from pathlib import Path

from curator._files import json_sha256
from curator.rank.plan import Plan
from curator.recipe.quantize_settings import QuantizeSettings

PIECES = "pieces"
# Enough digits that two of any number of pieces that fit on a disk do not meet.
_DIGITS = 16


def piece_folder(plan: Plan, settings: QuantizeSettings, set_hash: str) -> Path:
    """Where all that is made of a set under one method is kept; ``set_hash`` is empty without a set."""
    content = [plan.model_hash, settings.used(), set_hash]
    return plan.out / PIECES / json_sha256(content)[:_DIGITS]
