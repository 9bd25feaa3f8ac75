"""The tokens of evaluation items, and which of them make an item what it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from curator.gates.leakage.boilerplate import Boilerplate, boilerplate_spans, template_flags
from curator.gates.leakage.grams import SIZES, Size, grams, in_script, stretches, telling, window_sums
from curator.gates.leakage.index import Rows
from curator.gates.leakage.item import EvalItem
from curator.gates.leakage.words import Hashes, Kinds, split_words

Flags = NDArray[np.bool_]

_MANY = 255
_NONE = Rows(np.empty(0, np.uint64), np.empty(0, bool))


@dataclass(frozen=True, slots=True)
class ItemWords:
    """An item's tokens.

    Attributes:
        hashes: of each token.
        kinds: of each, as in `Words`.
        letters: of each, as in `Words`.
        own: those that are no boilerplate.
        core: those among them that make the item what it is.
    """

    hashes: Hashes
    kinds: Kinds
    letters: NDArray[np.uint8]
    own: Flags
    core: Flags


@dataclass(frozen=True, slots=True)
class Short:
    """A stretch that is shorter than a full row and is evidence as a whole.

    Attributes:
        item: number of its item.
        length: its tokens.
        first: hash of its first tokens, as many as `Size.least`.
        whole: hash of all of them.
    """

    item: int
    length: int
    first: int
    whole: int


def item_words(items: Sequence[EvalItem], boilerplate: Boilerplate) -> list[ItemWords]:
    """The tokens of all items, with what is boilerplate among them, also by what the items share."""
    split = [_split(item, boilerplate) for item in items]
    shared = template_flags([(item.hashes, item.kinds) for item in split])
    return [_with_core(replace(item, own=item.own & ~flags)) for item, flags in zip(split, shared, strict=True)]


def full_rows(item: ItemWords, size: Size) -> Rows:
    """The item's full rows of a kind of script: those that are evidence, and those that many of are."""
    if not (item.kinds == size.kind).any():
        return _NONE
    fits = in_script(item.kinds, size, size.full)
    if not fits.any():
        return _NONE
    strong = window_sums(item.core, size.full) >= size.least
    for start, end in stretches(item.core):
        if size.least // 2 <= end - start <= size.full:
            strong[max(end - size.full, 0) : start + 1] = True
    tells = fits & telling(item.hashes, item.letters, size)
    kept = np.flatnonzero(tells & (strong | (window_sums(item.own, size.full) >= size.least)))
    if not len(kept):
        return _NONE
    hashes, strong = grams(item.hashes, size.full)[kept], strong[kept]
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    firsts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
    # Of equal rows one that is evidence is enough.
    return Rows(hashes[firsts], np.logical_or.reduceat(strong[order], firsts))


def short_rows(number: int, item: ItemWords, size: Size) -> Iterator[Short]:
    """The stretches of an item that count as a whole: what it asks, or all of a short item."""
    found = dict.fromkeys(stretches(item.core))
    if any(end - start >= size.least // 2 for start, end in found):
        found[0, len(item.hashes)] = None
    for start, end in found:
        length = end - start
        if size.least <= length < size.full and _is_telling(item, size, start, end):
            first, whole = (int(grams(item.hashes[start : start + n], n)[0]) for n in (size.least, length))
            yield Short(number, length, first, whole)


def _is_telling(item: ItemWords, size: Size, start: int, end: int) -> bool:
    """As `telling`, with half of what a full row needs."""
    distinct = len(np.unique(item.hashes[start:end]))
    letters = int(item.letters[start:end].sum())
    return (
        bool(in_script(item.kinds[start:end], size, end - start)[0])
        and 2 * distinct >= size.distinct
        and 2 * letters >= size.letters
    )


def _split(item: EvalItem, boilerplate: Boilerplate) -> ItemWords:
    exempt = boilerplate_spans(item.text)
    cuts = sorted({0, len(item.text), *(place for span in (*item.asked, *exempt) for place in span)})
    rows = [(start, split_words(item.text[start:end])) for start, end in itertools.pairwise(cuts)]
    empty = split_words("")
    hashes, kinds, letters = (
        np.concatenate([getattr(empty, name), *(getattr(row, name) for _, row in rows)])
        for name in ("hashes", "kinds", "letters")
    )
    own = _flags([(not _within(start, exempt), len(row)) for start, row in rows])
    core = _flags([(_within(start, item.asked), len(row)) for start, row in rows])
    # A word of more letters is as telling; millions of words are kept.
    letters = np.minimum(letters, _MANY).astype(np.uint8)
    return ItemWords(hashes, kinds, letters, own & ~boilerplate.flags(hashes), core)


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _flags(stretches_of: list[tuple[bool, int]]) -> Flags:
    return np.repeat([flag for flag, _ in stretches_of], [count for _, count in stretches_of]).astype(bool)


def _with_core(item: ItemWords) -> ItemWords:
    """The item with boilerplate taken from its core, and all of its own where too little is left."""
    core = item.core & item.own
    enough = any(end - start >= _least_core(item, start, end) for start, end in stretches(core))
    return replace(item, core=core if enough else item.own)


def _least_core(item: ItemWords, start: int, end: int) -> int:
    size = next(size for size in SIZES if in_script(item.kinds[start:end], size, end - start)[0])
    return size.least // 2
