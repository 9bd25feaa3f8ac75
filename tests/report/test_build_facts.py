"""What a build says of the limits and choices that its target asked for."""

from __future__ import annotations

from html_page import Page

from curator.report._build_facts import build_facts
from curator.report.set_html import set_html

LOW = {"share": 0.0, "by_task": {}, "max_share": 0.1}
CHOSEN = {"by": "coverage", "of_texts": 1234}


def test_a_limit_that_is_kept_is_told_with_what_there_is() -> None:
    facts = dict(build_facts({"low_continuity": LOW, "diversity": CHOSEN}))
    assert facts["low continuity"] == "0.0 % of the tokens, at most 10.0 %"
    assert facts["diversity"] == "coverage, chosen from 1,234 texts"


def test_what_was_not_asked_is_not_told() -> None:
    facts = dict(
        build_facts(
            {"low_continuity": LOW | {"max_share": None}, "diversity": CHOSEN | {"by": "none"}},
        )
    )
    assert not {"low continuity", "diversity"} & facts.keys()
    assert "low continuity" not in dict(build_facts({}))


def test_the_page_says_the_same() -> None:
    page = Page(set_html({"low_continuity": LOW, "diversity": CHOSEN}, {})).text
    assert "Low-continuity tokens 0.0 %, at most 10.0 %" in page
    assert "Diversity coverage, chosen from 1,234 texts" in page
