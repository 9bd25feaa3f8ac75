"""Which files a path, a folder or a pattern means."""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError
from curator.corpora.rows.detect import format_by_name

_SHOWN = 5
_MAGIC = re.compile(r"[*?\[]")
# Files that data sets keep beside their data, and texts about the folder itself.
_NO_DATA = frozenset({"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"})
_ABOUT = re.compile(r"(readme|licen[cs]e|copying|changelog|contributing|code_of_conduct)(?![a-z])")


@dataclass(frozen=True, slots=True)
class FoundFile:
    r"""A file that a pattern means.

    Attributes:
        path: where it is.
        name: its path as the recipe would write it, with ``/``, and with what cannot be printed or is not UTF-8
            escaped (``\xe9``); the same on every machine for patterns that are relative.
    """

    path: Path
    name: str


def find_files(patterns: Sequence[str], folder: Path) -> list[FoundFile]:
    """The files that patterns mean, each once, in the order of their names.

    A path is taken as it is. A folder gives all data files in it, by their names' endings, at any depth; texts
    about the folder itself, such as README.md and LICENSE.txt, are none. In a pattern, ``*`` and ``?`` stay within
    a name and ``**`` goes to any depth. Hidden files (``.name``) are passed over unless a pattern says the dot.
    Links are followed, but into no folder twice.

    Args:
        patterns: paths, folders or patterns.
        folder: what relative ones start from.

    Raises:
        InputError: one of them means no file; the message has the nearest names.
    """
    found: dict[str, FoundFile] = {}
    for pattern in patterns:
        for path in _expand(pattern, folder):
            file = FoundFile(folder / os.path.expanduser(path), _printable(path))
            if found.setdefault(file.name, file).path != file.path:
                raise InputError(f"{file.name}: two files have this name once it is made printable; rename one")
    real: dict[str, FoundFile] = {}
    # A relative name is the same on every machine: of two names for one file it is the better.
    for name in sorted(found, key=lambda name: (os.path.isabs(name), name)):
        real.setdefault(os.path.realpath(found[name].path), found[name])
    return list(real.values())


def passed_over(patterns: Sequence[str], folder: Path, found: Sequence[FoundFile]) -> list[str]:
    """What was left out of the folders among the patterns, in words: one note for each of them.

    Hidden files are not mentioned.

    Args:
        patterns: as `find_files` takes them.
        folder: what relative ones start from.
        found: what `find_files` gave for them.
    """
    taken = {os.path.realpath(file.path) for file in found}
    notes = []
    for written in dict.fromkeys(os.path.normpath(pattern) for pattern in patterns):
        target = folder / os.path.expanduser(written)
        if not os.path.isdir(target):
            continue
        names = [name for name in _walk(target, None) if os.path.realpath(target / name) not in taken]
        notes += [f"{_printable(written)}: passed over {_counted(names)}"] if names else []
    return notes


def _counted(names: Sequence[str]) -> str:
    """How many files, and the names of the first."""
    files = "1 file" if len(names) == 1 else f"{len(names)} files"
    shown = ", ".join(map(_printable, sorted(names)[:_SHOWN]))
    return f"{files}: {shown}" + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _expand(pattern: str, folder: Path) -> list[str]:
    """Paths as the pattern writes them."""
    if "\0" in pattern:
        raise InputError(f"files {pattern!r}: a file name cannot have a NUL byte")
    written = os.path.normpath(pattern)
    target = folder / os.path.expanduser(written)
    if os.path.isdir(target):
        there = list(_walk(target, None))
        names = [name for name in there if _is_data(name)]
        if not names:
            raise InputError(
                f"{_printable(written)}: no data file in this folder (jsonl, json, parquet, arrow, csv, tsv, txt, "
                f"md, rst, also compressed){f'; it has {_counted(there)}' if there else ''}; name its files by a "
                f"pattern such as {_printable(_below(written, '**/*'))}"
            )
        return [_below(written, name) for name in names]
    if os.path.lexists(target) or not _MAGIC.search(pattern):
        if not os.path.exists(target):
            raise InputError(f"{_printable(written)}: no such file; {_nearest(target)}")
        return [written]
    base, wanted = _fixed_part(written)
    try:
        shape = re.compile(_regex(wanted), re.DOTALL)
    except re.error as error:
        raise InputError(f"{_printable(written)}: the brackets are no range of characters; mend them") from error
    depth = None if "**" in wanted else len(wanted)
    hidden = any(part.startswith(".") for part in wanted)
    start = folder / os.path.expanduser(base)
    found = _walk(start, depth, hidden=hidden) if os.path.isdir(start) else ()
    names = [name for name in found if shape.fullmatch(name)]
    if not names:
        raise InputError(f"{_printable(written)}: no file has such a name; {_nearest(start / wanted[-1])}")
    return [_below(base, name) for name in names]


