"""The manifest of a set: everything needed to say what it is and to make it again."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
from collections import Counter
from collections.abc import Sequence
from typing import Any

import curator
from curator.adapters.stored_set import set_sha256
from curator.measure.heldout import Prompt, prompts_sha256
from curator.pipeline.calibration_set import CalibrationSet, SourceReport
from curator.pipeline.shortfall import MarginReport
from curator.pipeline.steps.versions import MEASURES
from curator.tokens.pack import Segment
from curator.tokens.tokenizer import Tokenizer


def manifest(made: CalibrationSet, tokenizer: Tokenizer, prompts: Sequence[Prompt], model: str) -> dict[str, Any]:
    """Describe a set. No time, path or machine is in it: equal sets have equal manifests.

    Args:
        made: the set.
        tokenizer: that made its ids.
        prompts: held-out prompts that it was filtered against.
        model: what the user calls the model that the tokenizer is of.
    """
    recipe, placed = made.recipe.recipe, made.placed()
    return {
        "name": recipe.name,
        "model": model,
        "title": recipe.title,
        "draw": made.draw,
        "set_hash": set_sha256(made.rows),
        "recipe_hash": made.recipe.sha256,
        "sources_hash": made.sources_hash,
        "heldout_hash": prompts_sha256(prompts) if prompts else None,
        "tool": f"curate {curator.__version__}",
        "tokenizer": tokenizer_facts(tokenizer),
        "samples": len(made.sequences),
        "tokens": made.tokens,
        "sequence_length": recipe.size.longest,
        "shortest_sequence": min(len(sequence.ids) for sequence in made.sequences),
        "asked_samples": recipe.size.count,
        "asked_tokens": recipe.size.total,
        "shares": {task: round(share, 6) for task, share in made.shares().items()},
        "asked": {task: round(share, 6) for task, share in made.asked.items()},
        "margins": [_margin(margin) for margin in made.margins],
        "shortfall": [dataclasses.asdict(one) for one in made.shortfall],
        "low_continuity": {
            "share": round(made.low_continuity.share, 6),
            "by_task": {task: round(share, 6) for task, share in made.low_continuity.by_task.items()},
            "max_share": recipe.target.low_continuity.max_share if recipe.target.low_continuity else None,
        },
        "diversity": {"by": recipe.target.diversity, "of_texts": made.offered},
        "leakage": {
            "hits": made.leakage.hits,
            "examples": made.leakage.examples,
            "looked_at": made.leakage.looked_at,
            "items_too_short": list(made.leakage.too_short),
            "nearest_by_meaning": [dataclasses.asdict(one) for one in made.neighbours],
        },
        "licences": _licences(made),
        "dropped": made.dropped,
        "first_dropped": {reason: shown[0]["id"] for reason, shown in sorted(made.examples.items()) if shown},
        "short": made.is_short(),
        "cut": {"pieces": made.cut_pieces, "tokens": made.cut_tokens},
        "unused_tokens": made.unused,
        "encoding_notes": made.encoding_notes,
        "overlap": round(made.overlap, 6),
        "policy": {
            **recipe.tokens.model_dump(mode="json"),
            "padding": "none",
        },
        "warnings": made.warnings,
        "sources": [_source(source) for source in made.sources],
        "versions": _versions(),
        "measures": MEASURES,
        "documents": [_document(segment, placed[segment.piece]) for segment in segments_of(made)],
        "recipe": recipe.model_dump(mode="json"),
    }


def _versions() -> dict[str, str]:
    """Versions of what token ids, languages and scores come from."""
    names = ("tokenizers", "transformers", "langdetect", "rensa", "sentence-transformers")
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in names}}


def _licences(made: CalibrationSet) -> list[dict[str, Any]]:
    """Documents and tokens that reach the model, by licence; the most tokens first."""
    documents = Counter(
        licence for _, licence in {(segment.document, segment.licence) for segment in segments_of(made)}
    )
    return [
        {"licence": licence, "documents": documents[licence], "tokens": tokens}
        for licence, tokens in made.licences().items()
    ]


def _margin(margin: MarginReport) -> dict[str, Any]:
    return {"name": margin.name, "asked": round(margin.asked, 6), "got": round(margin.got, 6)}


def _source(source: SourceReport) -> dict[str, Any]:
    return {
        "corpus": source.name,
        "task": source.task,
        "licence": source.licence,
        "revision": source.revision,
        "tokens_asked": source.asked,
        "tokens_got": source.got,
        "documents": source.documents,
        "pieces": source.pieces,
        "bad_rows": source.bad_rows,
        "bytes_read": source.read,
        "bytes": source.size,
        "files": dict(source.files),
    }


def tokenizer_facts(tokenizer: Tokenizer) -> dict[str, Any]:
    """What a set says of its tokenizer: equal facts mean that it would be built of the same ids again."""
    return {
        "fingerprint": tokenizer.fingerprint,
        "ids_fingerprint": tokenizer.ids_fingerprint,
        "size": tokenizer.size,
    }


def segments_of(made: CalibrationSet) -> list[Segment]:
    """The set's segments, once each, in the order in which they are packed."""
    found: dict[str, Segment] = {}
    for sequence in made.sequences:
        for part in sequence.parts:
            found.setdefault(part.segment.piece, part.segment)
    return list(found.values())


def _document(segment: Segment, placed: int) -> dict[str, Any]:
    return {
        "id": segment.piece,
        "document": segment.document,
        "task": segment.task,
        "language": segment.language,
        "corpus": segment.corpus,
        "revision": segment.revision,
        "file": segment.file,
        "row": segment.row,
        "licence": segment.licence,
        "tokens": placed,
        "cut_tokens": segment.cut + len(segment.ids) - placed,
        "scores": dict(segment.scores),
    }
