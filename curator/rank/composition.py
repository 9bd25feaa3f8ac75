"""What the sets of each arm are made of, from their manifests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from curator.rank.arms import Arm

# A data set may have hundreds of sources or licences: the document keeps its size.
_NAMED = 12
OTHERS = "others"

Counts = Callable[[Mapping[str, Any]], Mapping[str, float]]


def composition(arms: Sequence[Arm]) -> dict[str, Any]:
    """Shares of tokens over an arm's draws: by task, source, language, licence, and low continuity.

    Returns:
        By kind of share (``task``, ``source``, ``language``, ``licence``, ``low continuity``) the shares by arm; a
        kind that no set tells is left out. The largest parts are named, the rest is ``others``.
    """
    kinds: dict[str, Counts] = {
        "task": lambda manifest: manifest.get("shares") or {},
        "source": _sources,
        "language": _languages,
        "licence": _licences,
        "low continuity": _low_continuity,
    }
    found = {kind: _of_kind(arms, counts) for kind, counts in kinds.items()}
    return {kind: by_arm for kind, by_arm in found.items() if by_arm}


def _of_kind(arms: Sequence[Arm], counts: Counts) -> dict[str, dict[str, float]]:
    by_arm = {arm.name: _shares([counts(draw.manifest) for draw in arm.draws]) for arm in arms}
    total: dict[str, float] = defaultdict(float)
    for shares in by_arm.values():
        for name, share in shares.items():
            total[name] += share
    named = sorted(total, key=lambda name: (-total[name], name))[:_NAMED]
    return {arm: _folded(shares, named) for arm, shares in by_arm.items() if shares}


def _shares(draws: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean over draws of the shares of a total; counts and shares alike."""
    known = [{name: float(size) for name, size in one.items()} for one in draws if one]
    sums = [sum(one.values()) or 1.0 for one in known]
    names = dict.fromkeys(name for one in known for name in one)
    return {
        name: sum(one.get(name, 0.0) / whole for one, whole in zip(known, sums, strict=True)) / len(known)
        for name in names
    }


def _folded(shares: Mapping[str, float], named: Sequence[str]) -> dict[str, float]:
    kept = {name: shares[name] for name in named if name in shares}
    rest = sum(share for name, share in shares.items() if name not in named)
    return {**kept, OTHERS: rest} if rest > 0 else kept


def _sources(manifest: Mapping[str, Any]) -> dict[str, float]:
    tokens: dict[str, float] = defaultdict(float)
    for source in manifest.get("sources") or []:
        tokens[str(source["corpus"])] += source.get("tokens_got") or 0
    return {name: size for name, size in tokens.items() if size > 0}


def _languages(manifest: Mapping[str, Any]) -> dict[str, float]:
    tokens: dict[str, float] = defaultdict(float)
    for document in manifest.get("documents") or []:
        tokens[str(document.get("language") or "und")] += document.get("tokens") or 0
    return {name: size for name, size in tokens.items() if size > 0}


def _licences(manifest: Mapping[str, Any]) -> dict[str, float]:
    return {str(row["licence"]): row["tokens"] for row in manifest.get("licences") or [] if row.get("tokens")}


def _low_continuity(manifest: Mapping[str, Any]) -> dict[str, float]:
    share = (manifest.get("low_continuity") or {}).get("share")
    return {} if share is None else {"low": share, "continuous": 1 - share}
