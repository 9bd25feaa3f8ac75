"""Packages of Debian that are made of text: fetched by apt, unpacked into a folder, not installed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

PROSE = (
    "dict-gcide", "dict-wn", "dict-foldoc", "dict-jargon", "dict-devil", "dict-vera", "manpages", "manpages-dev",
    "anarchism", "postgresql-doc-15", "perl-doc", "python3.11-doc", "libreoffice-help-en-us", "fortunes",
    "erlang-manpages", "freebsd-manpages", "debian-policy", "developers-reference", "octave-doc", "maxima-doc",
    "libssl-doc", "git-doc", "apache2-doc", "tcl8.6-doc", "tk8.6-doc",
)  # fmt: skip
"""English text."""
OTHER_LANGUAGES = {
    "manpages-de": "de", "manpages-fr": "fr", "manpages-es": "es", "libreoffice-help-de": "de",
    "libreoffice-help-fr": "fr",
}  # fmt: skip
"""Text in another language each, though some of its names and examples are English."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A package.

    Attributes:
        name: Debian's name of it.
        version: of the package.
        folder: with its files.
        language: of its text.
    """

    name: str
    version: str
    folder: Path
    language: str


def unpacked_packages(folder: Path) -> list[Unpacked]:
    """Fetch and unpack what is not there yet.

    Args:
        folder: gets the packages' files and one folder for each package.

    Raises:
        SystemExit: apt does not know a package (``apt-get update`` helps), or there is no apt.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = {**dict.fromkeys(PROSE, "en"), **OTHER_LANGUAGES}
    missing = [name for name in names if not list(folder.glob(f"{name}_*.deb"))]
    if missing:
        try:
            subprocess.run(["apt-get", "download", "-qq", *missing], cwd=folder, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"bench_curation: apt-get download: {error}; run apt-get update first") from error
    return [_unpacked(folder, name, language) for name, language in sorted(names.items())]


def _unpacked(folder: Path, name: str, language: str) -> Unpacked:
    (package,) = folder.glob(f"{name}_*.deb")
    inside = folder / name
    if not inside.is_dir():
        part = folder / f"{name}.part"
        subprocess.run(["dpkg-deb", "-x", package, part], check=True)
        part.rename(inside)
    version = subprocess.run(
        ["dpkg-deb", "-f", package, "Version"], check=True, capture_output=True, text=True
    ).stdout.strip()
    return Unpacked(name, version, inside, language)
