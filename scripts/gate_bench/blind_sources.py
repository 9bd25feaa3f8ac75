"""Texts of packages that nothing else here is from, for the blind part: manuals, messages, programs, bytes.

They are unpacked into a folder (`HOW_TO_GET`); without it there is no blind part.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from gate_bench.installed import SourceFile
from gate_bench.train_packages import translated

FOLDER = Path(__file__).parents[2] / "build" / "blind"
BLIND = 2
"""Number of the part, as 0 and 1 are the halves."""
_MANUALS = tuple(
    f"debian-edu-doc-{name}" for name in ("da", "de", "en", "es", "fr", "it", "ja", "nb-no", "nl", "zh-cn")
)
_PROGRAMS = {
    "go": ("golang-1.19-src", "*.go"),
    "ruby": ("libruby3.1", "*.rb"),
    "octave": ("octave-common", "*.m"),
    "php": ("phpmyadmin", "*.php"),
    "lisp": ("sbcl-source", "*.lisp"),
    "lua": ("lua-penlight", "*.lua"),
    "tcl": ("libtcl8.6", "*.tcl"),
    "vim": ("vim-runtime", "*.vim"),
    "shell": ("bash-completion", "completions/*"),
    "javascript": ("libjs-jquery-ui", "ui/*.js"),
}
"""Programs by language: package, and pattern of their names."""
_BYTES = (("gnome-user-docs", "*.png"), ("tuxpaint-data", "*.ogg"), ("debian-archive-keyring", "*.gpg"))
_TEXTS = ("vim-runtime", "*/doc/*.txt")
PACKAGES = tuple(
    sorted({"gnome-user-docs", "tuxpaint-data", *_MANUALS, *(name for name, _ in (*_PROGRAMS.values(), *_BYTES))})
)
HOW_TO_GET = f"apt-get download {' '.join(PACKAGES)}; dpkg -x NAME_*.deb {FOLDER}/NAME for each"
NAMES = {
    "C": "eng", "en": "eng", "ar": "ara", "bg": "bul", "bn": "ben", "cs": "ces", "da": "dan", "de": "deu",
    "el": "ell", "es": "spa", "et": "est", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv",
    "hu": "hun",
    "id": "ind", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "lv": "lav", "nb": "nor", "nl": "nld",
    "pl": "pol", "pt": "por", "pt_BR": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp",
    "sv": "swe", "sw": "swa", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "zho", "zh_CN": "zho",
}  # fmt: skip
"""Name of a language that the halves have too, by its folder's."""
_PARAGRAPH = re.compile(r"(?s)<(?:p|title|desc|item><p)\b[^>]*>(.*?)</")
_TAG = re.compile(r"<[^>]*>")
_LEAST = 40
"""Characters of a paragraph."""
_ENOUGH = 30_000
"""Characters of a language that words are drawn from."""
_MOST_FILES = 400


def is_there() -> bool:
    """Whether all the packages are unpacked."""
    return all((FOLDER / name).is_dir() for name in PACKAGES)


@cache
def blind_texts() -> Mapping[str, str]:
    """Paragraphs by language: the name that the halves have for it, or its folder's."""
    out: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for name, paragraphs in _paragraphs():
        if name.startswith("en_"):
            continue
        language = NAMES.get(name, name)
        out[language].update((line, None) for part in paragraphs if len(line := " ".join(part.split())) >= _LEAST)
    english = out["eng"]
    return {
        name: "\n".join(line for line in lines if name == "eng" or line not in english)
        for name, lines in sorted(out.items())
    }


def _paragraphs() -> Iterator[tuple[str, list[str]]]:
    for path in sorted((FOLDER / "gnome-user-docs" / "usr/share/help").glob("*/gnome-help/*.page")):
        yield path.parts[-3], _marked(path)
    for package in _MANUALS:
        language = package.removeprefix("debian-edu-doc-").replace("-no", "").replace("-cn", "")
        for path in sorted((FOLDER / package).rglob("*.html")):
            yield language, _marked(path)
    for path in sorted((FOLDER / "tuxpaint-data").rglob("*.mo")):
        yield path.parts[-3], [_TAG.sub("", text) for text in translated(path)]


def _marked(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="ignore")
    return [html.unescape(_TAG.sub("", found)) for found in _PARAGRAPH.findall(text)]


@cache
def languages() -> tuple[str, ...]:
    """Names of the languages that words can be drawn from, but for English."""
    every = blind_texts()
    return tuple(
        name for name in every if name != "eng" and name in NAMES.values() and len(every[name]) >= _ENOUGH
    )


@cache
def programs() -> Mapping[str, tuple[SourceFile, ...]]:
    """Programs by language."""
    return {name: _files(*place) for name, place in _PROGRAMS.items()}


def manuals() -> tuple[SourceFile, ...]:
    """The manual of an editor."""
    return tuple(file for file in _files(_TEXTS[0], "*.txt") if "/doc/" in file.name)


def files_of_bytes() -> list[SourceFile]:
    """Pictures, sounds and keys."""
    return [file for place in _BYTES for file in _files(*place)]


def _files(package: str, pattern: str) -> tuple[SourceFile, ...]:
    root = FOLDER / package
    paths = sorted(path for path in root.rglob(pattern) if path.is_file() and not path.is_symlink())
    step = max(1, len(paths) // _MOST_FILES)
    names = [f"{package}/{path.relative_to(root).as_posix()}" for path in paths[::step]]
    return tuple(SourceFile(path, name, name) for path, name in zip(paths[::step], names, strict=True))
