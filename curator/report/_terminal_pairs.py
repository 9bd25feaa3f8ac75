"""The verdicts of a ranking as a few lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from curator.report._ranking_tables import kl_decimals
from curator.report._verdicts import (
    SCOPES,
    Document,
    arms_of,
    is_null,
    lower_first,
    pair_table,
    pairs_of,
    relations,
    sentence,
)
from curator.report.format import one_line

LINES = 12
_STYLES = {"better": "green", "equivalent": "cyan"}


def verdict_lines(ranking: Document) -> list[tuple[str, list[Text]]]:
    """Verdicts under the scope that they speak for, in at most ``LINES`` lines.

    Pairs of the user's arms get a sentence each, with the difference and its interval, as long as there is
    room; otherwise, and for pairs with a null arm, a line an arm says what it is to the others.
    """
    user = pairs_of(ranking, "user")
    null_lines = _against_null(ranking)
    room = LINES - len(null_lines)
    groups = _sentences(ranking, user) if len(user) <= room else _grouped(ranking, user, room)
    if null_lines:
        groups.append(("Null arms (a family of their own; all pairs are in the HTML report)", null_lines))
    return groups


def _sentences(ranking: Document, pairs: Sequence[Document]) -> list[tuple[str, list[Text]]]:
    decimals = kl_decimals(ranking)[0]
    groups: dict[str, list[Text]] = {}
    for pair in pairs:
        before, word, after = sentence(pair, decimals, decimals)
        line = Text.assemble(before, (word, _STYLES.get(word, "")), after)
        groups.setdefault(str(pair.get("scope")), []).append(line)
    return [(SCOPES.get(scope, "Verdicts"), lines) for scope, lines in groups.items()]


def _grouped(ranking: Document, pairs: Sequence[Document], room: int) -> list[tuple[str, list[Text]]]:
    """A line an arm: what it is to the arms of higher KL."""
    groups = []
    names = [arm["name"] for arm in arms_of(ranking) if not is_null(arm)]
    scopes = list(dict.fromkeys(str(pair.get("scope")) for pair in pairs))
    for scope in scopes:
        of_scope = [lower_first(pair) for pair in pairs if str(pair.get("scope")) == scope]
        table = {(pair["a"], pair["b"]): pair for pair in of_scope}
        lines = []
        for name in names:
            phrases = relations(name, names, table)
            if phrases:
                lines.append(Text(f"{one_line(name)}: {'; '.join(phrases)}"))
        groups.append((SCOPES.get(scope, "Verdicts"), lines))
    return _cut(groups, room)


def _cut(groups: Sequence[tuple[str, list[Text]]], room: int) -> list[tuple[str, list[Text]]]:
    """The first ``room`` lines, the last of them saying how many more there are."""
    total = sum(len(lines) for _, lines in groups)
    if total <= room:
        return list(groups)
    left = room - 1
    kept = []
    for heading, lines in groups:
        if left > 0:
            kept.append((heading, lines[:left]))
            left -= len(lines[:left])
    hidden = total - sum(len(lines) for _, lines in kept)
    kept[-1][1].append(Text(f"{hidden} more lines are in the HTML report.", "dim"))
    return kept


def _against_null(ranking: Document) -> list[Text]:
    """A line a null arm: what the user's arms are to it."""
    table = pair_table(ranking)
    lines = []
    user = [arm["name"] for arm in arms_of(ranking) if not is_null(arm)]
    for arm in arms_of(ranking):
        if not is_null(arm):
            continue
        phrases = relations(arm["name"], user, table)
        scopes = {str(table[arm["name"], other].get("scope")) for other in user if (arm["name"], other) in table}
        about = " (these sets)" if scopes == {"sets"} else " (provisional)" if "provisional" in scopes else ""
        if phrases:
            lines.append(Text(f"{one_line(arm['name'])}: {'; '.join(phrases)}{about}"))
    return lines[: LINES // 2]
