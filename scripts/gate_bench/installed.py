"""Text files of installed packages and of the running Python, with the unit that each belongs to."""

from __future__ import annotations

import importlib.util
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gate_bench.draw import half_of

_MOST_BYTES = 400_000


@dataclass(frozen=True)
class SourceFile:
    """A file to take text from.

    Attributes:
        path: where it is.
        name: ``package/path`` below the folder it was found in: the same on every machine.
        unit: what a half may not cut through.
    """

    path: Path
    name: str
    unit: str

    @property
    def half(self) -> int:
        """Its half, by its unit."""
        return half_of(self.unit)

    def text(self) -> str:
        """Its content, at most 400,000 characters; an empty string when it is not UTF-8."""
        try:
            return self.path.read_bytes()[:_MOST_BYTES].decode("utf-8").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError):
            return ""


def site_packages() -> Path:
    """The folder of installed packages."""
    return Path(sysconfig.get_path("purelib"))


def standard_library() -> Path:
    """The folder of Python's own modules."""
    return Path(sysconfig.get_path("stdlib"))


@cache
def package_files(package: str, pattern: str, depth: int = 2) -> tuple[SourceFile, ...]:
    """Files of a package, by name.

    Args:
        package: folder below site-packages; ``*.dist-info`` and the like may be patterns.
        pattern: as in ``Path.rglob``.
        depth: how many parts of a file's path make its unit; 1 is the package.
    """
    root = site_packages()
    found = [path for folder in root.glob(package) for path in folder.rglob(pattern) if path.is_file()]
    names = sorted((path.relative_to(root).as_posix(), path) for path in found)
    # Our own text changes with every commit.
    names = [(name, path) for name, path in names if not name.startswith(("curator/", "curate_nvfp4"))]
    return tuple(SourceFile(path, name, "/".join(name.split("/")[:depth])) for name, path in names)


@cache
def library_files(pattern: str) -> tuple[SourceFile, ...]:
    """Files of the standard library by name; a top-level module, or a file of its tests, is a unit."""
    root = standard_library()
    names = sorted((path.relative_to(root).as_posix(), path) for path in root.glob(pattern) if path.is_file())
    files = [(name, path) for name, path in names if "site-packages" not in name]
    return tuple(
        SourceFile(path, f"python/{name}", f"python/{'/'.join(name.split('/')[:2])}") for name, path in files
    )


@cache
def dataset_build(folder: str) -> tuple[SourceFile, ...]:
    """Text files of ``dataset-build`` in one of its folders, each a unit."""
    spec = importlib.util.find_spec("dataset_build")
    if spec is None or not spec.submodule_search_locations:
        return ()
    data = Path(spec.submodule_search_locations[0]) / "data"
    files = sorted(data.glob(f"{folder}/*.txt"))
    return tuple(
        SourceFile(path, f"dataset-build/{path.relative_to(data)}", f"dataset-build/{path.name}") for path in files
    )
