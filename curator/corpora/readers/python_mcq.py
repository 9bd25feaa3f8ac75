"""Multiple-choice questions made from the docstrings of the standard library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from curator._seed import stable_hash
from curator.corpora.card import Card
from curator.corpora.document import Document, Message, conversation_text
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers.docstring_summaries import BLANK, Summary, alike, summarise
from curator.corpora.readers.docstrings import described
from curator.corpora.readers.mcq_wordings import CALIBRATION, HELDOUT, KINDS
from curator.corpora.readers.reader_options import card_options
from curator.corpora.readers.stdlib_files import LibraryFile, library_files, library_source

_LETTERS = "ABCD"


def read(card: Card) -> Iterator[Document]:
    """One question an object, with four choices of which one is right.

    Half of the questions give a description and ask for the name, half the other way round. The wrong
    choices are described objects of the same unit, so that a question and its choices are on one side of
    the held-out split. Descriptions have the object's own name blanked out.

    Options:
        per_unit: most questions of a unit (a top-level module with its family; default 60), chosen by
            hash of the objects' names.

    Objects of private modules are left out, and those that have no three others of their kind in the
    unit whose summaries differ clearly.
    """
    limit = card_options(card, {"per_unit": 60})["per_unit"]
    public = (file for file in library_files() if "._" not in f".{file.module}")
    for unit, files in groupby(sorted(public, key=_place), key=lambda file: file.unit):
        summaries = _summaries(files)
        documents: list[Document] = []
        for asked in sorted(summaries, key=lambda summary: summary.chance):
            if len(documents) == limit:
                break
            choices = _choices(asked, summaries)
            if choices:
                documents.append(_document(card, unit, asked, choices))
        yield from sorted(documents, key=lambda document: document.id)


def _summaries(files: Iterator[LibraryFile]) -> list[Summary]:
    """The summaries of a unit in order of place: an object once, a text once."""
    by_name: dict[str, Summary] = {}
    for file in files:
        for item in described(library_source(file)):
            summary = summarise(file.module, item)
            if summary:
                by_name.setdefault(summary.name, summary)
    by_text: dict[str, Summary] = {}
    for summary in by_name.values():
        by_text.setdefault(summary.text, summary)
    return list(by_text.values())


def _choices(asked: Summary, summaries: Sequence[Summary]) -> list[Summary]:
    """The asked object and three others that could be meant but are not, in the order of the letters."""

    def distance(other: Summary) -> tuple[bool, bool, int]:
        # The bits in which two hashes differ: by chance, and another order for every object.
        return asked.parent != other.parent, asked.module != other.module, asked.chance ^ other.chance

    chosen = [asked]
    for other in sorted((one for one in summaries if one.kind == asked.kind), key=distance):
        if len(chosen) == len(_LETTERS):
            break
        if not any(alike(one, other) for one in chosen):
            chosen.append(other)
    if len(chosen) < len(_LETTERS):
        return []
    return sorted(chosen, key=lambda summary: stable_hash("mcq-order", asked.name, summary.name))


def _document(card: Card, unit: str, asked: Summary, choices: Sequence[Summary]) -> Document:
    messages = _turns(asked, choices, heldout=is_heldout(unit))
    return Document(
        id=f"{card.id}/{asked.name}",
        corpus=card.id,
        unit=unit,
        task=card.task,
        language=card.language,
        licence=card.licence,
        text=conversation_text(messages),
        messages=messages,
    )


def _turns(asked: Summary, choices: Sequence[Summary], *, heldout: bool) -> tuple[Message, Message]:
    chance = stable_hash("mcq-wording", asked.name)
    by_name = chance % 2 == 0 and not asked.spells_name
    side = HELDOUT if heldout else CALIBRATION
    wordings = side.which_name if by_name else side.which_text
    wording = wordings[chance // 2 % len(wordings)]
    shown = [f"`{choice.name}`" if by_name else choice.blanked for choice in choices]
    options = [
        wording.option.format(letter=letter, choice=choice) for letter, choice in zip(_LETTERS, shown, strict=True)
    ]
    question = wording.question.format(kind=KINDS[asked.kind], name=asked.name, text=asked.blanked)
    note = [side.blank] if BLANK in "".join([question, *options]) else []
    place = choices.index(asked)
    # Any of the other three, whichever follows.
    other_place = (place + 1 + chance // 100 % 3) % len(choices)
    other = choices[other_place]
    reason = wording.reason.format(
        letter=_LETTERS[place],
        name=asked.name,
        text=asked.text,
        other_letter=_LETTERS[other_place],
        other_name=other.name,
        other_text=other.text,
    )
    return (
        Message("user", "\n".join([question, "", *options, "", *note, wording.closing])),
        Message("assistant", f"{reason}\n\nANSWER: {_LETTERS[place]}"),
    )


def _place(file: LibraryFile) -> tuple[str, str]:
    return file.unit, file.name
