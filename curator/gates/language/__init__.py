"""Which language a text is in, and whether a recipe allows it."""

from curator.gates.language.check import check_language
from curator.gates.language.codes import NO_LINGUISTIC_CONTENT, UNDETERMINED
from curator.gates.language.detect import detect_language, detect_languages
from curator.gates.language.detectors import DEFAULT_DETECTOR, DETECTORS, load_detector

# Of everything that an answer hangs on but the detectors' own versions; part of what stored scores are known by.
# Since 2 English is told by its small words where it has enough of them, and no detector is asked.
VERSION = 2

__all__ = [
    "DEFAULT_DETECTOR",
    "DETECTORS",
    "NO_LINGUISTIC_CONTENT",
    "UNDETERMINED",
    "VERSION",
    "check_language",
    "detect_language",
    "detect_languages",
    "load_detector",
]
