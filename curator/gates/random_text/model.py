"""How likely a window of a text is junk: a small network over what the window is made of."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator.gates.random_text.scan import (
    CLASSES,
    NEIGHBOURS,
    SUMS,
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

_ORDERS = np.float32(6)
"""Half bits of three pairs of endings that are counted as one."""
_FEATURES = TRIPLES + 18
_FEW_DIGITS = 0.03
_CASED, _MASHED_TRIPLES, _MASHED_HABIT, _CERTAIN = 0.75, 24, -0.6, 2.0
_LARGE = np.float32(1.5 * 2**7)
"""Numbers from -64 to 64 are rounded to 16 places in base two."""

_ROUGH = 0.5
"""More than rough log odds are off: of 135,000 windows none was by more than 0.004."""

Numbers = NDArray[np.float32]
Exact = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the network: features, a layer of detectors, their sum.

    Attributes:
        detectors: [features, detectors].
        offsets: of the detectors; [detectors].
        votes: what each detector adds; [detectors].
        thresholds: sums of votes from which a window is junk: for narrow windows and for wide ones.
    """

    detectors: Exact
    offsets: Exact
    votes: Exact
    thresholds: tuple[float, float]

    def logits(self, seen: Scan, *, wide: bool, least: float = -math.inf) -> Exact:
        """Log odds that each window is junk, 0 at the threshold; minus infinity between texts.

        Args:
            seen: the windows.
            wide: whether they are wide ones.
            least: log odds below this are told roughly only, which costs half.
        """
        numbers, made = _features(seen)
        detectors = self.detectors.take(numbers, 0)
        if least > -math.inf:
            logits = self._rough(made, detectors, wide).astype(np.float64)
            rows = np.flatnonzero(logits >= least - _ROUGH)
            logits[rows] = self._exact(made.take(rows, 0), detectors, wide)
        else:
            logits = self._exact(made, detectors, wide)
        mash = _mash(seen)
        logits[mash] = np.maximum(logits[mash], _CERTAIN)
        logits[seen.first[1:-1] - 1] = -np.inf
        return logits

    def _exact(self, made: Numbers, detectors: Exact, wide: bool) -> Exact:
        active = np.maximum(_round(made) @ detectors + self.offsets, 0)
        out: Exact = _round(active.astype(np.float32)) @ self.votes - self.thresholds[wide]
        return out

    def _rough(self, made: Numbers, detectors: Exact, wide: bool) -> Numbers:
        active = made @ detectors.astype(np.float32)
        active += self.offsets.astype(np.float32)
        out: Numbers = np.maximum(active, 0, out=active) @ self.votes.astype(np.float32)
        return out - np.float32(self.thresholds[wide])


def _round(numbers: Numbers) -> Exact:
    """Round to so few places that sums of products with the weights are exact.

    BLAS adds up in an order that depends on the matrices' shapes. As exact sums are the same in any order, what
    is found in a text does not depend on the texts that it is looked at with.
    """
    # Beside a number as large as this there is no room for more places.
    numbers += _LARGE
    numbers -= _LARGE
    return numbers.astype(np.float64)


def _mash(seen: Scan) -> NDArray[np.intp]:
    """Windows of little but letters of a script with case, in triples that no known language has.

    The network has learnt from few texts like that in other letters than Latin ones.
    """
    triples, habit, *_ = seen.counts[:, -SUMS:].T
    found: NDArray[np.intp] = np.flatnonzero((habit <= _MASHED_HABIT * triples) & (triples >= _MASHED_TRIPLES))
    if not len(found):
        return found
    pairs = np.zeros((len(found), CLASSES, CLASSES), np.float32)
    known = seen.columns[: np.searchsorted(seen.columns, NEIGHBOURS.stop)]
    pairs.reshape(len(found), -1)[:, known] = seen.counts[found, : len(known)]
    ends = pairs.sum(1)
    cased = ends[:, Class.LOWER : Class.OTHER_UPPER + 1].sum(1) >= _CASED * ends.sum(1)
    # Digests are letters and digits.
    cased &= ends[:, Class.DIGIT] <= _FEW_DIGITS * ends.sum(1)
    return found.compress(cased)


def features(seen: Scan) -> Numbers:
    """What each window and, half as much, its neighbours are made of; [windows, features].

    Roots of shares: they tell one from two of a hundred better than fifty from sixty.
    """
    numbers, made = _features(seen)
    out = np.zeros((len(made), _FEATURES), np.float32)
    out[:, numbers] = made
    return out


def _features(seen: Scan) -> tuple[NDArray[np.intp], Numbers]:
    """Numbers of the features that are not 0 everywhere, and these features."""
    counts = seen.counts * 2
    counts[1:] += seen.counts[:-1]
    counts[:-1] += seen.counts[1:]
    pairs, kinds = seen.columns.searchsorted(NEIGHBOURS.stop), len(seen.columns) - SUMS
    triples, habit, order, east, east_known = counts[:, kinds:].T
    chars = np.maximum(counts[:, :pairs].sum(1), 1)
    words = counts[:, pairs:kinds].sum(1)
    known = counts[:, pairs:kinds] @ _sums().take(seen.columns[pairs:kinds] - WORDS.start, 0)
    usual = habit / (triples + _FEW_TRIPLES) / 5
    out = np.empty((len(counts), kinds + _FEATURES - TRIPLES), np.float32)
    np.divide(counts[:, :pairs], chars[:, None], out=out[:, :pairs])
    np.divide(counts[:, pairs:kinds], words[:, None] + _FEW_WORDS, out=out[:, pairs:kinds])
    out[:, kinds] = east_known / (east + _FEW_WORDS)
    np.sqrt(out[:, : kinds + 1], out=out[:, : kinds + 1])
    out[:, kinds + 1 :] = np.stack(
        [
            east / chars,
            usual,
            np.minimum(usual, 0),
            triples / chars,
            4 * words / chars,
            np.log(chars) / 10,
            *_known(known.T, words, order),
            *_unknown(east, east_known, chars),
        ],
        axis=1,
    )
    return np.concatenate((seen.columns[:kinds], np.arange(TRIPLES, _FEATURES))), out


def _known(kinds: Numbers, words: Numbers, order: Numbers) -> list[Numbers]:
    """How many words of a window the tables know, and how many of these stand in a known order."""
    common, frequent, stop, seen, unseen, after_stop = kinds
    linked = seen + unseen + after_stop + _FEW_WORDS
    usual = order / linked / _ORDERS
    return [
        common / (words + _FEW_WORDS),
        (frequent + stop) / (words + _FEW_WORDS),
        seen / linked,
        (unseen + after_stop) / linked,
        np.maximum(0.5 - seen / linked, 0) * np.minimum(linked / 20, 1),
        usual,
        np.minimum(usual, 0),
        np.maximum(usual, 0),
    ]


def _unknown(east: Numbers, east_known: Numbers, chars: Numbers) -> list[Numbers]:
    """How many East Asian pairs the tables do not know."""
    unknown, every = east - east_known, east + _FEW_WORDS
    return [unknown / chars, unknown / every, np.maximum(0.5 - east_known / every, 0)]


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
    wide = {name: values.astype(np.float64) for name, values in stored.items()}
    return Model(
        wide["detectors"],
        wide["offsets"],
        wide["votes"],
        (float(wide["thresholds"][0]), float(wide["thresholds"][1])),
    )
