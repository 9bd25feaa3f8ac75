"""Good text in many languages, from installed packages and the system, to count statistics on.

Of every file of dataset-build the first half only: the second is what the benchmark reports on.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from gate_bench.installed import dataset_build
from gate_bench.train_packages import FOLDER, ROFF, translated, unpacked_sources

_LOCALE, _MANUALS = Path("/usr/share/locale"), Path("/usr/share/man")
_MESSAGES, _MANUAL, _ENGLISH_MANUAL = 400_000, 400_000, 3_000_000
"""Characters of a language at most."""
_LEAST = 3000
_TRANSLATED = (
    "da",
    "de",
    "es",
    "fr",
    "id",
    "it",
    "ja",
    "nl",
    "pl",
    "pt_BR",
    "ro",
    "ru",
    "sr",
    "sv",
    "tr",
    "uk",
    "ko",
    "zh_CN",
    "zh_TW",
)
"""Languages with more than a few translated manual pages."""

_HIDDEN = (
    "ab", "ach", "all", "as", "br", "crh", "cy", "da", "dan", "eu", "fa", "fr", "fra", "ga", "gez", "gu", "gv",
    "he", "heb", "ia", "it", "ita", "ja", "jpn", "kab", "kg", "km", "kn", "ks", "lav", "lg", "lit", "lt", "lv",
    "mai", "ml", "nb", "nor", "nso", "pa", "pa_PK", "racv", "son", "sr", "srp", "te", "ti", "tt", "vi", "vie",
    "wa", "wo", "yo",
)  # fmt: skip
"""Languages, and the source of many: a third of all, of every family, small and large."""


def training_sources() -> dict[str, str]:
    """Text by source: ``prose:``, ``code:``, ``messages:`` and ``manual:`` with the language's name."""
    out: defaultdict[str, str] = defaultdict(str)
    for file in dataset_build("*"):
        folder = file.path.parent.name
        if folder != "test":
            out[f"prose:{folder}"] += _first_half(file.text())
    for file in dataset_build("coding/*"):
        out[f"code:{file.path.parent.name}"] += _first_half(file.text())
    for language, text in _messages().items():
        if len(text) >= _LEAST:
            out[f"messages:{language}"] = text[:_MESSAGES]
    for language in _TRANSLATED:
        out[f"manual:{language}"] = _manual(_MANUALS / language, _MANUAL)
    out["manual:en"] = _manual(_MANUALS, _ENGLISH_MANUAL)
    return {name: text for name, text in sorted(out.items()) if text}


def all_sources() -> dict[str, str]:
    """As `training_sources`, with the texts of unpacked packages."""
    return training_sources() | unpacked_sources(FOLDER)[0]


def fold_sources(sources: Mapping[str, str], fold: int) -> dict[str, str]:
    """The first (fold 0) or the second half of every source."""
    return {name: text[len(text) // 2 :] if fold else text[: len(text) // 2] for name, text in sources.items()}


def hide_languages(sources: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The sources without those in some languages, and these: no tables know all languages."""
    hidden = {name for name in sources if name.partition(":")[2].partition("@")[0] in _HIDDEN}
    kept = {name: text for name, text in sources.items() if name not in hidden}
    return kept, {name: sources[name] for name in sources if name in hidden}


def _first_half(text: str) -> str:
    return text[: text.rfind("\n", 0, len(text) // 2) + 1]


def _messages() -> dict[str, str]:
    """Translated messages of the system's programs, by language."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(_LOCALE.glob("*/LC_MESSAGES/*.mo")):
        found[path.parts[-3]] += translated(path)
    return {language: "\n".join(lines) for language, lines in found.items()}


def _manual(folder: Path, most: int) -> str:
    """Manual pages without their markup."""
    parts: list[str] = []
    have = 0
    for path in sorted(folder.glob("man*/*.gz")):
        try:
            raw = gzip.decompress(path.read_bytes()).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        lines = [ROFF.sub("", line) for line in raw.split("\n") if not line.startswith((".", "'"))]
        parts.append("\n".join(lines))
        have += len(parts[-1])
        if have > most:
            break
    return "\n".join(parts)[:most]
