"""How much of two sets is the same: by document, and by the runs of words in their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from curator.compare.composition import Documents
from curator.gates.shingles import Shingles, shingles


def document_overlap(first: Documents, second: Documents) -> dict[str, Any] | None:
    """Documents that both sets took something of.

    Returns:
        ``first`` and ``second``: number of documents; ``both``; ``first_tokens`` and ``second_tokens``: share of
        each set's tokens that is from them. ``None`` where a set names no documents.
    """
    if not first or not second:
        return None
    tokens = [_by_document(pieces) for pieces in (first, second)]
    both = tokens[0].keys() & tokens[1].keys()
    share = [sum(of[key] for key in both) / (sum(of.values()) or 1) for of in tokens]
    return {
        "first": len(tokens[0]),
        "second": len(tokens[1]),
        "both": len(both),
        "first_tokens": share[0],
        "second_tokens": share[1],
    }


def text_overlap(first: Sequence[str], second: Sequence[str]) -> dict[str, Any] | None:
    """Runs of five words that are in both sets, whatever their documents are called.

    Args:
        first: the texts of a set's sequences.
        second: of the other's.

    Returns:
        ``first`` and ``second``: share of each set's different runs that the other has; ``both``: their number.
        ``None`` where a set has no texts.
    """
    runs = [_runs(texts) for texts in (first, second)]
    if not (runs[0].size and runs[1].size):
        return None
    both = np.intersect1d(runs[0], runs[1], assume_unique=True).size
    return {"both": both, "first": both / runs[0].size, "second": both / runs[1].size}


def row_overlap(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> int:
    """Sequences of token ids that are in both sets."""
    return len({tuple(row) for row in first} & {tuple(row) for row in second})


def _by_document(pieces: Documents) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for piece in pieces:
        key = (str(piece.get("corpus")), _document(piece))
        found[key] = found.get(key, 0) + int(piece["tokens"])
    return found


def _document(piece: Mapping[str, Any]) -> str:
    return str(piece.get("document", piece["id"]))


def _runs(texts: Sequence[str]) -> Shingles:
    found = shingles(texts)
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.uint32)
