"""Semantic continuity: whether neighbouring sentences belong together more than a text's sentences do at large.

A plain mean of adjacent cosines ranks lists of UUIDs above prose. What is scored instead, for n sentences:

    S = D(V Vᵀ) / sd + w · D(C) / sd    V: sentence vectors, unit length; C: cosines of TF-IDF vectors of words
    D(M)ij = Mij - ri - rj + t          ri = Σj Mij / (n - 2), t = Σij Mij / ((n - 1)(n - 2)), without the diagonal
    Wij = exp(-(|i - j| - 1) / 1.7)     near pairs count most
    z = (Σ W∘S - E) / sd                over all n! orders of the same sentences, in closed form (``mantel``)

In languages other than English, which the embedder may not know, w is 2. In English w = 10 · var(D(C)), 0.15 in
most prose and more where terms are repeated, and what ties sentences beside their matter is added (``cohesion``)::

    S += 0.15 · D(P) / sd               P: likeness of the persons spoken of
    z = (Σ W∘S - E + Σ F∘A) / sd        Aij = -Aji: how much speaks for i before j
    Fij = ± exp(-(|i - j| - 1) / 4)     + where i is before j. The two sums are uncorrelated over all orders, so
                                        their variances add up; the second has mean 0

Since z is standardised over the orders of these very sentences, texts in no order have about N(0, 1) at every
length: one threshold serves all, and what the sentences are like at large (language, topic, how alike they all
are) cancels out. Two rules stand beside it. Junk is narrower than prose: in each stretch of 16 sentences the mean
and standard deviation of the pair cosines must lie within a band. And a numbered or sorted list is in order, but
no continuous text: ``ordered_lists``.

Source of the moments: N. Mantel, Cancer Research 27 (1967) 209-220. The centring is that of G. Székely and
M. Rizzo, Annals of Statistics 42 (2014) 2382-2412. Figures on held-out text: ``scripts/bench_continuity``.

Blind spots. Dialogue and polemics with many quotations move from one thing to the next: of the novels and essays
in the bench an eighth is below the automatic threshold, of plain expository prose a hundredth. Sentences shuffled
within groups of four, blocks of text moved, and text read backwards score little lower than the text itself. Two
documents pasted together score *higher* than either: score before packing, and never rank by z above the
threshold. Fewer than 24 sentences have too little power to refuse a text; fewer than four have no score at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.gates.drop import Drop
from curator.scores.cohesion import persons, succession
from curator.scores.lexical import is_english, lexical_cosines
from curator.scores.mantel import (
    Excess,
    Matrix,
    centred_and_sd,
    cosines,
    decay_kernel,
    directed,
    double_centred,
    forward_kernel,
    mantel,
)
from curator.scores.ordered_lists import LIST_ORDER, order_z

VERSION = "4"
# Below this the score's power is too low to refuse a text; it may still rank.
MIN_SENTENCES_TO_REJECT = 24
# Below this there is nothing to permute.
MIN_SENTENCES = 4
TOO_SHORT = "too short to score"
# One-sided 1 % of the null distribution.
AUTO_MIN = 2.33
MEAN_BAND = (0.11, 0.55)
SD_BAND = (0.085, 0.305)
# What the lowest of twice as many windows, and text in other languages, may be lower.
_PER_DOUBLING, _OTHER_LANGUAGE = 0.45, 1.33
_STRETCH = 16
DECAY = 1.7
_FORWARD_DECAY = 4.0
# Of words beside vectors: in English for each unit of their own variance, in other languages whatever it is.
_ENGLISH_WORDS, _OTHER_WORDS = 10.0, 2.0
_PERSONS = 0.15
# What is outside the band ranks below all that is inside, by one more for each hundredth.
_PER_COSINE = 100.0
# The same sentence has other last bits beside other sentences in the embedder.
_Z_DIGITS, _COSINE_DIGITS = 3, 4


@dataclass(frozen=True, slots=True)
class ContinuityScore:
    """Continuity of one window of a text.

    Attributes:
        z: standard deviations above the mean over all orders of the same sentences; 0.0 when undefined.
        mean: mean cosine over the pairs of sentences in the stretch of 16 that is farthest out of prose's band.
        sd: standard deviation of those cosines.
        order: how sorted the sentences are, as a z (see ``ordered_lists``).
        sentences: number of sentences scored.
        banded: whether the band holds for the text: it was measured on English, with all-MiniLM-L6-v2.
        windows: how many windows this is the lowest of.
    """

    z: float
    mean: float
    sd: float
    order: float
    sentences: int
    banded: bool = True
    windows: int = 1

    @property
    def defined(self) -> bool:
        """Whether there were enough sentences for a z."""
        return self.sentences >= MIN_SENTENCES

    @property
    def is_list(self) -> bool:
        """Whether the sentences are sorted or numbered entries."""
        return self.order > LIST_ORDER

    @property
    def outside(self) -> float:
        """How far the pair cosines lie outside prose's band; 0.0 inside, and where no band is known."""
        return max(band_depth(self.mean, self.sd), 0.0) if self.banded and self.defined else 0.0

    @property
    def rank(self) -> float:
        """One number by which texts below the threshold compare; it says nothing among those above.

        It is z, but below 0 for lists and for what is outside the band, however high their z is.
        """
        rank = self.z
        if self.outside > 0:
            rank = min(rank, 0.0) - 1 - _PER_COSINE * self.outside
        if self.is_list:
            rank = min(rank, 0.0) - self.order
        return round(rank, _Z_DIGITS)

    def flat(self) -> dict[str, float | int | str]:
        """The numbers as they are stored, all that `check_continuity` needs.

        ``continuity`` is the rank (z, or less) with the text's ``allowance``; 0.0 where nothing could be scored,
        and a note says so. The mean and sd are there only where the band holds.
        """
        level = round(self.rank + allowance(self.windows, self.banded), _Z_DIGITS) if self.defined else 0.0
        found: dict[str, float | int | str] = {"continuity": level, "continuity_order": self.order}
        if self.banded and self.defined:
            found |= {"continuity_mean": self.mean, "continuity_sd": self.sd}
        if not self.defined:
            found["continuity_note"] = TOO_SHORT
        return found | {"sentences": self.sentences, "continuity_windows": self.windows}


