"""langdetect, and langdetect-rs, its compiled twin: character n-grams, drawn at random; 55 languages."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from curator.gates.language.codes import UNDETERMINED
from curator.gates.language.detectors.profiles import profiles

# The mean of seven draws: below, one draw in seven went to another language, or more did.
_MIN_PROBABILITY = 0.8
_SEED = 0


class LetterNgrams:
    """langdetect, by a factory of our own, seeded before its first use.

    The library's module-wide factory takes its seed from a class attribute that any other code may change.
    """

    def __init__(self) -> None:
        import langdetect

        self._no_features = langdetect.LangDetectException
        self._factory = _seeded(langdetect)

    def guess(self, text: str) -> str:
        """See ``Detector``."""
        detector = self._factory.create()
        detector.append(text)
        try:
            ranked = detector.get_probabilities()
        except self._no_features:
            return UNDETERMINED
        return _surest([(one.lang, one.prob) for one in ranked])


class CompiledLetterNgrams:
    """langdetect-rs, with the profiles that langdetect has, so that its answers are the same.

    What its factory is made of is asked, as the library's own ``detect_langs`` asks it: the way through a detector
    object counts a text's n-grams twice, which is a third of the cost.
    """

    def __init__(self) -> None:
        import langdetect_rs
        from langdetect_rs._seed import seed_state

        self._core = _seeded(langdetect_rs)._core
        self._state = seed_state(_SEED)

    def guess(self, text: str) -> str:
        """See ``Detector``."""
        return _surest(self._core.detect_langs(text, self._state) or [])


def _seeded(library: ModuleType) -> Any:
    factory = library.DetectorFactory()
    factory.load_json_profile(profiles())
    # Every detection draws from the same state of the generator, whatever came before.
    factory.set_seed(_SEED)
    return factory


def _surest(ranked: Sequence[tuple[str, float]]) -> str:
    return str(ranked[0][0]) if ranked and ranked[0][1] >= _MIN_PROBABILITY else UNDETERMINED
