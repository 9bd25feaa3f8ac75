"""Which language: accuracy and speed of each detector behind the one interface."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curator.gates.language import DETECTORS, NO_LINGUISTIC_CONTENT, UNDETERMINED, detect_language
from curator.gates.language.codes import is_covered
from gate_bench.language_texts import Told
from gate_bench.proportions import Share

PARTS = ("short", "long", "translations", "other", "none")
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """What a detector's answers are worth.

    Attributes:
        detector: its name.
        right: by part, answers that are the language, or one that covers it; for ``none`` no language at all.
        undetermined: by part, answers that say nothing.
        per_second: by part, texts a second of one core.
        wrong: wrong answers as ``language->answer`` with their number, the most frequent first.
    """

    detector: str
    right: dict[str, Share]
    undetermined: dict[str, Share]
    per_second: dict[str, float]
    wrong: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """For a result file."""
        return {
            "detector": self.detector,
            "right": {part: share.as_json() for part, share in self.right.items()},
            "undetermined": {part: share.as_json() for part, share in self.undetermined.items()},
            "texts_per_second": {part: round(value) for part, value in self.per_second.items()},
            "wrong": self.wrong,
        }


def measure_detectors(told: Sequence[Told]) -> list[LanguageTable]:
    """Ask every detector about every text."""
    return [_measure(name, told) for name in DETECTORS]


def _measure(detector: str, told: Sequence[Told]) -> LanguageTable:
    detect_language("The first call loads the detector's tables.", detector)
    answers: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    speed = {}
    for part in PARTS:
        texts = [one for one in told if one.part == part]
        answers[part] = [(one.language, detect_language(one.text, detector)) for one in texts]
        speed[part] = max(_speed([one.text for one in texts], detector) for _ in range(_ROUNDS))
    wrong = Counter(
        f"{language}->{found}"
        for part in PARTS
        for language, found in answers[part]
        if not _is_right(language, found) and found != UNDETERMINED
    )
    return LanguageTable(
        detector,
        {part: Share(sum(_is_right(*pair) for pair in pairs), len(pairs)) for part, pairs in answers.items()},
        {
            part: Share(sum(found == UNDETERMINED for _, found in pairs), len(pairs))
            for part, pairs in answers.items()
        },
        speed,
        dict(sorted(wrong.items(), key=lambda item: (-item[1], item[0]))),
    )


def _is_right(language: str, found: str) -> bool:
    if language == NO_LINGUISTIC_CONTENT:
        return found in (NO_LINGUISTIC_CONTENT, UNDETERMINED)
    return is_covered(found, language)


def _speed(texts: Sequence[str], detector: str) -> float:
    # Of the processor's time, so that other work on the machine does not count.
    start = time.process_time()
    for text in texts:
        detect_language(text, detector)
    return len(texts) / (time.process_time() - start)