def _walk(top: Path, depth: int | None, *, hidden: bool = False) -> Iterator[str]:
    """Regular files below ``top`` as relative paths with ``/``."""
    entered: set[str] = set()
    waiting = [("", 1)]
    while waiting:
        below, level = waiting.pop()
        real = os.path.realpath(top / below)
        # A set of ours that was written into a folder of texts is no text of it.
        if real in entered or (below and _is_set(top / below)):
            continue
        entered.add(real)
        try:
            entries = sorted(os.scandir(top / below), key=lambda entry: entry.name)
        except OSError as error:
            raise InputError(
                f"{_printable(str(top / below))}: cannot be read ({error.strerror or error})"
            ) from error
        for entry in entries:
            name = f"{below}/{entry.name}" if below else entry.name
            if entry.name.startswith(".") and not hidden:
                continue
            kind = _kind(entry)
            if stat.S_ISDIR(kind) and (depth is None or level < depth):
                waiting.append((name, level + 1))
            elif stat.S_ISREG(kind):
                yield name


def _is_set(folder: Path) -> bool:
    return (folder / "manifest.json").is_file() and (folder / "samples.jsonl").is_file()


def _kind(entry: os.DirEntry[str]) -> int:
    """The mode of what an entry leads to; 0 when it leads nowhere."""
    try:
        return entry.stat().st_mode
    except OSError:
        return 0


def _fixed_part(pattern: str) -> tuple[str, list[str]]:
    """The folders before the first wildcard, and the parts from there on."""
    parts = pattern.split("/")
    first = next(index for index, part in enumerate(parts) if _MAGIC.search(part))
    base = "/".join(parts[:first])
    return base or ("/" if pattern.startswith("/") else "."), parts[first:]


def _regex(parts: list[str]) -> str:
    found = ""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            found += r"(?:.+)" if last else r"(?:[^/]+/)*"
        else:
            found += _name_regex(part) + ("" if last else "/")
    return found


def _name_regex(part: str) -> str:
    found = "" if part.startswith(".") else r"(?!\.)"
    for piece in re.findall(r"\[!?\]?[^\]]*\]|.", part, re.DOTALL):
        if len(piece) > 1:
            negated = piece[1] == "!"
            found += (
                "[" + ("^/" if negated else "") + re.sub(r"([\\\[\]^])", r"\\\1", piece[1 + negated : -1]) + "]"
            )
        else:
            found += {"*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))
    return found


def _below(base: str, name: str) -> str:
    return name if base == "." else f"{base.rstrip('/')}/{name}"


def _is_data(name: str) -> bool:
    last = name.rpartition("/")[2].lower()
    kind = format_by_name(last)
    return kind is not None and last not in _NO_DATA and not (kind == "text" and _ABOUT.match(last))


def _nearest(target: Path) -> str:
    parent = target.parent
    try:
        names = sorted(name for name in os.listdir(parent) if not name.startswith("."))
    except OSError:
        return f"nor the folder {_printable(str(parent))}"
    if not names:
        return "its folder is empty"
    near = difflib.get_close_matches(target.name, names, n=3, cutoff=0.5) or names[:5]
    told = ", ".join(map(_printable, near))
    return f"there is: {told}" if len(near) == 1 else f"there are: {told}"


def _printable(path: str) -> str:
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
