"""Detectors by name, loaded once a process."""

from __future__ import annotations

import functools
import importlib
from typing import Protocol

from curator._errors import DependencyError, InputError

DEFAULT_DETECTOR = "langdetect"
# Names, and the command that installs each.
DETECTORS = {
    "langdetect": "pip install langdetect",
    "langdetect-rs": "pip install langdetect langdetect-rs",
    "py3langid": "pip install py3langid",
}
_CLASSES = {
    "langdetect": ("langdetect_python", "LangdetectPython"),
    "langdetect-rs": ("langdetect_rust", "LangdetectRust"),
    "py3langid": ("byte_sequences", "ByteSequences"),
}


class Detector(Protocol):
    """The best guess of one library; a pure function of the text."""

    def guess(self, text: str) -> str:
        """Language of a text.

        Args:
            text: letters of one script, in words.

        Returns:
            The library's own code; ``und`` where it has no answer or thinks another one nearly as probable.
        """


@functools.cache
def load_detector(name: str) -> Detector:
    """The detector of that name.

    Raises:
        InputError: there is none.
        DependencyError: its library is not installed; names the command that installs it.
    """
    if name not in DETECTORS:
        raise InputError(f"{name!r} is no language detector; give one of {', '.join(DETECTORS)}")
    module, class_name = _CLASSES[name]
    try:
        loaded = importlib.import_module(f"curator.gates.language.detectors.{module}")
        detector: Detector = getattr(loaded, class_name)()
    except ModuleNotFoundError as error:
        raise DependencyError(f"language detector {name}: {error}; run {DETECTORS[name]}") from error
    return detector
