"""HTML pages that verbs write beside what they print."""

from __future__ import annotations

from pathlib import Path

from curator._errors import InputError
from curator._files import write_text
from curator._outputs import refuse_foreign_file


def refuse_in_set(page: Path, folder: Path) -> None:
    """Refuse a page within a set's folder: a set is what its manifest says, and nothing else is written into it.

    Args:
        page: the file to be written.
        folder: the set that it is about, or any folder.

    Raises:
        InputError: see above.
    """
    place = page.resolve().parent
    holds_set = all((place / name).is_file() for name in ("manifest.json", "samples.jsonl"))
    if holds_set or place.is_relative_to(folder.resolve()):
        raise InputError(f"{page}: lies in a set's folder, which holds nothing else; choose another place")


def refuse_other_page(path: Path, page: str) -> None:
    """Refuse to write over a file that is none of our pages.

    Args:
        path: the file to be written; it need not exist.
        page: any page of the kind.

    Raises:
        InputError: there is such a file.
    """
    head = page[: page.index("<title>")].encode()
    refuse_foreign_file(path, lambda held: held.startswith(head))


def write_page(path: Path, page: str) -> None:
    """Write the page, but over no file that is none of our pages.

    Raises:
        InputError: there is such a file.
        DependencyError: the disk is full.
    """
    refuse_other_page(path, page)
    write_text(path, page)
