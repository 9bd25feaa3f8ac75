"""Codes are BCP 47's, and an allowed language covers what is part of it."""

from __future__ import annotations

import pytest

from curator.gates.language import check_language
from curator.gates.language.codes import canonical


@pytest.mark.parametrize(
    ("code", "current"),
    [
        ("zh-cn", "zh"),
        ("zh-tw", "zh"),
        ("cmn-Hant", "zh-Hant"),
        ("iw", "he"),
        ("in", "id"),
        ("msa", "ms"),
        ("nob", "nb"),
        ("pt_BR", "pt-BR"),
        ("EN", "en"),
        ("und", "und"),
    ],
)
def test_codes_are_unified(code: str, current: str) -> None:
    assert canonical(code) == current


@pytest.mark.parametrize(
    ("found", "allowed"),
    [
        ("en", "en"),
        ("nb", "no"),
        ("nn", "no"),
        ("no", "nb"),
        ("zh-Hant", "zh"),
        ("zh", "zh-Hant"),
        ("yue", "zh"),
        ("pt", "pt-BR"),
        ("he", "iw"),
        ("id", "ms"),
        ("arz", "ar"),
        ("hr", "sr"),
        ("bs", "hr"),
        ("und", "und"),
        ("zxx", "de"),
    ],
)
def test_an_allowed_language_covers_its_parts(found: str, allowed: str) -> None:
    assert check_language(found, ["fi", allowed]) is None


@pytest.mark.parametrize(
    ("found", "allowed"),
    [("nn", "nb"), ("zh-Hant", "zh-Hans"), ("pt-PT", "pt-BR"), ("da", "no"), ("sr", "hr"), ("en", "eng-x")],
)
def test_other_languages_are_refused(found: str, allowed: str) -> None:
    drop = check_language(found, ["fi", allowed])
    assert drop is not None
    assert (drop.reason, drop.detail) == ("language", f"{found}, not one of fi, {allowed}")


def test_undetermined_is_refused_for_a_reason_of_its_own() -> None:
    drop = check_language("und", ["en", "zh"])
    assert drop is not None
    assert drop.reason == "undetermined"
    assert "en, zh" in drop.detail
