"""Scores in the reports of a set and of `curate sift`: lines drawn where they lie, examples next to them."""

from __future__ import annotations

import copy
import math
import re
from typing import Any

import pytest
from html_page import Page
from samples import manifest

from curator.report.set_html import set_html
from curator.report.sift_html import sift_html

HOSTILE = "<script>alert('x')</script>\"&\u202e"


def example(name: str, value: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "task": "prose", "score": value, "detail": None, "text": f"Text of {name}.", **more}


def score(**more: Any) -> dict[str, Any]:
    """Shares from 0 to 1, with a line at a quarter of the axis."""
    return {
        "name": "random_share",
        "kept": {"n": 3, "values": [0.0, 0.1, 0.2]},
        "dropped": {"n": 2, "values": [0.5, 1.0]},
        "limits": [
            {
                "value": 0.25,
                "refused": "above",
                "tasks": [],
                "kept": [example("k1", 0.2), example("k2", 0.1)],
                "dropped": [example("d1", 0.5, detail="50% over 25%")],
            }
        ],
        **more,
    }


def document(*scores: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": "rows.jsonl",
        "rows": 5,
        "kept": 3,
        "dropped": 2,
        "by_reason": {"random_text": 2},
        "by_task": {"prose": {"kept": 3, "dropped": 2}},
        "words": {},
        "scores": list(scores),
        "warnings": [],
        **more,
    }


def test_every_score_has_its_plot_with_kept_above_dropped() -> None:
    names = [score(name="chars"), score(name="continuity", limits=[])]
    text = Page(set_html(manifest(), {}, names)).text
    for name in ("chars", "continuity"):
        after = text[text.index(f" {name}") :]
        assert after.index("kept n = 3; highest bar 1") < after.index("dropped n = 2; highest bar 1")


def test_the_line_is_drawn_at_its_value_through_both_histograms_and_named() -> None:
    page = sift_html(document(score()))
    places = re.findall(r'<line x1="([\d.]+)%" x2="([\d.]+)%" y1="0" y2="100%" class="limit"', page)
    label = re.findall(r'<text x="([\d.]+)%"[^>]* class="limit">([^<]*)<', page)
    # The axis goes from 0 to 1.04, within margins of 3 % at each end.
    assert label == [(f"{3 + 94 * 0.25 / 1.04:.2f}", "0.25")]
    assert places == [(label[0][0], label[0][0])] * 2
    assert "random_share: at most 0.25" in Page(page).text.replace(" : ", ": ")


def test_examples_on_both_sides_stand_next_to_the_line_nearest_first() -> None:
    text = Page(sift_html(document(score()))).text
    assert "1 kept, 1 dropped" not in text
    assert "random_share at most 0.25: 2 kept, 1 dropped" in text
    order = ["0.200 · k1 · prose", "Text of k1.", "0.100 · k2", "0.500 · d1 · prose · 50% over 25%", "Text of d1."]
    assert sorted(order, key=text.index) == order


def test_ten_examples_of_400_characters_at_most() -> None:
    many = score()
    many["limits"][0]["kept"] = [example(f"k{n}", 0.2, text="y" * 500) for n in range(15)]
    page = sift_html(document(many))
    assert page.count("y" * 400) == 10 and "y" * 401 not in page


def test_a_line_far_from_all_values_is_still_on_the_axis() -> None:
    far = score(limits=[{"value": 40.0, "refused": "above", "tasks": ["poem"], "kept": [], "dropped": []}])
    page = sift_html(document(far))
    (place,) = set(re.findall(r'<line x1="([\d.]+)%"[^>]* class="limit"', page))
    assert 85 < float(place) <= 97
    assert "at most 40 (poem)" in Page(page).text


def test_hostile_texts_are_escaped() -> None:
    bad = example(HOSTILE, 0.2, text=HOSTILE, task=HOSTILE, detail=HOSTILE)
    hostile = score(name=HOSTILE)
    hostile["limits"][0] |= {"kept": [bad], "dropped": [bad], "tasks": [HOSTILE]}
    whole = document(
        hostile, name=HOSTILE, warnings=[HOSTILE], words={"language": {HOSTILE: 3}},
        by_reason={HOSTILE: 2}, by_task={HOSTILE: {"kept": 3, "dropped": 2}},
    )  # fmt: skip
    for page in (sift_html(whole), set_html({"name": "x"}, {}, [hostile])):
        assert "<script" not in page and "\u202e" not in page
        assert "script" not in Page(page).tags
        assert "<script>alert('x')</script>" in Page(page).text


