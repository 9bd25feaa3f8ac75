"""The page of a profile: well formed, escaped, with the numbers of the profile and a plot a task."""

from __future__ import annotations

import pytest

from curator.report.profile_html import profile_html
from tests.report.html_page import Page
from tests.report.profile_samples import contest, hostile, one_item, with_outputs


def test_tables_and_plots() -> None:
    page = Page(profile_html(contest()))
    assert page.headings == ["Tasks", "Golds and languages", "Text", "Lengths", "Continuity", "Random text"]
    rows = [row[:3] for row in page.rows]
    assert ["mcq", "30", "20.0"] in rows and ["all", "150", "100.0"] in rows
    # Histograms of prompts, outputs and golds, five tasks and an axis each; two plots of five and an axis.
    assert (
        page.tags.count("svg") - sum(value == "open" for name, value in page.attributes if name == "class") == 30
    )


def test_outputs_have_tables_and_scores() -> None:
    page = Page(profile_html(with_outputs()))
    assert {"Outputs", "Counts of the predictions file", "Scores"} <= set(page.headings)
    assert "0.600 [0.423, 0.754]" in page.text
    assert ["mcq", "110", "100", "+10.0", "110", "100", "+10.0"] in page.rows


def test_nothing_to_draw() -> None:
    page = Page(profile_html(one_item()))
    assert "Continuity" in page.headings
    assert "nan" not in page.text.lower() and "None" not in page.text


@pytest.mark.parametrize("bad", ["<script>alert(1)</script>", "a\"b'c&d", "\x1b[31m\u202e"])
def test_names_are_text(bad: str) -> None:
    page = Page(profile_html(hostile(bad)))
    assert "script" not in page.tags
    assert not {"\x1b", "\u202e"} & set(page.text)
