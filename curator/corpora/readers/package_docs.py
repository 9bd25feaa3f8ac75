"""Documentation of the installed Python packages: their descriptions and the text files they carry."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable, Iterator
from email.message import Message
from importlib.metadata import Distribution, PackagePath
from pathlib import Path
from typing import cast

from curator.corpora.card import Card
from curator.corpora.document import Document
from curator.corpora.readers.licence_names import package_licence
from curator.corpora.readers.markdown_prose import markdown_prose
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.readers.reader_options import card_options
from curator.corpora.readers.rest_markup import rest_to_markdown

_SHORTEST = 400
_LEAST_PROSE = 0.5
_SKIPPED_FILE = re.compile(
    r"(?i)(licen[cs]e|copying|notice|author|contributor|change|history|news|release|requirement|constraint|vendor|"
    r"top_level|entry_points|sources|cmakelists|vocab|merges|api_changes|tlds|leap|lorem|.*template|security|readme_?test)"
)
_SKIPPED_FOLDER = re.compile(
    r"(?i)(tests?|testing|test[-_].*|data|templates?|licen[cs]es?|_?vendor(ed)?|.*\.(dist|egg)-info|include|"
    r"node_modules|__pycache__|\.\..*)$"
)


def read(card: Card) -> Iterator[Document]:
    """Documents of every installed distribution, in order of its normalised name, then of the file's path.

    Options:
        skip: distributions to leave out (default none).

    A document has 400 characters or more, at least half of them letters of running text.
    """
    skipped = {normal_name(name) for name in card_options(card, {"skip": []})["skip"]}
    distributions: dict[str, Distribution] = {}
    for distribution in _installed():
        # The first on the path is the one that an import would find.
        distributions.setdefault(normal_name(_header(distribution, "Name")), distribution)
    for name in sorted(distributions):
        if name and name not in skipped:
            yield from _package(card, name, distributions[name])


def _installed() -> Iterable[Distribution]:
    """Every package as the standard library sees it.

    Another finder, such as that of ``importlib_metadata`` once something has imported it, would read the same
    files by rules of its own, and a set would depend on what else was imported.
    """
    return importlib.metadata.MetadataPathFinder.find_distributions(
        importlib.metadata.DistributionFinder.Context()
    )


def _header(distribution: Distribution, name: str) -> str:
    """A line of a package's metadata, empty where it has none: asking by index may raise then."""
    return cast(Message, distribution.metadata).get(name) or ""


def normal_name(name: str) -> str:
    """Bring a distribution's name to lower case with runs of ``-_.`` as one hyphen, as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def package_unit(name: str) -> str:
    """Name the unit of a normalised distribution name; type stubs are of their package's unit."""
    return f"package:{name.removesuffix('-stubs').removeprefix('types-')}"


def _package(card: Card, name: str, distribution: Distribution) -> Iterator[Document]:
    licence = package_licence(cast(Message, distribution.metadata), lambda: _licence_text(distribution))
    seen: set[str] = set()
    for path, text in _texts(distribution):
        if text in seen or not is_readable(text):
            continue
        seen.add(text)
        yield Document(
            id=f"{card.id}/{name}/{path}",
            corpus=card.id,
            unit=package_unit(name),
            task=card.task,
            language=card.language,
            licence=licence,
            text=text,
        )


def is_readable(text: str) -> bool:
    """Whether a cleaned text is long enough and mostly letters and spaces."""
    letters = sum(char.isalpha() or char == " " for char in text)
    return len(text) >= _SHORTEST and letters >= 0.7 * len(text) and _prose_share(text) >= _LEAST_PROSE


def _prose_share(text: str) -> float:
    outside = re.sub(r"(?ms)^[ \t]*```.*?^[ \t]*```", "", text)
    return len(outside) / len(text)


def _texts(distribution: Distribution) -> Iterator[tuple[str, str]]:
    body = _header(distribution, "Description") or cast(Message, distribution.metadata).get_payload() or ""
    kind = _header(distribution, "Description-Content-Type") or "text/x-rst"
    yield "description", _clean(str(body), rest="rst" in kind)
    for file in sorted(distribution.files or [], key=str):
        if _is_documentation(file):
            yield file.as_posix(), _clean(_file_text(file), rest=file.suffix != ".md")


def _clean(text: str, *, rest: bool) -> str:
    text = without_surrogates(text)
    # Old packages leave the content type out and write Markdown all the same.
    if rest and not re.search(r"(?m)^(#{1,4} \w|```)", text):
        text = rest_to_markdown(text)
    return markdown_prose(text)


def _is_documentation(file: PackagePath) -> bool:
    return (
        file.suffix in {".md", ".rst", ".txt"}
        and not _SKIPPED_FILE.match(file.name)
        and not any(_SKIPPED_FOLDER.match(folder) for folder in file.parts[:-1])
    )


def _file_text(file: PackagePath) -> str:
    try:
        return Path(str(file.locate())).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _licence_text(distribution: Distribution) -> str:
    for file in sorted(distribution.files or [], key=lambda file: (len(file.parts), str(file))):
        if re.match(r"(?i)(licen[cs]e|copying)", file.name):
            return _file_text(file)
    return ""
