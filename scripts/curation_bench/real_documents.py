"""Real documents that lie on this machine: parts of pages, manuals, dictionaries, docstrings."""

from __future__ import annotations

import ast
import hashlib
import re
import sysconfig
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from curation_bench.debian_packages import Unpacked
from curation_bench.plain import dictionary_entries, html_blocks, read_text, roff_blocks, text_blocks
from curator.engine.local import map_in_order

FEWEST, MOST = 200, 4000
"""Characters of a document; long ones are cut into lengths between, drawn evenly by their logarithm."""
_ENTRIES = 100
# Files of Python that one process is given at a time.
_FILES = 500
_PAGES = frozenset({".html", ".htm"})
_TEXTS = frozenset({".txt", ".rst", ".md", ".pod"})
_MANUAL = re.compile(r"\.[0-9][a-z]*(\.gz)?$")
# The words of a licence, a list of names: not what a document is.
_LEFT_OUT = re.compile(r"(?i)copyright|licen[cs]e|changelog|authors|genindex|/index-|news\.|\.index$")


@dataclass(frozen=True, slots=True)
class Real:
    """A document.

    Attributes:
        source: the package that it is from.
        language: its package's.
        text: its text.
    """

    source: str
    language: str
    text: str


def debian_documents(packages: Sequence[Unpacked], workers: int) -> Iterator[Real]:
    """Documents of unpacked packages, in a fixed order; ``workers`` processes take them apart."""
    for found in map_in_order(_package_documents, packages, workers):
        yield from found


def _package_documents(package: Unpacked) -> list[Real]:
    return [Real(package.name, package.language, text) for text in _package_texts(package)]


def _package_texts(package: Unpacked) -> Iterator[str]:
    """Each entry of a dictionary or a collection is a document; pages are cut into some."""
    apart = package.name == "fortunes" or package.name.startswith("dict-")
    for at, blocks in enumerate(package_blocks(package)):
        if apart:
            yield from (block[:MOST] for block in blocks if len(block) >= FEWEST)
        else:
            yield from documents_of(blocks, f"{package.name}/{at}")


def package_blocks(package: Unpacked) -> Iterator[list[str]]:
    """The blocks of each file of a package that has some, in a fixed order; of a dictionary, by the hundred."""
    if package.name.startswith("dict-"):
        entries = list(dictionary_entries(package.folder))
        yield from (entries[at : at + _ENTRIES] for at in range(0, len(entries), _ENTRIES))
        return
    for path in sorted(package.folder.rglob("*")):
        name = path.relative_to(package.folder).as_posix()
        if path.is_file() and not path.is_symlink() and not _LEFT_OUT.search(name):
            blocks = _file_blocks(package.name, name, path)
            if blocks:
                yield blocks


def _file_blocks(package: str, name: str, path: Path) -> list[str]:
    if path.suffix in _PAGES:
        return html_blocks(read_text(path))
    if package == "fortunes":
        return (
            [part.strip() for part in read_text(path).split("\n%\n")]
            if "games" in name and not path.suffix
            else []
        )
    if path.suffix in _TEXTS:
        return text_blocks(read_text(path))
    if "/man/" in name and _MANUAL.search(name):
        return roff_blocks(read_text(path))
    return []


def documents_of(blocks: Iterable[str], name: str, fewest: int = FEWEST, most: int = MOST) -> Iterator[str]:
    """Neighbouring blocks laid together into documents of drawn lengths; a rest that is shorter is left out.

    Args:
        blocks: in their order.
        name: decides the lengths.
        fewest: characters of a document.
        most: of the longest; a document ends with the block that fills it.
    """
    held: list[str] = []
    size, number = 0, 0
    wanted = _length(name, number, fewest, most)
    for block in blocks:
        held.append(block[:most])
        size += len(held[-1]) + 2
        if size >= wanted:
            yield "\n\n".join(held)
            held, size, number = [], 0, number + 1
            wanted = _length(name, number, fewest, most)
    if size - 2 >= fewest:
        yield "\n\n".join(held)


def _length(name: str, number: int, fewest: int, most: int) -> int:
    digest = hashlib.sha256(f"{name}:{number}".encode()).digest()
    return round(fewest * (most / 2 / fewest) ** (int.from_bytes(digest[:4], "big") / 2**32))


def docstrings(workers: int) -> tuple[list[Real], dict[str, str]]:
    """Docstrings of the installed packages and of the standard library, and the versions of both."""
    found: list[Real] = []
    versions = {"python": sysconfig.get_python_version()}
    owners: dict[Path, str] = {}
    site = Path(sysconfig.get_path("purelib"))
    for one in distributions(path=[str(site)]):
        for file in one.files or ():
            if file.suffix == ".py":
                owners[site / str(file)] = f"{one.name}"
        versions[one.name] = one.version
    library = Path(sysconfig.get_path("stdlib"))
    own = {path: "python" for path in library.rglob("*.py") if "site-packages" not in path.parts}
    files = sorted({**owners, **own}.items())
    parts = [files[at : at + _FILES] for at in range(0, len(files), _FILES)]
    for part in map_in_order(_docstrings_in, parts, workers):
        found += part
    return found, {name: versions[name] for name in sorted({one.source for one in found})}


def _docstrings_in(files: Sequence[tuple[Path, str]]) -> list[Real]:
    return [Real(name, "en", text) for path, name in files for text in _docstrings_of(path)]


def _docstrings_of(path: Path) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            told = (ast.get_docstring(node) or "").strip()
            if len(told) >= FEWEST:
                yield told[:MOST]
