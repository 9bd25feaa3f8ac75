"""langdetect-rs: langdetect's answers from a compiled core."""

from __future__ import annotations

from curator.gates.language.codes import UNDETERMINED
from curator.gates.language.detectors.langdetect_python import MIN_PROBABILITY
from curator.gates.language.detectors.profiles import profiles


class LangdetectRust:
    """Built like ``LangdetectPython``, from the same profiles, so that the answers are the same."""

    def __init__(self) -> None:
        from langdetect_rs import DetectorFactory, LangDetectException

        self._no_features = LangDetectException
        self._factory = DetectorFactory()
        self._factory.load_json_profile(profiles())
        self._factory.set_seed(0)

    def guess(self, text: str) -> str:
        """See ``Detector``."""
        detector = self._factory.create()
        detector.append(text)
        try:
            ranked = detector.get_probabilities()
        except self._no_features:
            return UNDETERMINED
        return str(ranked[0].lang) if ranked and ranked[0].prob >= MIN_PROBABILITY else UNDETERMINED
