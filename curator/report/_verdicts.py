"""What a ranking document says about pairs of arms, in words that both reports share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.report.format import (
    count,
    interval,
    is_interval,
    is_number,
    kl,
    listing,
    one_line,
    p_equation,
    spread,
)

Document = Mapping[str, Any]

SCOPES = {
    "sets": "These sets: the verdict is about the very sets that were drawn (one or two draws of a recipe); "
    "new draws of the same recipes may rank otherwise.",
    "provisional": "Provisional: the verdict is about the recipes, but three or four draws tell the spread "
    "between draws only roughly.",
    "recipes": "Recipes: with five draws or more of each, the verdict is about the recipes and allows for "
    "new draws of them.",
}
SCOPE_NAMES = {"sets": "these sets", "provisional": "provisional", "recipes": "recipes"}
TIED_IS_NOT_EQUAL = (
    "Tied: this run does not separate the two, which is no evidence that they are equal. "
    "Equivalent: the interval of the difference lies within the margin fixed for the run."
)
_NAMED = 4
_OPPOSITE = {"better": "worse", "worse": "better", "tied": "tied"}


def is_null(arm: Document) -> bool:
    """Whether an arm is a control that is not ranked."""
    return arm.get("kind") == "null"


def arms_of(ranking: Document) -> list[Document]:
    """The user's arms first, then the null arms, each in the document's order (by mean KL)."""
    arms = ranking.get("arms") or []
    return sorted(arms, key=is_null)


def pairs_of(ranking: Document, family: str | None = None) -> list[Document]:
    """The pairs of a ranking, all or of one Holm family."""
    pairs = ranking.get("pairs") or []
    return [pair for pair in pairs if family is None or pair.get("family", "user") == family]


def turned(pair: Document) -> dict[str, Any]:
    """The same pair seen from its second arm."""
    other = dict(pair)
    other["a"], other["b"] = pair["b"], pair["a"]
    other["verdict"] = _OPPOSITE[verdict(pair)]
    other["diff"] = -pair["diff"] if is_number(pair.get("diff")) else None
    ci = pair.get("ci")
    other["ci"] = [-ci[1], -ci[0]] if is_interval(ci) else None
    return other


def verdict(pair: Document) -> str:
    """``better``, ``worse`` or ``tied``; anything else in the document counts as tied."""
    word = pair.get("verdict")
    return word if word in ("better", "worse") else "tied"


def label(pair: Document) -> str:
    """The verdict as one word, or two when a difference is real but inside the margin."""
    word = verdict(pair)
    if not pair.get("equivalent"):
        return word
    return "equivalent" if word == "tied" else f"{word}, small"


def lower_first(pair: Document) -> Document:
    """The pair turned so that the arm with the lower KL is named first."""
    word = verdict(pair)
    difference = pair.get("diff")
    higher = word == "worse" or (word == "tied" and is_number(difference) and difference > 0)
    return turned(pair) if higher else pair


def pair_table(ranking: Document) -> dict[tuple[str, str], Document]:
    """Every pair under both orders of its arms."""
    table: dict[tuple[str, str], Document] = {}
    for pair in pairs_of(ranking):
        table[pair["a"], pair["b"]] = pair
        table[pair["b"], pair["a"]] = turned(pair)
    return table


def rank_ranges(ranking: Document) -> dict[str, str]:
    """The ranks an arm of the user may hold, given the verdicts: ``1``, or ``1-3`` for a tie.

    The first is one more than the number of arms that are better than it, the last is the number of arms less
    those that it is better than. Ties are not transitive, so a tie group would claim too much.
    """
    names = [arm["name"] for arm in arms_of(ranking) if not is_null(arm)]
    table = pair_table(ranking)
    ranges = {}
    for name in names:
        verdicts = [verdict(table[name, other]) for other in names if (name, other) in table]
        first, last = 1 + verdicts.count("worse"), len(names) - verdicts.count("better")
        ranges[name] = str(first) if first == last else f"{first}-{last}"
    return ranges


def sentence(pair: Document, decimals: int, ends: int) -> tuple[str, str, str]:
    """A pair in three parts, the middle one the verdict: ``a`` / ``is better than`` / ``b by 0.02 [...]``."""
    pair = lower_first(pair)
    a, b, word = one_line(pair["a"]), one_line(pair["b"]), label(pair)
    p = p_equation(pair.get("p_holm"))
    if verdict(pair) == "tied":
        difference = f"difference {kl(pair.get('diff'), decimals)} {interval(pair.get('ci'), ends)}, {p}"
        ways = settled_by(pair)
        return f"{a} and {b} are ", word, f": {difference}" + (f"; {ways} would settle it" if ways else "")
    by = turned(pair)
    size = f"{kl(by['diff'], decimals)} {interval(by['ci'], ends)}, {p}"
    small = ", inside the margin" if pair.get("equivalent") else ""
    return f"{a} is ", "better", f" than {b} by {size}{small}"


def settled_by(pair: Document) -> str:
    """What would settle a pair, in a few words: ``about 12 draws or 340 prompts``; empty where nothing would."""
    found = pair.get("settle") or {}
    ways = [f"{count(found[name])} {name}" for name in ("draws", "prompts") if is_number(found.get(name))]
    both = found.get("both")
    if is_interval(both):
        ways.append(f"{count(both[0])} draws on {count(both[1])} prompts")
    return f"about {' or '.join(ways)}" if ways else ""


def relations(name: str, others: Sequence[str], table: Mapping[tuple[str, str], Document]) -> list[str]:
    """What one arm is to others, grouped: ``better than a and b``, ``tied with c``.

    Groups of more than ``_NAMED`` arms are counted, ``better than 9 arms``, so that a line stays a line.
    """
    groups: dict[str, list[str]] = {}
    for other in others:
        if (name, other) in table:
            groups.setdefault(label(table[name, other]), []).append(one_line(other))
    phrases = {
        "better": "better than",
        "better, small": "better, inside the margin, than",
        "equivalent": "equivalent to",
        "tied": "tied with",
        "worse, small": "worse, inside the margin, than",
        "worse": "worse than",
    }
    return [
        f"{phrase} {listing(names) if len(names) <= _NAMED else f'{len(names)} arms'}"
        for word, phrase in phrases.items()
        if (names := groups.get(word))
    ]


def may_be_best(ranking: Document) -> str | None:
    """The arms that the run does not rule out as the best, as a sentence."""
    user = [arm for arm in arms_of(ranking) if not is_null(arm)]
    best = [one_line(arm["name"]) for arm in user if arm.get("may_be_best")]
    if not best:
        return None
    if len(best) == 1:
        return f"Best: {best[0]}; the run rules out every other arm." if len(user) > 1 else None
    if len(best) == len(user):
        return f"Any of the {len(user)} arms may be the best."
    return f"May be the best: {listing(best)} ({len(best)} of {len(user)} arms)."


def looks(ranking: Document) -> str | None:
    """The looks of a run that drew in stages, as a sentence."""
    plan = ranking.get("looks") or {}
    planned = plan.get("planned") or []
    if len(planned) < 2:
        return None
    dropped = [arm for arm in arms_of(ranking) if arm.get("dropped")]
    made = f"Looks planned at {listing(planned)} draws an arm, {plan.get('made')} made; they share one error rate."
    if not dropped:
        return made
    names = listing(f"{one_line(arm['name'])} (look {arm['dropped'].get('look')})" for arm in dropped)
    return f"{made} Dropped, since another arm is better: {names}; their intervals are of that look."


def detectable(ranking: Document) -> str | None:
    """The smallest detectable difference, as a sentence."""
    value = ranking.get("smallest_detectable")
    if not is_number(value):
        return None
    return (
        f"Smallest detectable difference: {spread(value)} nats a token (80 % power after Holm); "
        "smaller ones are found less often, and below about two thirds of it 'tied' is the likelier outcome."
    )


def floors(ranking: Document) -> list[tuple[str, str, str]]:
    """Noise floors as (name, SD, words); the one that joins the standard errors comes last."""
    document = ranking.get("floors") or {}
    rows = [
        (one_line(name), spread(floor.get("sd")), one_line(floor.get("words") or ""))
        for name, floor in document.items()
        if isinstance(floor, Mapping)
    ]
    if is_number(document.get("used_sd")):
        several = any(name.startswith("used, ") for name in document)
        words = (
            "the largest: of the arm without data" if several else "joins the standard error of every difference"
        )
        rows.append(("used", spread(document["used_sd"]), words))
    return rows
