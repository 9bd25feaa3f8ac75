"""Two sets: what they consist of, what they have in common, how far apart they are, and their recipes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curator._errors import DependencyError
from curator.adapters.stored_set import StoredSet, read_set
from curator.compare.change import Change, changes, mapping, percent
from curator.compare.composition import composition, pieces_of, set_facts
from curator.compare.embedding_shift import LEVEL, Encoder, embedding_shift
from curator.compare.overlap import document_overlap, row_overlap, text_overlap
from curator.compare.recipe_words import recipe_changes
from curator.compare.set_texts import documents_of, has_pool, sequences_of
from curator.scores.embedder import DEFAULT, MULTILINGUAL, Embedder
from curator.scores.store import ScoreStore


def compare_sets(first: str, second: str, *, encoder: Encoder | None = None) -> dict[str, Any]:
    """Compare two set folders.

    Args:
        first: a folder.
        second: a folder.
        encoder: in place of the embedder of the recipes.

    Returns:
        ``differences`` by heading, ``composition``, ``overlap``, ``embedding``, ``warnings`` and ``verdict``.

    Raises:
        InputError: no sets, or damaged ones.
    """
    a, b = read_set(first), read_set(second)
    pieces = [pieces_of(stored.manifest, name) for stored, name in ((a, first), (b, second))]
    warnings: list[str] = []
    overlap = {
        "rows": row_overlap(a.rows, b.rows),
        "documents": document_overlap(*pieces),
        "text": text_overlap(a.texts, b.texts),
    }
    made = composition(*pieces)
    folders = (Path(first), Path(second))
    shift = None if a.rows == b.rows else _shift((a, b), folders, pieces, encoder, warnings)
    return {
        "differences": {
            "set": _fact_changes(a.manifest, b.manifest),
            "recipe": recipe_changes(a.manifest.get("recipe"), b.manifest.get("recipe")),
        },
        "composition": made,
        "overlap": overlap,
        "embedding": shift,
        "warnings": warnings,
        "verdict": _verdict(a, b, made, overlap, shift),
    }


def _fact_changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Change]:
    """Facts that differ; what one of the sets does not record is no difference."""
    a, b = set_facts(first), set_facts(second)
    if a.get("set_hash") == b.get("set_hash"):
        # The same ids: that the sets are called or were made differently is all that is left.
        a.pop("set_hash", None)
    both = [name for name in a if name in b]
    found = changes({name: a[name] for name in both}, {name: b[name] for name in both})
    if "dropped" not in first or "dropped" not in second:
        return found
    counts = mapping(first["dropped"]), mapping(second["dropped"])
    reasons = dict.fromkeys([*counts[0], *counts[1]])
    old, new = ({f"dropped as {reason}": of.get(reason, 0) for reason in reasons} for of in counts)
    return found + changes(old, new)


def _verdict(
    a: StoredSet,
    b: StoredSet,
    made: Mapping[str, Any],
    overlap: Mapping[str, Any],
    shift: Mapping[str, Any] | None,
) -> str:
    if a.rows == b.rows:
        return "the same token ids in the same order: one set"
    if sorted(a.rows) == sorted(b.rows):
        return "the same sequences in another order"
    parts = []
    if made:
        moved = [percent(made[part]["moved"]) for part in ("task", "source")]
        parts.append(f"{moved[0]} of the tokens differ by task, {moved[1]} by source")
    if overlap["documents"]:
        parts.append(
            f"{percent(overlap['documents']['second_tokens'])} of the second is from the first's documents"
        )
    if shift:
        parts.append(f"their meaning differs {'by' if shift['p'] < LEVEL else 'no'} more than chance")
    return f"different sets: {', '.join(parts)}" if parts else "different sets"


def _shift(
    stored: Sequence[StoredSet],
    folders: Sequence[Path],
    pieces: Sequence[list[dict[str, Any]]],
    encoder: Encoder | None,
    warnings: list[str],
) -> dict[str, Any] | None:
    whole = all(pieces) and all(map(has_pool, folders))
    if whole:
        samples = [documents_of(folder, own) for folder, own in zip(folders, pieces, strict=True)]
    else:
        samples = [sequences_of(one) for one in stored]
    model = _embedder(stored)
    try:
        found = embedding_shift(samples[0], samples[1], encoder or Embedder(model), ScoreStore(warnings.append))
    except DependencyError as error:
        warnings.append(f"embedding shift not measured: {error}")
        return None
    unit = "a document, its first 400 characters" if whole else "a sequence, as far as the embedder reads"
    return found and {**found, "embedder": model, "unit": unit}


def _embedder(stored: Sequence[StoredSet]) -> str:
    """That of both recipes, if it is one of ours: a set from elsewhere must not make us load a model."""
    recipes = [mapping(one.manifest.get("recipe")) for one in stored]
    named = {str(mapping(recipe.get("continuity")).get("embedder", DEFAULT)) for recipe in recipes}
    return MULTILINGUAL if named == {MULTILINGUAL} else DEFAULT
