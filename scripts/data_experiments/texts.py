"""The two pools of English prose that recipes of the experiments draw on, from cards that need no network.

Units that are held out for prompts are in neither, as they are in no set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from continuity_bench.unseen import FOLDER, pages

from curator._errors import DependencyError, InputError
from curator._files import write_jsonl
from curator._seed import rng, stable_hash
from curator.corpora.document import Document
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import READERS
from curator.corpora.shelf import find_card
from curator.gates.language.detect import detect_language
from curator.scores.continuity import MIN_SENTENCES_TO_REJECT
from curator.scores.sentences import split_sentences

CARDS = ("dataset-build-prose", "python-topics", "package-docs")
WINDOW = 32
"""Sentences of one window of the continuity score: the fewest of a text in the gate's pool."""
_PARAGRAPH = 4
_LABEL = "experiment: continuity gate"
_DOC = FOLDER / "usr/share/doc"
_BOOKS = (
    ("anarchism", _DOC / "anarchism/html", "sec*.html", "GPL-2.0-or-later"),
    ("debian-handbook", _DOC / "debian-handbook/html/en-US", "sect.*.html", "GPL-2.0-or-later OR CC-BY-SA-3.0"),
)

Row = dict[str, Any]


def prose_rows(*, books: bool) -> Iterator[Row]:
    """Every English text of the cards, and if asked the essays and the handbook.

    Raises:
        DependencyError: the books are not there.
    """
    for document in _documents():
        yield {"id": document.id, "licence": document.licence, "text": document.text}
    for name, folder, pattern, licence in _BOOKS if books else ():
        if not folder.is_dir():
            raise DependencyError(f"{folder}: no such folder; `scripts/bench_continuity` lays the books there")
        for unit in pages(folder, pattern):
            yield {"id": f"{name}/{unit.name}", "licence": licence, "text": paragraphs(unit.lines)}


def gate_rows() -> Iterator[Row]:
    """Texts of 32 to 63 sentences each; those of about half of them, by a hash of the name, are shuffled.

    Lists and code are left out: taken apart again they have fewer sentences than the gate needs to refuse a text.
    """
    for document in _documents():
        lines = split_sentences(document.text)
        for at, own in _parts(lines):
            name = f"{document.id}@{at}"
            shuffled = bool(stable_hash(_LABEL, name) % 2)
            if shuffled:
                rng(_LABEL, "order", name).shuffle(own)
            text = paragraphs(own)
            # A package's text files may hold what is no English: a profiler's stacks, once.
            if len(split_sentences(text)) >= MIN_SENTENCES_TO_REJECT and detect_language(text) == "en":
                yield {"id": name, "licence": document.licence, "shuffled": shuffled, "text": text}


def refused_rows(rows: Sequence[Row], sifted: Sequence[Row]) -> list[Row]:
    """The rows that the continuity gate refuses.

    Args:
        rows: of the gate's pool.
        sifted: what ``curate sift --json`` says of them, in their order.

    Raises:
        InputError: they do not belong together.
    """
    # Ids are shortened there.
    if [line["row"] for line in sifted] != list(range(1, len(rows) + 1)):
        raise InputError("curate sift tells of other rows than those of the pool; build again")
    refused = (str(line["reason"] or "").startswith("continuity") for line in sifted)
    return [row for row, is_refused in zip(rows, refused, strict=True) if is_refused]


def write_pool(file: Path, rows: Iterator[Row] | Sequence[Row]) -> dict[str, int]:
    """Write a pool; returns how many texts and characters it has."""
    kept = list(rows)
    write_jsonl(file, iter(kept))
    return {"texts": len(kept), "characters": sum(len(row["text"]) for row in kept)}


def paragraphs(lines: Sequence[str]) -> str:
    """Sentences in paragraphs of four, whatever their order: a text is cut at ends of paragraphs."""
    return "\n\n".join(" ".join(lines[at : at + _PARAGRAPH]) for at in range(0, len(lines), _PARAGRAPH))


def _parts(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Parts of about equal length, each with the number of its first sentence; none of fewer than a window."""
    count = len(lines) // WINDOW
    for part in range(count):
        start, end = part * len(lines) // count, (part + 1) * len(lines) // count
        yield start, list(lines[start:end])


def _documents() -> Iterator[Document]:
    for name in CARDS:
        card = find_card(name)
        if card.reader is None:
            raise InputError(f"{name}: has no reader")
        for document in READERS[card.reader](card):
            if document.language == "en" and not (card.heldout and is_heldout(document.unit)):
                yield document
