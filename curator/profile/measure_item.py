"""What is measured of one item alone: tokens, language, random text, continuity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from curator.gates.language import NO_LINGUISTIC_CONTENT, detect_language
from curator.gates.random_text import RandomText, find_random_text
from curator.profile.continuity import WindowScores, score_prompt
from curator.profile.low_share import low_share
from curator.profile.read_items import RawItem
from curator.scores.scorer import Scorer
from curator.tokens.tokenizer import Tokenizer

MAX_RANDOM = 0.2
"""Share of random characters above which a text has no continuity: the limit of the gate."""
# Fewer characters between random stretches say nothing about a language.
_LEAST_WORDS = 40
_NOT_SCORED = WindowScores()


@dataclass(frozen=True, slots=True)
class Measured:
    """Numbers of one item; as `Item` has them."""

    language: str
    prompt_tokens: int
    gold_tokens: int
    continuity: WindowScores
    random: float
    random_kinds: dict[str, float]
    low_share: float

    @property
    def low_continuity(self) -> bool:
        """Whether the text is random, or most of its windows are low."""
        return self.random > MAX_RANDOM or self.continuity.low > self.continuity.windows / 2


def measure_items(items: Sequence[RawItem], tokenizer: Tokenizer, scorer: Scorer, windows: int) -> list[Measured]:
    """Measure items, in their order.

    Args:
        items: the items.
        tokenizer: counts their tokens.
        scorer: scores their continuity.
        windows: windows of a long prompt.

    Raises:
        DependencyError: the embedder cannot be loaded.
    """
    prompts = tokenizer.count([item.prompt for item in items])
    golds = iter(tokenizer.count([text for item in items for text in item.golds]))
    found = []
    for item, tokens in zip(items, prompts, strict=True):
        random = find_random_text(item.prompt)
        language = detect_language(_told(item.prompt, random))
        is_prose = language != NO_LINGUISTIC_CONTENT or random.share > MAX_RANDOM
        scores = score_prompt(item.prompt, random.spans, scorer, windows) if is_prose else _NOT_SCORED
        found.append(
            Measured(
                language=language,
                prompt_tokens=tokens,
                gold_tokens=sum(next(golds) for _ in item.golds),
                continuity=scores,
                random=round(min(random.share, 1.0), 4),
                random_kinds=_kinds(item.prompt, random),
                low_share=low_share(item.prompt, random.spans, scores.looked, tokenizer),
            )
        )
    return found


def _told(text: str, random: RandomText) -> str:
    """What is not random of a mostly random text: its instructions are in a language, coded words in none."""
    if random.share <= MAX_RANDOM:
        return text
    ends = [0, *(place for span in random.spans for place in (span.start, span.end)), len(text)]
    told = " ".join(text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)).strip()
    return told if len(told) >= _LEAST_WORDS else text


def _kinds(text: str, random: RandomText) -> dict[str, float]:
    """The random share by kind, the largest first."""
    covered: Counter[str] = Counter()
    for span in random.spans:
        covered[span.kind] += span.end - span.start
    total = max(covered.total(), 1)
    shares = {kind: round(random.share * size / total, 4) for kind, size in covered.items()}
    return dict(sorted(shares.items(), key=lambda one: (-one[1], one[0])))
