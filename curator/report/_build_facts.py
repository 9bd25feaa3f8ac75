"""The facts that a build prints of its set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.report._tables import of
from curator.report.format import DASH, count, is_number, one_line, percent

# Named on a terminal; the manifest has them all.
_LICENCES = 6


def build_facts(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values, without what the summary does not hold."""
    facts = [
        ("samples", count(summary.get("samples"))),
        ("tokens", count(summary.get("tokens"))),
        *_licences(summary.get("licences") or []),
        *_lost(summary),
        *_low_continuity(summary),
        ("diversity", diversity_words(summary) or DASH),
        ("set hash", one_line(summary.get("set_hash") or DASH)),
        ("written to", one_line(summary.get("out") or DASH)),
    ]
    return [(name, value) for name, value in facts if value != DASH]


def _licences(licences: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
    words = ", ".join(f"{one_line(row['licence'])} {count(row['tokens'])}" for row in licences[:_LICENCES])
    more = f" and {len(licences) - _LICENCES} more" if len(licences) > _LICENCES else ""
    return [("licences", f"{words}{more} (tokens)")] if licences else []


def _lost(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    cut, found = summary.get("cut") or {}, []
    if summary.get("unused_tokens") and not summary.get("short"):
        found.append(("left empty", f"{count(summary['unused_tokens'])} tokens of the room, by packing"))
    if cut.get("pieces"):
        found.append(("cut", f"{count(cut['tokens'])} tokens of {count(cut['pieces'])} pieces did not fit"))
    return found


def _low_continuity(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    share, most = of(summary, "low_continuity", "share"), of(summary, "low_continuity", "max_share")
    if not is_number(share) or not (share > 0 or is_number(most)):
        return []
    limit = f", at most {percent(most)}" if is_number(most) else ""
    return [("low continuity", f"{percent(share)} of the tokens{limit}")]


def diversity_words(summary: Mapping[str, Any]) -> str:
    """How texts were chosen for their diversity, and from how many; empty when they were not."""
    by, texts = of(summary, "diversity", "by"), of(summary, "diversity", "of_texts")
    if not isinstance(by, str) or by == "none":
        return ""
    return f"{one_line(by)}, chosen from {count(texts)} texts" if is_number(texts) else one_line(by)
