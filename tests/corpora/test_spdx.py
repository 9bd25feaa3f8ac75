"""SPDX expressions are read once, with SPDX's present spelling."""

from __future__ import annotations

import pytest

from curator.corpora.spdx import UNKNOWN, licence_key, listed_ids, parse_licence


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("mit", "MIT"),
        ("GPL-3.0", "GPL-3.0-only"),
        ("gpl-3.0+", "GPL-3.0-or-later"),
        ("mit and (isc OR apache-2.0)", "MIT AND (ISC OR Apache-2.0)"),
        ("GPL-2.0 with classpath-exception-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("LicenseRef-house", "LicenseRef-house"),
        ("DocumentRef-a:LicenseRef-b", "DocumentRef-a:LicenseRef-b"),
        ("unknown", "unknown"),
    ],
)
def test_an_expression_is_spelt_as_spdx_does(expression: str, shown: str) -> None:
    assert str(parse_licence(expression)) == shown


@pytest.mark.parametrize(
    "expression",
    [
        "",
        " ",
        "MIT License",
        "Apache 2.0",
        "MIT AND",
        "(MIT",
        "Nonsense-1.0",
        "MIT WITH ISC",
        "LicenseRef-",
        "MIT;ISC",
    ],
)
def test_what_is_no_expression_is_none(expression: str) -> None:
    assert parse_licence(expression) is None


@pytest.mark.parametrize("word", ["unknown", "NOASSERTION", "NONE", "Unknown"])
def test_spdx_words_for_nothing_are_unknown(word: str) -> None:
    assert licence_key(parse_licence(word)) == UNKNOWN


def test_ids_for_hints_are_licences_only() -> None:
    names = listed_ids()
    assert "MIT" in names and "Classpath-exception-2.0" not in names
    assert names == sorted(names)
