"""The report of a set: shares, sources, drops and examples."""

from __future__ import annotations

from html_page import Page
from samples import examples, manifest

from curator.report.set_html import set_html

HOSTILE = "<script>alert('x')</script>\"&\u202e"


def test_hostile_examples_are_text() -> None:
    shown = examples()
    shown["kept"][0]["text"] = shown["kept"][0]["id"] = HOSTILE
    shown["dropped"] = {HOSTILE: [{"id": "1", "text": HOSTILE, "detail": HOSTILE}]}
    document = manifest()
    document["name"] = document["sources"][0]["licence"] = HOSTILE
    out = set_html(document, shown)
    assert "<script" not in out
    assert "\u202e" not in out
    assert Page(out).text.count("<script>alert('x')</script>") >= 7


def test_a_set_shows_shares_sources_and_drops() -> None:
    document = manifest()
    page = Page(set_html(document, examples()))
    for value in (
        "131,072",
        document["set_hash"],
        document["recipe_hash"],
        "3bd08a1f77e2",
        "2,718 tokens of 14 pieces",
    ):
        assert value in page.text
    assert "25.1 of 20.0 %, +5.1 points *" in page.text
    assert "29.7 of 30.0 %, −0.3 points" in page.text
    assert "29.7 of 30.0 %, −0.3 points *" not in page.text
    assert "Python 3.11.7" in page.text
    assert "Left empty" not in page.text
    assert ["continuity", "58"] in page.rows
    assert document["warnings"][0] in page.text


def test_a_set_shows_ten_examples_a_reason_and_says_of_how_many() -> None:
    page = Page(set_html(manifest(), examples()))
    assert "near_duplicate 10 of 31" in page.text
    assert page.text.count("Jaccard 0.93 to qa-7") == 10
    assert "language 1 of 12" in page.text


def test_long_examples_are_cut_and_say_so() -> None:
    shown = {"kept": [{"id": "k", "task": "qa", "text": "y" * 401}, {"id": "s", "task": "qa", "text": "z" * 400}]}
    out = set_html({}, shown)
    assert "y" * 400 in out and "y" * 401 not in out
    assert out.count("first 400 characters") == 1


def test_histograms_count_every_document() -> None:
    out = set_html(manifest(), {})
    assert "n = 240" in out
    assert "dropped" not in Page(set_html({"documents": manifest()["documents"]}, {})).text


def test_an_empty_set_has_no_sections() -> None:
    page = Page(set_html({"name": "empty"}, {}))
    assert "section" not in page.tags
    assert "empty" in page.text
