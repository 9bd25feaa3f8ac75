"""Detectors by name, loaded once a process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol

from curator._errors import DependencyError, InputError
from curator.gates.language.detectors.byte_sequences import ByteSequences
from curator.gates.language.detectors.letter_ngrams import CompiledLetterNgrams, LetterNgrams

DEFAULT_DETECTOR = "langdetect"
# Names, and the command that installs each.
DETECTORS = {
    "langdetect": "pip install langdetect",
    "langdetect-rs": "pip install langdetect langdetect-rs",
    "py3langid": "pip install py3langid",
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


# The libraries are imported when one of these is called.
_MAKERS: dict[str, Callable[[], Detector]] = {
    "langdetect": LetterNgrams,
    "langdetect-rs": CompiledLetterNgrams,
    "py3langid": ByteSequences,
}


@functools.cache
def load_detector(name: str) -> Detector:
    """The detector of that name.

    Raises:
        InputError: there is none.
        DependencyError: its library is not installed; names the command that installs it.
    """
    if name not in DETECTORS:
        raise InputError(f"{name!r} is no language detector; give one of {', '.join(DETECTORS)}")
    try:
        return _MAKERS[name]()
    except ModuleNotFoundError as error:
        raise DependencyError(f"language detector {name}: {error}; run {DETECTORS[name]}") from error
