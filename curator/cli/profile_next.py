"""The command that makes held-out prompts of a profile, whole: what it types, runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from curator.models.locate import DEFAULT_MODEL, locate_tokenizer

if TYPE_CHECKING:
    from curator.profile.schema import Profile


def heldout_command(profile: Path, found: Profile, model: str) -> str:
    """With limits where the profile's prompts or outputs would leave no room in the model for the other.

    Args:
        profile: the profile's file.
        found: what it holds.
        model: the model as the user named it.
    """
    from curator.measure.heldout.told import positions_of

    words = ["curate", "heldout", "--from-profile", str(profile), "--out", "heldout.jsonl"]
    words += ["--model", model] if model != DEFAULT_MODEL else []
    positions = positions_of(locate_tokenizer(model))
    prompts, outputs = found.overall.prompt_tokens, found.overall.output_tokens
    # Half of the positions for the prompt, a quarter for the answer; the rest is the template's.
    if positions is not None and prompts.most > positions // 2:
        words += ["--max-tokens", str(positions // 2)]
    if positions is not None and outputs is not None and outputs.most > positions // 4:
        words += ["--max-new", str(positions // 4)]
    return shlex.join(words)
