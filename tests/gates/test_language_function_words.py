"""English is told by its small words, where it has enough of them; no other language is taken for it."""

from __future__ import annotations

import pytest

from curator.gates.language import detect, detect_language
from curator.gates.language.function_words import FUNCTION_WORDS, is_english

ENGLISH = (
    "The harbour office opens at seven, and most of the people that work on the island take the second ferry, not "
    "the first. It is the custom of the place to wait with them."
)
EIGHT = "The rope of the boat and the oar of the ship that sank"
GERMAN = (
    "Das Hafenamt öffnet um sieben Uhr, und die meisten Leute nehmen die zweite Fähre zur Insel, nicht die erste."
)


class Asked:
    """A detector that notes what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def guess(self, text: str) -> str:
        self.texts.append(text)
        return "und"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (ENGLISH, False),
        (ENGLISH.upper(), False),
        # Quotes and a name from abroad.
        (ENGLISH.replace("custom", "“Brauch” of Zoë"), False),
        (EIGHT + " oar mast keel" * 10, False),
        # Too few small words, too few of all words, and as many of another language.
        (EIGHT.replace("that", "which") + " oar mast keel" * 10, True),
        (EIGHT + " oar mast keel" * 23, True),
        (f"{ENGLISH} {GERMAN}", True),
        (GERMAN, True),
    ],
)
def test_a_detector_is_asked_only_where_the_words_do_not_tell(
    text: str, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    detector = Asked()
    monkeypatch.setattr(detect, "load_detector", lambda _name: detector)
    assert detect_language(text) == ("und" if asked else "en")
    assert bool(detector.texts) == asked


@pytest.mark.parametrize("code", sorted(FUNCTION_WORDS.keys() - {"en"}))
def test_the_small_words_of_another_language_are_never_english(code: str) -> None:
    assert not is_english([*FUNCTION_WORDS[code]] * 5)
    # Nor together with as many English ones.
    assert not is_english([*FUNCTION_WORDS[code]] * 5 + [*FUNCTION_WORDS["en"]] * 5)


def test_letters_of_another_language_still_count() -> None:
    assert detect_language(ENGLISH.replace("ferry", "ferjuþð")) != "en"
