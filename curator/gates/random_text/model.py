"""How likely a window of a text is junk: a small network over what the window is made of."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.scan import (
    CLASSES,
    EAST,
    EAST_KNOWN,
    HABIT,
    NEIGHBOURS,
    TRIPLES,
    WORD_KINDS,
    WORD_LINKS,
    WORD_RANKS,
    WORDS,
    Scan,
)
from curator.gates.random_text.symbols import Class

_FILE = Path(__file__).with_name("model.npz")
_FEW_WORDS, _FEW_TRIPLES = 6, 16
"""Words and triples that a window is given besides its own, so that one of a few says little."""

_FEATURES = TRIPLES + 15
_FEW_DIGITS = 0.03
_CASED, _MASHED_TRIPLES, _MASHED_HABIT, _CERTAIN = 0.75, 24, -0.6, 2.0

Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the network: features, a layer of detectors, their sum.

    Attributes:
        detectors: [features, detectors].
        offsets: of the detectors; [detectors].
        votes: what each detector adds; [detectors].
        thresholds: sums of votes from which a window is junk: for narrow windows and for wide ones.
    """

    detectors: Numbers
    offsets: Numbers
    votes: Numbers
    thresholds: tuple[float, float]

    def logits(self, seen: Scan, *, wide: bool) -> Numbers:
        """Log odds that each window is junk, 0 at the threshold; [windows]."""
        active = np.maximum(features(seen) @ self.detectors + self.offsets, 0)
        logits: Numbers = active @ self.votes - np.float32(self.thresholds[wide])
        mash = _is_mash(seen)
        return np.maximum(logits, np.where(mash, np.float32(_CERTAIN), -np.inf)) if mash.any() else logits


def _is_mash(seen: Scan) -> NDArray[np.bool_]:
    """Windows of little but letters of a script with case, in triples that no known language has.

    The network has learnt from few texts like that in other letters than Latin ones.
    """
    counts = seen.counts
    found: NDArray[np.bool_] = counts[:, HABIT] <= _MASHED_HABIT * counts[:, TRIPLES]
    found &= counts[:, TRIPLES] >= _MASHED_TRIPLES
    if not found.any():
        return found
    ends = counts[:, NEIGHBOURS].reshape(len(counts), CLASSES, CLASSES).sum(1)
    found &= ends[:, Class.LOWER : Class.OTHER_UPPER + 1].sum(1) >= _CASED * ends.sum(1)
    # Digests are letters and digits.
    found &= ends[:, Class.DIGIT] <= _FEW_DIGITS * ends.sum(1)
    return found


def features(seen: Scan) -> Numbers:
    """What each window and, half as much, its neighbours are made of; [windows, features].

    Roots of shares: they tell one from two of a hundred better than fifty from sixty.
    """
    counts = seen.counts * 2
    counts[1:] += seen.counts[:-1]
    counts[:-1] += seen.counts[1:]
    chars = np.maximum(counts[:, NEIGHBOURS].sum(1), 1)
    words = counts[:, WORDS].sum(1)
    usual = counts[:, HABIT] / (counts[:, TRIPLES] + _FEW_TRIPLES) / 5
    out = np.empty((len(counts), _FEATURES), np.float32)
    np.divide(counts[:, NEIGHBOURS], chars[:, None], out=out[:, NEIGHBOURS])
    np.divide(counts[:, WORDS], words[:, None] + _FEW_WORDS, out=out[:, WORDS])
    out[:, TRIPLES] = counts[:, EAST_KNOWN] / (counts[:, EAST] + _FEW_WORDS)
    np.sqrt(out[:, : TRIPLES + 1], out=out[:, : TRIPLES + 1])
    out[:, TRIPLES + 1 :] = np.stack(
        [
            counts[:, EAST] / chars,
            usual,
            np.minimum(usual, 0),
            counts[:, TRIPLES] / chars,
            4 * words / chars,
            np.log(chars) / 10,
            *_known(counts, chars, words),
        ],
        axis=1,
    )
    return out


def _known(counts: Numbers, chars: Numbers, words: Numbers) -> list[Numbers]:
    """How much of a window the tables know, and how much of what they know stands in a known order."""
    kinds = counts[:, WORDS] @ _sums()
    common, frequent, stop, seen, unseen, after_stop = kinds.T
    linked = seen + unseen + after_stop + _FEW_WORDS
    unknown = counts[:, EAST] - counts[:, EAST_KNOWN]
    return [
        common / (words + _FEW_WORDS),
        (frequent + stop) / (words + _FEW_WORDS),
        seen / linked,
        (unseen + after_stop) / linked,
        np.maximum(0.5 - seen / linked, 0) * np.minimum(linked / 20, 1),
        unknown / chars,
        unknown / (counts[:, EAST] + _FEW_WORDS),
        np.maximum(0.5 - counts[:, EAST_KNOWN] / (counts[:, EAST] + _FEW_WORDS), 0),
    ]


@functools.cache
def _sums() -> Numbers:
    """Which kinds of words are added up: by rank (1, 2, 3) and by link (3 for seen, 2, 1)."""
    kind = np.arange(WORD_KINDS)
    rank, link = kind // (WORD_KINDS // WORD_RANKS), kind % WORD_LINKS
    chosen = [
        rank > 0,
        rank == WORD_RANKS - 2,
        rank == WORD_RANKS - 1,
        link == WORD_LINKS - 1,
        link == 2,
        link == 1,
    ]
    return np.stack(chosen, axis=1).astype(np.float32)


@functools.cache
def load_model() -> Model:
    """The weights next to this module."""
    with np.load(_FILE) as stored:
        return model_of(dict(stored))


def model_of(stored: dict[str, NDArray[np.float16]]) -> Model:
    """The model of stored arrays."""
    wide = {name: values.astype(np.float32) for name, values in stored.items()}
    return Model(
        wide["detectors"],
        wide["offsets"],
        wide["votes"],
        (float(wide["thresholds"][0]), float(wide["thresholds"][1])),
    )
