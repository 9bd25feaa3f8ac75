"""Corpus cards: where a text source is, under which licence, and which reader reads it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Card(BaseModel):
    """One corpus card, a YAML file in ``corpora/``.

    Attributes:
        id: short name used in recipes (``corpus: python-topics``); equals the file's stem.
        title: one line for ``curate ls``.
        reader: name of the reader (see ``curator/corpora/readers``).
        task: default task type of its documents.
        language: BCP 47 tag, ``mul`` for several.
        licence: SPDX expression, ``per-document`` when every document carries its own.
        origin: where the text is from, for people.
        requires: package that must be installed; empty when none is needed.
        install: the pip line that brings ``requires``.
        heldout: whether a quarter of its units is kept for held-out prompts. ``False`` for a source
            that is one book and cannot be split by source.
        chars_per_token: rough ratio, used only to cut long documents into pieces before tokenising.
        options: settings of the reader.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    reader: str
    task: str
    language: str
    licence: str
    origin: str
    requires: str = ""
    install: str = ""
    heldout: bool = False
    chars_per_token: float = Field(default=4.0, gt=0)
    options: dict[str, Any] = Field(default_factory=dict)
