"""Language codes are BCP 47, and what people write instead is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.corpora.languages import checked_language


@pytest.mark.parametrize(
    "code",
    [
        "en",
        "no",
        "nb",
        "nn",
        "zh",
        "zh-Hant",
        "zh-hant-TW",
        "pt-BR",
        "es-419",
        "de-1996",
        "sl-rozaj",
        "yue",
        "fil",
        "und",
        "mul",
        "zxx",
        "sr-Latn-RS",
        "haw",
        "cmn",
    ],
)
def test_codes_are_taken_as_they_are(code: str) -> None:
    assert checked_language(code) == code


@pytest.mark.parametrize(
    ("given_code", "right"),
    [
        ("english", "en"),
        ("Norwegian", "no"),
        ("eng", "en"),
        ("zho", "zh"),
        ("jp", "ja"),
        ("cn", "zh"),
        ("EN", "en"),
        ("zh_Hant", "zh-Hant"),
        ("pt_BR", "pt-BR"),
        ("JP", "ja"),
        ("eng-US", "en-US"),
    ],
)
def test_another_way_to_write_one_is_told_the_right_one(given_code: str, right: str) -> None:
    with pytest.raises(ValueError) as caught:
        checked_language(given_code)
    assert str(caught.value) == f"{given_code!r} is no BCP 47 language; write {right}"


@pytest.mark.parametrize(("code", "near"), [("xx", "xh"), ("zz", "zu"), ("qq", "sq")])
def test_an_unknown_code_is_told_the_nearest(code: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean {near}\\?"):
        checked_language(code)


@pytest.mark.parametrize(
    "code", ["", "e", "klingon", "e n", "en-", "-en", "false", "en,zh", "123", "en--US", "中文"]
)
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="no BCP 47 language"):
        checked_language(code)


@given(st.text(max_size=12))
def test_any_text_is_taken_unchanged_or_refused(text: str) -> None:
    try:
        assert checked_language(text) == text
    except ValueError as error:
        assert "\n" not in str(error)
