"""What is told of matched prompts: what came of each cell, and what the user should know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import read_json
from curator.measure.heldout.match import Matched, Wish
from curator.profile import Profile
from curator.profile.spread import upto
from curator.tokens.tokenizer import Tokenizer


def cell_rows(matched: Matched) -> list[dict[str, Any]]:
    """A row for each cell: what was wanted, the range of its tokens, what was found, and why not more."""
    return [
        {
            "cell": line.cell.name,
            "task": line.cell.task,
            "language": line.cell.language,
            "low": line.cell.low,
            "high": line.cell.high,
            "output_tokens": line.cell.output_tokens,
            "wanted": len(line.cell.lengths),
            "got": line.got,
            "median_tokens": line.tokens,
            "shortened": line.cell.shortened,
            "missing": line.missing,
        }
        for line in matched.lines
    ]


def notes_of(profile: Profile, wish: Wish, matched: Matched, tokenizer: Tokenizer, folder: Path) -> list[str]:
    """Sentences: what was shortened, counted otherwise, or will not fit into the model."""
    notes = []
    wanted = sum(len(line.cell.lengths) for line in matched.lines)
    if wanted > wish.items:
        notes.append(f"{wanted} prompts are wanted instead of {wish.items}: the profile has so many cells")
    shortened = [line.cell for line in matched.lines if line.cell.shortened]
    if shortened and wish.max_tokens is not None:
        prompts = sum(cell.shortened for cell in shortened)
        notes.append(
            f"{len(shortened)} of {len(matched.lines)} cells ({prompts} of {wanted} prompts) are shortened to "
            f"{wish.max_tokens:,} tokens: what they say of the profile's longer prompts is not measured"
            + (_longer(profile) if prompts * 2 > wanted else "")
        )
    if profile.tokenizer.ids_fingerprint != tokenizer.ids_fingerprint:
        notes.append(
            f"the profile counts tokens of {profile.tokenizer.model}, another tokenizer than this model's: "
            "lengths are in this model's tokens"
        )
    if profile.outputs is None:
        notes.append("the profile knows no outputs: prompts set no length of answers (curate profile --outputs)")
    return [*notes, *_positions(matched, profile, folder)]


def _positions(matched: Matched, profile: Profile, folder: Path) -> list[str]:
    """Whether the longest prompt and its answer fit into the model."""
    limit = positions_of(folder)
    template = profile.tokenizer.template_tokens or 0
    needs = [line.cell.high + template + (line.cell.output_tokens or 0) for line in matched.lines if line.got]
    if limit is None or max(needs) <= limit:
        return []
    return [
        f"the model has {limit:,} positions, prompts with their answers have up to {max(needs):,} tokens; "
        "curate baseline will refuse them: lower --max-tokens or --max-new"
    ]


def _longer(profile: Profile) -> str:
    """A limit that shortens less than half."""
    most = upto(round(profile.overall.prompt_tokens.median))
    shortened = sum(item.prompt_tokens > most for item in profile.items)
    return f"; --max-tokens {most} would shorten {shortened} of the profile's {len(profile.items)} items"


def positions_of(folder: Path) -> int | None:
    """Positions of the model, where its folder says."""
    try:
        config = read_json(folder / "config.json")
    except InputError:
        return None
    inner = config.get("text_config", config) if isinstance(config, dict) else {}
    limit = inner.get("max_position_embeddings") if isinstance(inner, dict) else None
    return limit if type(limit) is int else None
