"""langdetect, and langdetect-rs, its compiled twin: character n-grams, drawn at random; 55 languages."""

from __future__ import annotations

import importlib

from curator.gates.language.codes import UNDETERMINED
from curator.gates.language.detectors.profiles import profiles

# The mean of seven draws: below, one draw in seven went to another language, or more did.
_MIN_PROBABILITY = 0.8


class LetterNgrams:
    """A factory of our own, seeded before its first use.

    The library's module-wide factory takes its seed from a class attribute that any other code may change. Both
    libraries are given the same profiles, so that their answers are the same.

    Args:
        library: ``langdetect`` or ``langdetect_rs``.
    """

    def __init__(self, library: str) -> None:
        module = importlib.import_module(library)
        self._no_features: type[Exception] = module.LangDetectException
        self._factory = module.DetectorFactory()
        self._factory.load_json_profile(profiles())
        # Every detection draws from the same state of the generator, whatever came before.
        self._factory.set_seed(0)

    def guess(self, text: str) -> str:
        """See ``Detector``."""
        detector = self._factory.create()
        detector.append(text)
        try:
            ranked = detector.get_probabilities()
        except self._no_features:
            return UNDETERMINED
        return str(ranked[0].lang) if ranked and ranked[0].prob >= _MIN_PROBABILITY else UNDETERMINED
