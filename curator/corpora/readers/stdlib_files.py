"""Which files of the running Python's standard library are text worth reading."""

from __future__ import annotations

import os
import re
import sysconfig
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# lib2to3 carries copies of tokenize and friends; encodings and pydoc_data are tables; turtledemo and
# idlelib are programs with their own tests; ensurepip and site-packages are other people's packages.
_SKIPPED_FOLDERS = frozenset(
    {"test", "tests", "idlelib", "site-packages", "dist-packages", "lib2to3", "pydoc_data", "encodings"}
    | {"turtledemo", "ensurepip", "lib-dynload", "__pycache__", "__phello__"}
)
_SKIPPED_FILES = re.compile(
    r"(_sysconfigdata.*|stringprep|entities|_casefix|this|__hello__|pickletools_data)\.py$"
)
# Modules that hold the other half of a public one: the same sentences must not be on both sides of the split.
_FAMILY = {
    "ntpath": "os",
    "posixpath": "os",
    "genericpath": "os",
    "nturl2path": "urllib",
    "_pydecimal": "decimal",
    "_pyio": "io",
    "_compat_pickle": "pickle",
    "_compression": "gzip",
    "_weakrefset": "weakref",
    "_threading_local": "threading",
    "_collections_abc": "collections",
    "_bootsubprocess": "subprocess",
    "_markupbase": "html",
    "_sitebuiltins": "site",
    "cProfile": "profile",
    "pstats": "profile",
    "sre_compile": "re",
    "sre_constants": "re",
    "sre_parse": "re",
    "asynchat": "asyncore",
    "smtpd": "asyncore",
    "imp": "importlib",
    "zipimport": "importlib",
    "_aix_support": "sysconfig",
    "_osx_support": "sysconfig",
    "distutils": "sysconfig",
    "_pydatetime": "datetime",
    "_pylong": "numbers",
    "sunau": "wave",
    "aifc": "wave",
    "bdb": "pdb",
    "pipes": "shlex",
    "bz2": "gzip",
    "lzma": "gzip",
    "tarfile": "zipfile",
    "xmlrpc": "xml",
    "cgi": "urllib",
    "wsgiref": "email",
    "chunk": "wave",
    "imghdr": "email",
    "sndhdr": "email",
    "uu": "asyncore",
}
_GENERATED = re.compile(
    r"(?i)auto-?generated|automatically generated|do not edit|generated (by|from) (the )?\w+\."
)
_TABLE_LINE = re.compile(r"\s*[\"'0-9(\[{\\]")


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """One source file of the standard library.

    Attributes:
        path: where it is.
        name: its path below the library folder, with ``/``: the same on every machine.
        module: its dotted module name.
        unit: ``python:<module family>``, what a held-out split may not cut through.
    """

    path: Path
    name: str
    module: str
    unit: str


def library_files() -> Iterator[LibraryFile]:
    """List the library's source files without tests, tables and bundled packages, in order of name."""
    root = Path(sysconfig.get_path("stdlib"))
    names: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith("config-")]
        below = Path(folder).relative_to(root)
        names += [(below / name).as_posix() for name in files if name.endswith(".py")]
    for name in sorted(names):
        if not _SKIPPED_FILES.search(name):
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            yield LibraryFile(root / name, name, module, library_unit(module))


def library_unit(module: str) -> str:
    """Name the unit of a dotted module: its top-level module, or the family that the latter belongs to."""
    top = module.partition(".")[0]
    return f"python:{_FAMILY.get(top, top)}"


def library_source(file: LibraryFile) -> str:
    """Read the file's text; an empty string when it is a table, generated, or not readable as source."""
    try:
        with tokenize.open(file.path) as handle:
            text = handle.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""
    return "" if is_table(text) else text


def is_table(text: str) -> bool:
    """Whether a source text is mostly literals (over half of its lines), or says that it is generated."""
    lines = [line for line in text.split("\n") if line.strip()]
    if _GENERATED.search("\n".join(lines[:8])):
        return True
    return len(lines) > 40 and sum(bool(_TABLE_LINE.match(line)) for line in lines) > 0.5 * len(lines)
