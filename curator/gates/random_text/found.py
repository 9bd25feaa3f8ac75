"""What is random in a text, and the verdict on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from curator.gates.drop import Drop

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class RandomSpan:
    """A stretch of one kind of junk.

    Attributes:
        start: offset of its first character.
        end: offset behind its last character.
        kind: what it is made of, such as ``uuid``, ``base64``, ``letters`` or ``words``.
        score: probability that it is junk, 0.5 to 1.
    """

    start: int
    end: int
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class RandomText:
    """How much of a text is random.

    Attributes:
        share: share of the characters, white space left out, that lie in random spans.
        stretch: characters of the longest run of spans with nothing but white space and marks between them.
        spans: in the order of the text; they do not overlap.
        kinds: the share by kind in words, the largest first, such as ``uuid 50%, hex 14%``; empty for none.
    """

    share: float
    stretch: int
    spans: tuple[RandomSpan, ...]
    kinds: str


def check_random_text(share: float, kinds: str, max_share: float) -> Drop | None:
    """Refuse text of whose characters more than ``max_share`` are random.

    Args:
        share: as `RandomText` has it.
        kinds: as `RandomText` has it.
        max_share: the limit, 0 to 1.
    """
    if share <= max_share:
        return None
    return Drop("random_text", f"{share:.0%} of the characters are random ({kinds}), over {max_share:.0%}")


def summarise(text: str, spans: list[RandomSpan]) -> RandomText:
    """Count what the spans, sorted and apart from each other, cover of the text."""
    if not spans:
        return RandomText(0.0, 0, (), "")
    covered: Counter[str] = Counter()
    for span in spans:
        covered[span.kind] += _visible(text, span.start, span.end)
    solid = max(_visible(text, 0, len(text)), 1)
    largest = sorted(covered.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
    kinds = ", ".join(f"{kind} {count / solid:.0%}" for kind, count in largest)
    return RandomText(covered.total() / solid, _longest(text, spans), tuple(spans), kinds)


def joined(text: str, spans: list[RandomSpan]) -> list[tuple[int, int]]:
    """Runs of spans between which the text has no letter and no digit, as (start, end)."""
    runs: list[tuple[int, int]] = []
    for span in spans:
        if runs and not any(map(str.isalnum, text[runs[-1][1] : span.start])):
            runs[-1] = (runs[-1][0], span.end)
        else:
            runs.append((span.start, span.end))
    return runs


def _longest(text: str, spans: list[RandomSpan]) -> int:
    return max(end - start for start, end in joined(text, spans))


# White space counts nowhere: a text does not become less random by being set wider.
_PIECE = 1 << 16


def _visible(text: str, start: int, end: int) -> int:
    pieces = range(start, end, _PIECE)
    return sum(len("".join(text[piece : min(piece + _PIECE, end)].split())) for piece in pieces)
