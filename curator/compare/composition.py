"""What two sets consist of: shares of their tokens by task, source, language, licence and length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from curator._errors import InputError
from curator.compare.change import mapping, real, rows

Documents = Sequence[Mapping[str, Any]]

# Bins of lengths double; texts of fewer tokens than this are one bin.
_SHORTEST = 64
_PARTS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "task": lambda piece: str(piece.get("task")),
    "source": lambda piece: str(piece.get("corpus")),
    "language": lambda piece: str(piece.get("language")),
    "licence": lambda piece: str(piece.get("licence")),
    "length": lambda piece: _bin(int(piece["tokens"])),
}


def pieces_of(manifest: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The pieces of text that a set is made of, each with the tokens of it that are in the set.

    Args:
        manifest: of the set; a null arm's names none.
        name: what the user calls the set.

    Raises:
        InputError: the manifest's list is damaged.
    """
    stored = manifest.get("documents", [])
    whole = isinstance(stored, list) and all(isinstance(row, dict) and _sound(row) for row in stored)
    if not whole:
        raise InputError(f"{name}: manifest.json's documents are damaged; build the set again")
    return list(stored)


def composition(first: Documents, second: Documents) -> dict[str, Any]:
    """Shares of the tokens of both sets.

    Args:
        first: as `pieces_of` gives them.
        second: the same.

    Returns:
        By ``task``, ``source``, ``language``, ``licence`` and ``length`` of a piece: ``rows``, each with
        ``name`` and, for ``first`` and ``second``, ``tokens``, ``share`` and ``pieces``, those that differ most
        first; and ``moved``, the share of tokens that would have to change their row to make the sets equal
        (total variation distance). Nothing where a set has no pieces.
    """
    if not first or not second:
        return {}
    return {part: _part(first, second, key) for part, key in _PARTS.items()}


def set_facts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What a set says of itself, apart from its pieces."""
    names = ("set_hash", "samples", "tokens", "name", "draw", "model", "heldout_hash", "tool")
    return {
        **{name: manifest[name] for name in names if name in manifest},
        **{f"tokenizer {key}": value for key, value in mapping(manifest.get("tokenizer")).items()},
        **{
            f"revision of {row.get('corpus')}": row["revision"]
            for row in rows(manifest.get("sources"))
            if row.get("revision")
        },
    }


def _sound(row: Mapping[str, Any]) -> bool:
    tokens = real(row.get("tokens"))
    return isinstance(row.get("id"), str) and tokens is not None and tokens >= 0


def _part(first: Documents, second: Documents, key: Callable[[Mapping[str, Any]], str]) -> dict[str, Any]:
    sides = [_counted(documents, key) for documents in (first, second)]
    nothing = {"tokens": 0, "share": 0.0, "pieces": 0}
    found: list[dict[str, Any]] = [
        {"name": name, "first": sides[0].get(name, nothing), "second": sides[1].get(name, nothing)}
        for name in dict.fromkeys([*sides[0], *sides[1]])
    ]
    found.sort(key=lambda row: (-abs(_moved(row)), row["name"]))
    return {"rows": found, "moved": sum(abs(_moved(row)) for row in found) / 2}


def _moved(row: Mapping[str, Any]) -> float:
    return float(row["second"]["share"] - row["first"]["share"])


def _counted(documents: Documents, key: Callable[[Mapping[str, Any]], str]) -> dict[str, dict[str, Any]]:
    tokens: dict[str, int] = defaultdict(int)
    pieces: dict[str, int] = defaultdict(int)
    for piece in documents:
        tokens[key(piece)] += int(piece["tokens"])
        pieces[key(piece)] += 1
    total = sum(tokens.values()) or 1
    return {
        name: {"tokens": tokens[name], "share": tokens[name] / total, "pieces": pieces[name]} for name in tokens
    }


def _bin(tokens: int) -> str:
    top = _SHORTEST
    while tokens > top:
        top *= 2
    return f"up to {top:,}" if top == _SHORTEST else f"{top // 2 + 1:,} to {top:,}"
