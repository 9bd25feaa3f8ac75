"""The text files of the package ``dataset-build``: prose in many languages, code, mathematics.

The texts were written by a language model for this very purpose (importance matrices, calibration).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from curator._errors import DependencyError, InputError
from curator.corpora.card import Card
from curator.corpora.document import Document
from curator.corpora.readers.answer_preamble import without_preamble
from curator.corpora.readers.plain_text import tidy
from curator.corpora.readers.reader_options import card_options
from curator.corpora.readers.sections import sections

# ISO 639-3 (the folder names) to BCP 47, which wants the two-letter code where there is one.
_TAGS = {
    "ara": "ar", "ben": "bn", "bul": "bg", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en",
    "est": "et", "fin": "fi", "fra": "fr", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "ind": "id",
    "ita": "it", "jpn": "ja", "kor": "ko", "lav": "lv", "lit": "lt", "nld": "nl", "nor": "no", "pol": "pl",
    "por": "pt", "ron": "ro", "rus": "ru", "slk": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swa": "sw",
    "swe": "sv", "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip
_DEFAULTS = {"folders": [], "skip": [], "section_chars": 3000}


def read(card: Card) -> Iterator[Document]:
    """Documents from the folders named, in order of path and place.

    Options:
        folders: folders below the package's ``data``, such as ``eng`` or ``coding/rust``.
        skip: paths of files to leave out.
        section_chars: cut files at headings into parts of at least this many characters (default 3000);
            0 keeps whole files. The cut makes more and smaller documents to draw from.

    Raises:
        DependencyError: the package is not installed.
        InputError: a folder does not exist; names those that do.
    """
    options = card_options(card, _DEFAULTS)
    data = _data_folder(card)
    for folder in sorted(options["folders"]):
        files = sorted((data / folder).glob("*.txt"), key=lambda path: path.name)
        if not files:
            known = sorted({path.parent.relative_to(data).as_posix() for path in data.rglob("*.txt")})
            raise InputError(f"corpus {card.id!r}: no folder {folder!r}; there are: {', '.join(known)}")
        for file in files:
            name = f"{folder}/{file.name}"
            if name not in options["skip"]:
                yield from _documents(card, name, _text(file), options["section_chars"])


def _documents(card: Card, name: str, text: str, least: int) -> Iterator[Document]:
    top = name.partition("/")[0]
    parts = sections(text, least) if least else [text]
    for number, part in enumerate(parts, start=1):
        yield Document(
            id=f"{card.id}/{name.removesuffix('.txt')}#{number}",
            corpus=card.id,
            unit=f"dataset-build:{name.removesuffix('.txt')}",
            task=card.task,
            language=_TAGS.get(top, card.language) if card.language == "mul" else card.language,
            licence=card.licence,
            text=part,
        )


def _text(file: Path) -> str:
    return without_preamble(tidy(file.read_text(encoding="utf-8")))


def _data_folder(card: Card) -> Path:
    # Finding a top-level package does not import it.
    spec = importlib.util.find_spec("dataset_build")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / "data").is_dir():
            return Path(place) / "data"
    raise DependencyError(f"corpus {card.id!r}: package dataset-build is missing; type: {card.install}")
