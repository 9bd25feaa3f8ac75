"""Detectors behind one interface, each with an instance of its own."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator

import pytest

from curator._errors import DependencyError, InputError
from curator.gates.language import DETECTORS, detect_language, load_detector


@pytest.fixture
def unloaded() -> Iterator[None]:
    load_detector.cache_clear()
    yield
    load_detector.cache_clear()


@pytest.mark.parametrize(
    ("name", "module"),
    [("langdetect", "langdetect"), ("langdetect-rs", "langdetect_rs"), ("py3langid", "py3langid")],
)
@pytest.mark.usefixtures("unloaded")
def test_a_missing_library_is_named_with_its_install_line(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DependencyError, match=f"{name}: .*; run {re.escape(DETECTORS[name])}$"):
        detect_language("any text", name)


def test_an_unknown_detector_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="'fasttext' is no language detector; give one of langdetect, "):
        detect_language("any text", "fasttext")


def test_the_compiled_langdetect_answers_as_langdetect_does() -> None:
    random_chars = random.Random(4)
    texts = ["".join(chr(random_chars.randrange(0x600)) for _ in range(60)) for _ in range(100)]
    # Without features; as the library shortens and cleans them; words that two languages share.
    texts += ["", "1 2 3", "\ud800 \x00", "a" * 20_000, "Taxi Hotel Restaurant", "Привет Moskva world"]
    python, rust = load_detector("langdetect"), load_detector("langdetect-rs")
    assert [python.guess(text) for text in texts] == [rust.guess(text) for text in texts]


@pytest.mark.parametrize("detector", DETECTORS)
def test_languages_other_than_the_allowed_ones_are_still_found_after_a_narrowing(detector: str) -> None:
    import py3langid

    py3langid.set_languages(["fi", "sw"])
    try:
        assert detect_language("The pier was rebuilt by the people of the town in one summer.", detector) == "en"
    finally:
        py3langid.set_languages(None)
