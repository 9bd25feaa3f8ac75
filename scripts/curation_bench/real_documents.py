"""Real documents that lie on this machine: parts of pages, manuals, dictionaries, docstrings."""

from __future__ import annotations

import ast
import hashlib
import re
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from curation_bench.debian_packages import Unpacked
from curation_bench.plain import dictionary_entries, html_blocks, read_text, roff_blocks, text_blocks

FEWEST, MOST = 200, 4000
"""Characters of a document; long ones are cut into lengths between, drawn evenly by their logarithm."""
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


def debian_documents(packages: Iterable[Unpacked]) -> Iterator[Real]:
    """Documents of unpacked packages, in a fixed order."""
    for package in packages:
        for text in _package_texts(package):
            yield Real(package.name, package.language, text)


def _package_texts(package: Unpacked) -> Iterator[str]:
    if package.name.startswith("dict-"):
        yield from (entry[:MOST] for entry in dictionary_entries(package.folder) if len(entry) >= FEWEST)
        return
    for path in sorted(package.folder.rglob("*")):
        name = path.relative_to(package.folder).as_posix()
        if not path.is_file() or path.is_symlink() or _LEFT_OUT.search(name):
            continue
        blocks = list[str]()
        if path.suffix in _PAGES:
            blocks = html_blocks(read_text(path))
        elif package.name == "fortunes" and not path.suffix and "games" in name:
            yield from (
                part.strip()[:MOST] for part in read_text(path).split("\n%\n") if len(part.strip()) >= FEWEST
            )
        elif path.suffix in _TEXTS:
            blocks = text_blocks(read_text(path))
        elif "/man/" in name and _MANUAL.search(name):
            blocks = roff_blocks(read_text(path))
        yield from documents_of(blocks, f"{package.name}/{name}")


def documents_of(blocks: Iterable[str], name: str) -> Iterator[str]:
    """Neighbouring blocks laid together into documents of drawn lengths; a rest that is shorter is left out."""
    held: list[str] = []
    size, number = 0, 0
    wanted = _length(name, number)
    for block in blocks:
        held.append(block[:MOST])
        size += len(held[-1]) + 2
        if size >= wanted:
            yield "\n\n".join(held)
            held, size, number = [], 0, number + 1
            wanted = _length(name, number)
    if size - 2 >= FEWEST:
        yield "\n\n".join(held)


def _length(name: str, number: int) -> int:
    digest = hashlib.sha256(f"{name}:{number}".encode()).digest()
    return round(FEWEST * (MOST / 2 / FEWEST) ** (int.from_bytes(digest[:4], "big") / 2**32))


def docstrings() -> tuple[list[Real], dict[str, str]]:
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
    for path, name in sorted({**owners, **own}.items()):
        found += [Real(name, "en", text) for text in _docstrings_of(path)]
    return found, {name: versions[name] for name in sorted({one.source for one in found})}


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
