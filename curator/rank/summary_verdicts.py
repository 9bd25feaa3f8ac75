"""What was decided, as parts of the ranking document: where each arm stands, and each pair."""

from __future__ import annotations

from typing import Any

from curator.rank.looks import Judged
from curator.rank.pair_result import PairResult
from curator.rank.verdict_words import describe, settle_words


def place_document(name: str, judged: Judged) -> dict[str, Any]:
    """Where an arm stands.

    Returns:
        ``may_be_best``; ``from_best`` (``ci``: simultaneous interval of its KL less the lowest of the others, and
        ``may_be_best``) of the user's arms where there are several; ``dropped`` (``look``) after its last draw.
    """
    found: dict[str, Any] = {"may_be_best": judged.ranking is not None and name in judged.ranking.best}
    for one in judged.ranking.from_best if judged.ranking else ():
        if one.name == name:
            found["from_best"] = {"ci": list(one.ci), "may_be_best": one.may_be_best}
    if name in judged.dropped:
        found["dropped"] = {"look": judged.dropped[name]}
    return found


def pair_document(pair: PairResult, void: bool) -> dict[str, Any]:
    """A pair: difference, interval, p, verdict, and what would settle it.

    Args:
        pair: see `PairResult`.
        void: draws share so much text that no verdict is about recipes.
    """
    document = {
        "a": pair.a,
        "b": pair.b,
        "diff": pair.diff,
        "ci": list(pair.ci),
        "se": pair.se,
        "p": pair.p,
        "p_holm": pair.p_adjusted,
        "verdict": pair.verdict,
        "equivalent": pair.equivalent,
        "scope": "sets" if void else pair.scope,
        "family": pair.family,
        "words": describe(pair),
    }
    if pair.signs_agree is not None:
        document["signs_agree"] = pair.signs_agree
    if pair.settle is not None:
        document["settle"] = _settle(pair)
    return document


def _settle(pair: PairResult) -> dict[str, Any]:
    """``as`` (separated or equivalent), ``draws``, ``prompts``, ``both``, ``power`` and ``words``."""
    found = pair.settle
    if found is None:
        return {}
    return {
        "as": found.as_,
        "draws": found.draws,
        "prompts": found.prompts,
        "both": None if found.both is None else list(found.both),
        "power": found.power,
        "words": settle_words(pair),
    }
