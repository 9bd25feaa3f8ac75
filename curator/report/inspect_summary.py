"""What a set folder holds, counted on the token ids and parts in it, not on what was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from curator.report._tables import of

_BINS = 8


def inspection(
    manifest: Mapping[str, Any],
    samples: Sequence[Mapping[str, Any]],
    control: Mapping[int, str] | None,
    ends: Mapping[str, int | None],
) -> dict[str, Any]:
    """Count a set.

    Args:
        manifest: the set's manifest.
        samples: its samples, with ``input_ids`` and ``parts``.
        control: the tokenizer's control tokens by id; ``None`` when no tokenizer is at hand.
        ends: ids of the tokens called ``start`` and ``end``, where there are such.

    Returns:
        A JSON object.
    """
    lengths = [len(sample["input_ids"]) for sample in samples]
    parts = [part for sample in samples for part in sample["parts"]]
    documents: Counter[str] = Counter()
    for part in parts:
        documents[_document(part)] += part["end"] - part["start"]
    crossing = Counter(part["id"] for part in parts)
    return {
        "name": manifest.get("name"),
        "draw": manifest.get("draw"),
        "set_hash": manifest.get("set_hash"),
        "tokenizer": of(manifest, "tokenizer", "fingerprint"),
        "samples": len(samples),
        "tokens": sum(lengths),
        "lengths": {**_spread(lengths), "histogram": histogram(lengths)},
        "tasks": _tasks(parts, manifest),
        "languages": _by(parts, "language"),
        "licences": _by(parts, "licence"),
        "sources": _sources(parts),
        "documents": {
            "count": len(documents),
            "lengths": {**_spread(list(documents.values())), "histogram": histogram(list(documents.values()))},
            "per_sample": _spread([len(sample["parts"]) for sample in samples]),
            "in_several_samples": sum(times > 1 for times in crossing.values()),
        },
        "cut": _cut(manifest),
        "control_tokens": None if control is None else _control(samples, control, ends),
        "policy": manifest.get("policy") or {},
        "encoding_notes": manifest.get("encoding_notes") or {},
        "warnings": list(manifest.get("warnings") or []),
    }


def histogram(values: Sequence[int]) -> list[dict[str, int]]:
    """Counts by value when there are few, else in ranges of equal width; ``least`` and ``most`` are inclusive."""
    counts = Counter(values)
    if len(counts) <= _BINS:
        return [{"least": value, "most": value, "count": counts[value]} for value in sorted(counts)]
    low, high = min(values), max(values)
    width = -(-(high - low + 1) // _BINS)
    bins = Counter((value - low) // width for value in values)
    return [
        {"least": low + width * place, "most": min(low + width * (place + 1) - 1, high), "count": bins[place]}
        for place in range((high - low) // width + 1)
    ]


def _spread(values: Sequence[int]) -> dict[str, int]:
    ordered = sorted(values) or [0]
    return {"least": ordered[0], "median": ordered[(len(ordered) - 1) // 2], "most": ordered[-1]}


def _tasks(parts: Sequence[Mapping[str, Any]], manifest: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    counted = _by(parts, "task")
    asked = manifest.get("asked") or {}
    nothing = {"tokens": 0, "share": 0.0, "documents": 0}
    return {
        task: {**counted.get(task, nothing), "asked": asked.get(task)}
        for task in dict.fromkeys([*asked, *counted])
    }


def _by(parts: Sequence[Mapping[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    """Tokens, their share and documents by a key of the parts; the most tokens first."""
    tokens: Counter[str] = Counter()
    documents: dict[str, set[str]] = {}
    for part in parts:
        name = str(part.get(key) or "unknown")
        tokens[name] += part["end"] - part["start"]
        documents.setdefault(name, set()).add(_document(part))
    return {
        name: {
            "tokens": tokens[name],
            "share": round(tokens[name] / max(tokens.total(), 1), 6),
            "documents": len(documents[name]),
        }
        for name in sorted(tokens, key=lambda name: (-tokens[name], name))
    }


def _sources(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for source, counted in _by(parts, "source").items():
        own = [part for part in parts if str(part.get("source") or "unknown") == source]
        words = {
            key: ", ".join(dict.fromkeys(str(part.get(key) or "unknown") for part in own))
            for key in ("task", "licence")
        }
        found.append({"source": source, **words, **counted})
    return found


def _cut(manifest: Mapping[str, Any]) -> dict[str, int]:
    """Texts whose end did not fit, and the tokens lost so: the manifest's own sum where it has one."""
    whole = manifest.get("cut")
    if isinstance(whole, Mapping):
        return {"pieces": whole.get("pieces", 0), "tokens": whole.get("tokens", 0)}
    lost = [document.get("cut_tokens") or 0 for document in manifest.get("documents") or []]
    return {"pieces": sum(tokens > 0 for tokens in lost), "tokens": sum(lost)}


def _control(
    samples: Sequence[Mapping[str, Any]], control: Mapping[int, str], ends: Mapping[str, int | None]
) -> list[dict[str, Any]]:
    counts: Counter[int] = Counter()
    first: Counter[int] = Counter()
    for sample in samples:
        counts.update(token for token in sample["input_ids"] if token in control)
        first[sample["input_ids"][0]] += 1
    names = {token: name for name, token in reversed(list(ends.items())) if token is not None}
    shown = sorted({*counts, *names}, key=lambda token: (-counts[token], token))
    return [
        {
            "id": token,
            "text": control.get(token, ""),
            "kind": names.get(token, "control"),
            "count": counts[token],
            "samples_begun": first[token],
        }
        for token in shown
    ]


def _document(part: Mapping[str, Any]) -> str:
    """The document of a part: its id without the number of the piece."""
    name = str(part["id"])
    return name.rpartition(":")[0] or name
