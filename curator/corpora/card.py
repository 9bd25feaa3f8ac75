"""Corpus cards: where a text source is, under which licence, and how it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from curator.corpora.hub.place import DatasetPlace
from curator.corpora.languages import Language
from curator.corpora.licences import CardLicence
from curator.corpora.reading import Reading, Strict, Word


class Card(Strict):
    """One corpus card, a YAML file: one of ours in ``corpora/``, or the user's own.

    Its text comes from one of three: an installed package (``reader``), a data set (``dataset``), or files that
    lie here (``files``).

    Attributes:
        id: short name used in recipes (``corpus: python-topics``); equals the file's stem.
        title: one line for people.
        task: default task type of its documents.
        language: BCP 47 tag, ``mul`` for several.
        licence: SPDX expression, ``per-document`` when every document carries its own.
        origin: where the text is from, for people.
        home: address of a page about it.
        size: rows and bytes, in words.
        reader: name of the reader (see ``curator/corpora/readers``).
        options: settings of the reader.
        dataset: a part of a data set.
        files: paths or patterns; relative ones start from the card's folder.
        reading: how rows become texts, for ``dataset`` and ``files``.
        requires: package that must be installed; empty when none is needed.
        install: the line that brings ``requires``.
        heldout: whether a quarter of its units is kept for held-out prompts. ``False`` for a source
            that is one book and cannot be split by source.
        low_continuity: its texts lack continuous meaning on purpose; gates that look for accidents
            leave them alone.
        chars_per_token: rough ratio, used only to cut long documents into pieces before tokenising.
        folder: where the card lies; not a key of the file.
    """

    id: Word
    title: Word
    task: Word
    language: Language
    licence: CardLicence
    origin: Word
    home: str = ""
    size: str = ""
    reader: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    dataset: DatasetPlace | None = None
    files: Annotated[list[Word], Field(min_length=1)] | None = None
    reading: Reading = Reading()
    requires: str = ""
    install: str = ""
    heldout: bool = False
    low_continuity: bool = False
    chars_per_token: float = Field(default=4.0, gt=0)
    folder: Path = Field(default=Path(), exclude=True)

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = [name for name in ("reader", "dataset", "files") if getattr(self, name)]
        if len(kinds) != 1:
            told = " and ".join(kinds) or "none"
            raise ValueError(f"give one of reader, dataset and files, not {told}")
        if self.options and not self.reader:
            raise ValueError("options are a reader's; write `reading` for a data set or files")
        if self.reading != Reading() and self.reader:
            raise ValueError("reading is for a data set or files; write `options` for a reader")
        return self
