"""Language by langdetect, made repeatable and safe."""

from __future__ import annotations

from curator.gates.drop import Drop

UNDETERMINED = "und"
# Enough for a stable answer; langdetect's cost grows with length.
_CHARS = 1000
# langdetect's names for Chinese, and BCP 47's.
_CODES = {"zh-cn": "zh", "zh-tw": "zh"}


def detect_language(text: str) -> str:
    """BCP 47 language of a text, ``und`` when it gives no evidence (digits, links, an unknown script)."""
    from langdetect import DetectorFactory, detect
    from langdetect.lang_detect_exception import LangDetectException

    # langdetect draws random numbers; with a seed every call starts from the same state.
    DetectorFactory.seed = 0
    try:
        code = str(detect(text[:_CHARS]))
    except LangDetectException:
        return UNDETERMINED
    return _CODES.get(code, code)


def check_language(text: str, allow: list[str]) -> Drop | None:
    """Refuse text in a language that is not allowed."""
    found = detect_language(text)
    return None if found in allow else Drop("language", f"{found}, not one of {', '.join(allow)}")
