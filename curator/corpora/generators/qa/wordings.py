"""How questions over documents are put and answered. All wordings are ours, like no benchmark's on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from curator.corpora.generators.qa import wordings_en, wordings_zh


@dataclass(frozen=True, slots=True)
class Wordings:
    """The wordings of one language and side of the held-out split.

    Attributes:
        openings: what stands before the documents.
        turns: by kind of question, pairs of question and answer, with ``{shown}`` (the words of the document),
            ``{gold}``, ``{number}`` (of the document) and, of a two-hop question, ``{target}``.
        targets: what a two-hop question asks for.
        label: line above a document, with ``{number}`` and ``{title}``.
        part: a title of several passages, with ``{title}`` and ``{part}``.
        gap: what stands between two sentences.
    """

    openings: tuple[str, ...]
    turns: Mapping[str, tuple[tuple[str, str], ...]]
    targets: Mapping[str, str]
    label: str
    part: str
    gap: str


def _side(heldout: bool, pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The first half of the wordings for calibration, the second for held-out prompts."""
    half = len(pairs) // 2
    return pairs[half:] if heldout else pairs[:half]


def wordings(language: str, *, heldout: bool) -> Wordings:
    """The wordings for a language, ``en`` or ``zh``; no question or opening is on both sides."""
    if language == "zh":
        openings, turns, targets = wordings_zh.OPENINGS, wordings_zh.TURNS, wordings_zh.TARGETS
        label, part, gap = "文档 {number}：{title}", "{title}（第 {part} 部分）", ""
    else:
        openings, turns, targets = wordings_en.OPENINGS, wordings_en.TURNS, wordings_en.TARGETS
        label, part, gap = "Document {number}: {title}", "{title}, part {part}", " "
    half = len(openings) // 2
    return Wordings(
        openings[half:] if heldout else openings[:half],
        {kind: _side(heldout, pairs) for kind, pairs in turns.items()},
        targets,
        label,
        part,
        gap,
    )