def continuity(
    vectors: NDArray[np.floating], sentences: Sequence[str], banded: bool | None = None
) -> ContinuityScore:
    """Score the sentences of one window, in the order of the text.

    Fewer than four sentences, or sentences that are all the same, give z = 0.0, never NaN.

    Args:
        vectors: unit vectors of the sentences [n, d]; a zero vector is like no other.
        sentences: their n texts.
        banded: see ``ContinuityScore``; ``None`` for whether these sentences are English.
    """
    count = len(sentences)
    english = is_english(sentences)
    banded = english if banded is None else banded
    if count < MIN_SENTENCES:
        return ContinuityScore(0.0, 0.0, 0.0, 0.0, count, banded)
    alike = cosines(vectors)
    z = (_english_order(alike, sentences) if english else _order(alike, sentences)).z
    mean, sd = _worst_stretch(alike)
    return ContinuityScore(
        z=round(z, _Z_DIGITS),
        mean=round(mean, _COSINE_DIGITS),
        sd=round(sd, _COSINE_DIGITS),
        order=round(order_z(sentences), _Z_DIGITS),
        sentences=count,
        banded=banded,
    )


def band_depth(mean: float, sd: float) -> float:
    """How far outside prose's band a mean and standard deviation of pair cosines lie; negative inside."""
    return max(MEAN_BAND[0] - mean, mean - MEAN_BAND[1], SD_BAND[0] - sd, sd - SD_BAND[1])


def check_continuity(scores: Mapping[str, Any], least: float) -> Drop | None:
    """Refuse a long enough text that is a list, whose cosines are outside prose's band, or whose z is too low.

    A text too short for a score, or for a safe one, is not refused.

    Args:
        scores: the stored numbers of its lowest window, see ``ContinuityScore.flat``; others may be beside them.
        least: what ``continuity`` must be.
    """
    count = scores.get("sentences", 0)
    if count < MIN_SENTENCES_TO_REJECT:
        return None
    if scores["continuity_order"] > LIST_ORDER:
        return Drop("continuity", f"a sorted or numbered list of {count} lines, no continuous text")
    mean, sd = scores.get("continuity_mean"), scores.get("continuity_sd")
    if mean is not None and sd is not None and band_depth(mean, sd) > 0:
        return Drop("continuity_band", f"pair cosines {mean:.2f} ± {sd:.2f} are not those of prose")
    # So written that a NaN would be refused.
    if not scores["continuity"] >= least:
        return Drop("continuity", f"z {scores['continuity']:.2f}, below {least:g} over {count} sentences")
    return None


def allowance(windows: int, banded: bool) -> float:
    """What is added to the z of a text's lowest window, so that one threshold serves all texts.

    The lowest of k good windows is lower than one: by 0.45 for each doubling. Where the embedder was not measured
    on the text's language, good text scores lower too.

    Args:
        windows: how many were scored.
        banded: see ``ContinuityScore``.
    """
    return _PER_DOUBLING * math.log2(windows) + (0.0 if banded else _OTHER_LANGUAGE)


def _order(alike: Matrix, sentences: Sequence[str]) -> Excess:
    both = double_centred(alike) + _OTHER_WORDS * double_centred(lexical_cosines(sentences))
    return mantel(decay_kernel(len(sentences), DECAY), both)


def _english_order(alike: Matrix, sentences: Sequence[str]) -> Excess:
    count = len(sentences)
    words, sd = centred_and_sd(lexical_cosines(sentences))
    likeness = (
        double_centred(alike) + _ENGLISH_WORDS * sd**2 * words + _PERSONS * double_centred(persons(sentences))
    )
    near = mantel(decay_kernel(count, DECAY), likeness)
    return near + directed(forward_kernel(count, _FORWARD_DECAY), succession(sentences))


def _worst_stretch(alike: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation of the pairs in the stretch that is farthest out of the band."""
    count = len(alike)
    stretches = max(-(-count // _STRETCH), 1)
    last = max(count - _STRETCH, 0)
    found = []
    for number in range(stretches):
        start = round(number * last / max(stretches - 1, 1))
        part = alike[start : start + _STRETCH, start : start + _STRETCH]
        pairs = part[np.triu_indices(len(part), 1)]
        found.append((float(pairs.mean()), float(pairs.std())))
    return max(found, key=lambda pair: band_depth(*pair))
