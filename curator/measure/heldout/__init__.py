"""Held-out prompts: made and frozen before any set, from units of text that no set may use."""

from curator.measure.heldout.prompt import Prompt
from curator.measure.heldout.prompt_file import load_prompts, prompts_sha256, refuse_other_file, save_prompts
from curator.measure.heldout.shipped import DEFAULT_SOURCES, make_heldout

__all__ = [
    "DEFAULT_SOURCES",
    "Prompt",
    "load_prompts",
    "make_heldout",
    "prompts_sha256",
    "refuse_other_file",
    "save_prompts",
]
