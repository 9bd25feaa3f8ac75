"""Small repairs that every reader makes."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff]")
_GAP = re.compile(r"\n{3,}")


def tidy(text: str) -> str:
    """``text`` with Unix line ends, no control characters, no blanks at line ends, one blank line at most."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub("", text)
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return _GAP.sub("\n\n", text).strip("\n")


def without_surrogates(text: str) -> str:
    """``text`` with each lone surrogate as U+FFFD, so that it can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # Nearly every text; this way it costs a fraction.
    return text
