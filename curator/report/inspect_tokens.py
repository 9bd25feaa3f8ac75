"""Samples token by token, as plain data for the terminal, HTML and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.report.format import clean

# Of a long document the beginning and the end are shown.
HEAD, TAIL = 48, 24
# Tokens before the tail that are decoded with it, so that its first one keeps its space.
_CONTEXT = 8
_ABOUT = ("id", "task", "source", "language", "licence", "start", "end")
_VISIBLE = str.maketrans({" ": "·", "\t": "⇥", "\n": "↵", "\r": "␍", "\u00a0": "⍽"})


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What is needed of a tokenizer to show its tokens.

    Attributes:
        texts: from ids to what each adds to the text.
        control: how each control token is written, by id.
        start: id of the start token, if any.
        end: id of the end token, if any.
    """

    texts: Callable[[Sequence[int]], list[str]]
    control: Mapping[int, str]
    start: int | None
    end: int | None

    def kind(self, token: int, text: str) -> str:
        """``start``, ``end`` or ``control``; ``part`` of a character that a later token ends; else ``text``."""
        if token in self.control:
            return {self.end: "end", self.start: "start"}.get(token, "control")
        return "text" if text else "part"


def sample_views(
    samples: Sequence[Mapping[str, Any]],
    manifest: Mapping[str, Any],
    vocabulary: Vocabulary,
    only: int | None = None,
) -> Iterable[dict[str, Any]]:
    """One object a sample: its documents in order, each with its tokens.

    A token is an object with ``id``, ``text`` and ``kind``; ``{"folded": n}`` stands for n tokens left out.

    Args:
        samples: the set's samples.
        manifest: the set's manifest.
        vocabulary: of the set's tokenizer.
        only: the number of one sample, which then is shown whole.
    """
    cut = {entry.get("id"): entry.get("cut_tokens") or 0 for entry in manifest.get("documents") or []}
    where: dict[str, list[int]] = {}
    for number, sample in enumerate(samples):
        for part in sample["parts"]:
            where.setdefault(part["id"], []).append(number)
    for number, sample in enumerate(samples):
        if only is not None and number != only:
            continue
        ids = sample["input_ids"]
        before = sample["parts"][0]["start"] if sample["parts"] else len(ids)
        yield {
            "id": sample.get("id"),
            "number": number,
            "n_tokens": len(ids),
            "prefix": _tokens(ids, 0, before, vocabulary),
            "documents": [
                {
                    **{key: part.get(key) for key in _ABOUT},
                    **_neighbours(where[part["id"]], number, cut.get(part["id"], 0)),
                    "tokens": _folded(ids, part["start"], part["end"], vocabulary, whole=only is not None),
                }
                for part in sample["parts"]
            ],
        }


def boundary_words(document: Mapping[str, Any]) -> list[str]:
    """What a document's heading says besides its id: task, source, tokens, and where the rest of it is."""
    words = [
        document["task"],
        document["source"],
        document["language"],
        document["licence"],
        f"tokens {document['start']}-{document['end'] - 1}",
    ]
    if document["continues"] is not None:
        words.append(f"goes on from sample {document['continues']}")
    if document["goes_on"] is not None:
        words.append(f"goes on in sample {document['goes_on']}")
    if document["cut_tokens"]:
        words.append(f"{document['cut_tokens']} tokens cut off")
    return [clean(word) for word in words if word]


def visible(text: str) -> str:
    """Text with its white space as signs, and without characters that act on a terminal."""
    return clean(text.translate(_VISIBLE))


def _neighbours(numbers: Sequence[int], number: int, cut: int) -> dict[str, Any]:
    at = numbers.index(number)
    last = at == len(numbers) - 1
    return {
        "continues": numbers[at - 1] if at else None,
        "goes_on": None if last else numbers[at + 1],
        "cut_tokens": cut if last else 0,
    }


def _folded(
    ids: Sequence[int], start: int, end: int, vocabulary: Vocabulary, *, whole: bool
) -> list[dict[str, Any]]:
    # Leaving out a handful would hide more than it saves.
    if whole or end - start <= HEAD + TAIL + _CONTEXT:
        return _tokens(ids, start, end, vocabulary)
    return [
        *_tokens(ids, start, start + HEAD, vocabulary),
        {"folded": end - start - HEAD - TAIL},
        *_tokens(ids, end - TAIL, end, vocabulary),
    ]


def _tokens(ids: Sequence[int], start: int, end: int, vocabulary: Vocabulary) -> list[dict[str, Any]]:
    context = min(_CONTEXT, start)
    texts = vocabulary.texts(ids[start - context : end])[context:]
    return [
        {"id": token, "text": text, "kind": vocabulary.kind(token, text)}
        for token, text in zip(ids[start:end], texts, strict=True)
    ]