@pytest.mark.parametrize("odd", [math.nan, math.inf, None, "x"])
def test_what_is_no_number_is_neither_drawn_nor_shown(odd: Any) -> None:
    strange = score(kept={"n": 3, "values": [0.1, odd, 0.2]}, dropped={"n": 1, "values": [odd]})
    strange["limits"].append({"value": odd, "refused": "above", "tasks": [], "kept": [], "dropped": []})
    strange["limits"][0]["kept"] = [example("k", odd)]
    page = Page(sift_html(document(strange)))
    shown = " ".join([page.text, *(str(value) for name, value in page.attributes if name != "content")])
    assert not re.search(r"\b(nan|inf|none|undefined)\b", shown, re.IGNORECASE)


def test_scores_that_nobody_has_and_no_scores_leave_no_section() -> None:
    nobody = score(kept={"n": 0, "values": []}, dropped={"n": 0, "values": []})
    for page in (sift_html(document(nobody)), set_html({"name": "x"}, {})):
        assert "Scores" not in Page(page).headings


def test_one_value_for_all_texts_is_drawn_only_where_a_line_judges_it() -> None:
    values = {"kept": {"n": 4, "values": [2.0] * 4}, "dropped": {"n": 0, "values": []}}
    assert "kept n = 4; highest bar 4" in Page(sift_html(document(score(**values)))).text
    assert "kept n = 4" not in Page(sift_html(document(score(**values, limits=[])))).text


def test_the_first_texts_refused_for_each_reason_are_shown() -> None:
    shown = {"random_text": [{"id": "r7", "detail": "too random", "text": "<b>zqx</b>"}]}
    page = Page(sift_html(document(score(), examples=shown)))
    assert "random_text 1 of 2" in page.text
    assert "r7 · too random" in page.text
    assert "<b>zqx</b>" in page.text


def test_a_sample_of_the_values_is_said_to_be_one() -> None:
    text = Page(sift_html(document(score(kept={"n": 90_000, "values": [0.1, 0.2]})))).text
    assert "n = 90,000; highest bar 1; a sample is drawn" in text


def test_before_and_after_stand_side_by_side() -> None:
    before = {
        "kept": 4,
        "by_reason": {"random_text": 1, "short": 7},
        "by_task": {"prose": {"kept": 4, "dropped": 1}},
    }
    rows = Page(sift_html(document(score(), before=before))).rows
    assert ["random_text", "1", "2", "40.0"] in rows
    assert ["short", "7", "0", "0.0"] in rows
    assert ["prose", "4", "3", "2"] in rows


def test_the_share_of_low_continuity_is_among_the_facts() -> None:
    low = {"share": 0.1234, "by_task": {"niah": 0.4, "prose": 0.0}}
    assert "Low-continuity tokens 12.3 % (niah 40.0 %)" in Page(set_html({"low_continuity": low}, {})).text
    for odd in (None, {}, {"share": math.nan, "by_task": None}):
        assert "Low-continuity" not in set_html({"low_continuity": odd}, {})


def test_evaluation_items_whose_text_was_found_are_listed_the_most_often_first() -> None:
    leakage = {"hits": {"e1": 1, HOSTILE: 1200}, "examples": {"e1": ["row 7: 14 words in a row", "row 9"]}}
    page = set_html({"leakage": leakage}, {})
    assert "<script" not in page
    rows = Page(page).rows
    assert [row[1:] for row in rows[-2:]] == [["1,200", ""], ["1", "row 7: 14 words in a row"]]
    assert "evaluation" not in Page(set_html({"leakage": {"hits": {}, "examples": {}}}, {})).text


def test_the_documents_are_not_changed_and_pages_repeat() -> None:
    whole = document(score())
    before = copy.deepcopy(whole)
    assert sift_html(whole) == sift_html(whole)
    assert whole == before


def test_the_page_is_one_file_without_scripts_or_network() -> None:
    page = Page(sift_html(document(score())))
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name in ("src", "href") or name.startswith("on")]
