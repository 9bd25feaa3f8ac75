"""Licences of a recipe are SPDX expressions, and the nearest is told."""

from __future__ import annotations

import pytest

from curator.corpora.licences import checked_licence, checked_one_licence


@pytest.mark.parametrize(
    "expression",
    [
        "MIT",
        "mit or apache-2.0",
        "GPL-2.0 WITH Classpath-exception-2.0",
        "LicenseRef-mine",
        "unknown",
        "ODC-By-1.0",
        "MIT AND (ISC OR 0BSD)",
        "Apache-2.0+",
        "CC-BY-SA-3.0 AND unknown",
    ],
)
def test_expressions_are_taken(expression: str) -> None:
    assert checked_licence(expression) == expression


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ("Apache 2.0", "did you mean Apache-2.0?"),
        ("Apche-2.0 OR MIT", "did you mean Apache-2.0?"),
        ("GPLv3", "did you mean GPL-3.0"),
        ("cc-by-4", "did you mean CC-BY-4.0?"),
        ("MIT OR", "write it as MIT"),
        ("proprietary", "write it as MIT"),
        ("MIT WITH Sunshine", "no SPDX expression"),
        ("Classpath-exception-2.0", "no SPDX expression"),
        ("per-document", "columns: {licence: ...}"),
    ],
)
def test_others_are_refused_with_the_nearest(expression: str, hint: str) -> None:
    with pytest.raises(ValueError) as caught:
        checked_licence(expression)
    assert hint in str(caught.value)


def test_the_gates_lists_hold_one_licence_an_entry() -> None:
    for name in ("MIT", "GPL-2.0-only WITH Classpath-exception-2.0", "unknown", "LicenseRef-x"):
        assert checked_one_licence(name) == name
    with pytest.raises(ValueError, match="several licences; give each an entry of its own"):
        checked_one_licence("MIT OR ISC")
