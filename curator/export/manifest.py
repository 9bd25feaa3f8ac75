"""The manifest of a set: everything needed to say what it is and to make it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import curator
from curator.export.set_hash import set_sha256
from curator.measure.heldout import Prompt, prompts_sha256
from curator.pipeline.build import CalibrationSet
from curator.tokens.pack import Segment
from curator.tokens.tokenizer import Tokenizer


def manifest(made: CalibrationSet, tokenizer: Tokenizer, prompts: Sequence[Prompt]) -> dict[str, Any]:
    """Describe a set. No time, path or machine is in it: equal sets have equal manifests."""
    recipe = made.recipe.recipe
    return {
        "name": recipe.name,
        "title": recipe.title,
        "draw": made.draw,
        "set_hash": set_sha256(made.rows),
        "recipe_hash": made.recipe.sha256,
        "heldout_hash": prompts_sha256(prompts) if prompts else None,
        "tool": f"curate {curator.__version__}",
        "tokenizer": {"fingerprint": tokenizer.fingerprint, "size": tokenizer.size},
        "samples": len(made.sequences),
        "tokens": made.tokens,
        "sequence_length": recipe.size.tokens,
        "asked_samples": recipe.size.samples,
        "shares": {task: round(share, 6) for task, share in made.shares().items()},
        "asked": {task: round(share, 6) for task, share in recipe.target.shares().items()},
        "dropped": made.dropped,
        "overlap": round(made.overlap, 6),
        "policy": {
            "separator": recipe.tokens.separator,
            "bos": recipe.tokens.bos,
            "pack": "end to end, no padding",
        },
        "warnings": made.warnings,
        "sources": [
            {
                "corpus": source.name,
                "task": source.task,
                "licence": source.licence,
                "tokens_asked": source.asked,
                "tokens_got": source.got,
                "documents": source.documents,
                "pieces": source.pieces,
            }
            for source in made.sources
        ],
        "documents": [_document(segment) for segment in segments_of(made)],
        "recipe": recipe.model_dump(mode="json"),
    }


def segments_of(made: CalibrationSet) -> list[Segment]:
    """The set's segments, once each, in the order in which they are packed."""
    found: dict[str, Segment] = {}
    for sequence in made.sequences:
        for part in sequence.parts:
            found.setdefault(part.segment.piece, part.segment)
    return list(found.values())


def _document(segment: Segment) -> dict[str, Any]:
    return {
        "id": segment.piece,
        "task": segment.task,
        "language": segment.language,
        "corpus": segment.corpus,
        "licence": segment.licence,
        "tokens": len(segment.ids),
        "cut_tokens": segment.cut,
        "continuity": segment.continuity,
    }
