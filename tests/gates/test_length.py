from __future__ import annotations

import pytest

from curator.gates.length import check_length, visible_chars


@pytest.mark.parametrize(
    "text", ["", "  \n\t", "\u200b\u200b\ufeff", " \u200b \u200b \u200b ", "\u00a0\u2060\u00ad"]
)
def test_text_that_shows_nothing_is_empty(text: str) -> None:
    drop = check_length(visible_chars(text), 1)
    assert drop is not None
    assert drop.reason == "empty"


def test_only_what_is_seen_counts() -> None:
    assert check_length(visible_chars(" \u200b abcde\n"), 5) is None
    drop = check_length(visible_chars(" \u200b abcde\n"), 6)
    assert drop is not None
    assert (drop.reason, drop.detail) == ("short", "5 characters, fewer than 6")
    # What stands between visible characters is part of the text.
    assert check_length(visible_chars("a b"), 3) is None
