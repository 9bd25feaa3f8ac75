"""Continuity of code, by its lines and without a model: neighbouring lines use the same names at the same depth.

Code has no sentences, and an embedder of prose tells its lines apart worse than their identifiers do. The score is
that of ``continuity`` with S = D(C) + 0.5 · D(-|depths' difference|), C: cosines of TF-IDF vectors of names and
their parts (``read_rows`` counts as ``read_rows``, ``read`` and ``rows``). There is no band and no rule for lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curator.scores.continuity import DECAY, MIN_SENTENCES, ContinuityScore
from curator.scores.lexical import tfidf
from curator.scores.mantel import cosines, decay_kernel, double_centred, mantel
from curator.scores.sentences import Sentence

_TAB = 4
# Deeper than any code; a hostile line has a million spaces.
_DEEPEST = 40
_DEPTH_WEIGHT = 0.5
_IDENTIFIER = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")


def code_lines(text: str) -> list[Sentence]:
    """The lines with any sign on them, in order, each with its indentation."""
    found, start = [], 0
    for line in text.split("\n"):
        kept = line.rstrip()
        if kept:
            found.append(Sentence(kept, start, start + len(kept)))
        start += len(line) + 1
    return found


def code_continuity(lines: Sequence[str]) -> ContinuityScore:
    """Score the lines of one window, in their order.

    Args:
        lines: with their indentation; fewer than four give z = 0.0.
    """
    count = len(lines)
    if count < MIN_SENTENCES:
        return ContinuityScore(0.0, 0.0, 0.0, 0.0, count, banded=False)
    alike = double_centred(cosines(tfidf([_identifiers(line) for line in lines])))
    both = alike + _DEPTH_WEIGHT * double_centred(_same_depth(lines))
    z = mantel(decay_kernel(count, DECAY), both).z
    return ContinuityScore(round(z, 3), 0.0, 0.0, 0.0, count, banded=False)


def _identifiers(line: str) -> list[str]:
    # The beginning of a line says what it is about; a minified file is one line.
    names = _IDENTIFIER.findall(line[:1000])
    return names + [f"{part.casefold()}-" for name in names for part in _PART.findall(name)]


def _same_depth(lines: Sequence[str]) -> NDArray[np.float64]:
    depths = np.array([min(_indentation(line), _DEEPEST) for line in lines], dtype=np.float64)
    return -np.abs(depths[:, None] - depths[None, :])


def _indentation(line: str) -> int:
    head = line[:_DEEPEST].expandtabs(_TAB)
    return len(head) - len(head.lstrip())
