"""The exploratory sections of a ranking report, and what it says of how it was made."""

from __future__ import annotations

import re
from typing import Any

import pytest
from html_page import Page
from samples import LONG, ranking

from curator.report import _svg as svg
from curator.report._ranking_cost import cost_table
from curator.report._ranking_domains import heat_map, served_best
from curator.report._ranking_places import place_panels
from curator.report._svg_xy import Frame
from curator.report.ranking_html import ranking_html


def test_a_frame_puts_larger_values_higher_and_marks_differ_in_shape() -> None:
    frame = Frame(svg.Scale(0.0, 10.0), svg.Scale(0.0, 1.0))
    assert 'points="3.00,97.00 50.00,50.00 97.00,3.00"' in frame.line([(0, 0.0), (5, 0.5), (10, 1.0)], "curve")
    assert 'points="3.00,97.00 97.00,50.00 97.00,3.00 3.00,50.00"' in frame.between(
        [(0, 0.0), (10, 0.5)], [(0, 0.5), (10, 1.0)], "spread"
    )
    assert frame.marks([(5, 0.5)], "dot").startswith('<circle cx="50.00%" cy="50.00%"')
    assert "<path" in frame.marks([(5, 0.5)], "worst", "diamond")
    made = frame.panel("k", "<b>", "in words", [], [])
    assert '<title id="k-title">&lt;b&gt;</title><desc id="k-words">in words</desc>' in made.area
    assert 'role="img"' in made.area and 'aria-labelledby="k-title k-words"' in made.area


def test_every_figure_with_axes_has_a_title_of_its_own_and_its_numbers_in_words() -> None:
    out = ranking_html(ranking())
    ids = re.findall(r'\bid="([^"]+)"', out)
    assert len(ids) == len(set(ids)) > 20
    named = re.findall(r'aria-labelledby="([^" ]+) ([^" ]+)"', out)
    assert {one for pair in named for one in pair} == set(ids)
    assert "balanced: KL by token" in out
    assert "Mean KL in nats a token. 1 to 4 token: 0.2000; 5 to 8 token: 0.2100; 9 to 12 token: 0.2200." in out
    # What is no figure of its own has its numbers beside it, and is passed over.
    assert len(re.findall("<svg", out)) == len(re.findall(r'role="img"|aria-hidden="true"|class="open"', out))


def test_the_leading_arm_is_drawn_in_every_other_panel() -> None:
    document = ranking()
    plot = place_panels(document, document["by_length"], "length", "tokens")
    assert plot is not None
    assert (plot["reference"], plot["prompts"]) == ("balanced", "24")
    assert [panel["plot"].area.count('class="reference"') for panel in plot["panels"]] == [0, 1, 1, 1, 1, 1]
    one_bin = {"bins": document["by_length"]["bins"][:1], "arms": document["by_length"]["arms"]}
    assert place_panels(document, one_bin, "length", "tokens") is None


@pytest.mark.parametrize(
    ("relative", "shade", "shown"),
    [(0.019, "", "+1.9 %"), (-0.021, "low1", "-2.1 %"), (0.06, "high2", "+6.0 %"), (-0.4, "low3", "-40.0 %"),
     (None, "", "-")],
)  # fmt: skip
def test_a_cell_says_its_shade_as_a_signed_number(relative: float | None, shade: str, shown: str) -> None:
    document = ranking()
    document["domains"]["rows"][0]["cells"]["code"]["relative"] = relative
    heat = heat_map(document, 4, 3)
    assert heat is not None
    cell = heat["rows"][0]["cells"][1]
    assert (cell["shade"], cell["relative"]) == (shade, shown)
    assert heat["rows"][0]["made_of"] == "prose 50 %, code 30 %, qa 15 % and 1 more"


def test_the_arms_that_may_serve_a_task_best_are_listed_lowest_first() -> None:
    document = ranking()
    assert [(task, len(names)) for task, names in served_best(document)] == [
        ("prose", 2), ("code", 2), ("qa", 2), ("niah", 2),
    ]  # fmt: skip
    for row in document["domains"]["rows"]:
        row["cells"]["qa"] |= {"may_be_lowest": row["arm"] in ("x", LONG), "kl_mean": 0.1 + len(row["arm"])}
    assert dict(served_best(document))["qa"] == ["x", LONG]


def test_where_an_arm_departs_both_texts_are_shown() -> None:
    out = ranking_html(ranking())
    assert '<pre> a<mark class="ours">·time</mark>.</pre>' in out
    assert re.search(r'<pre> a<mark class="theirs">[^<]*hill</mark></pre>', out)
    text = Page(out).text
    assert (
        "balanced: departs at token 2 (KL there 1.5000); prefers another token at 21 of 64 scored tokens" in text
    )
    assert "x: prefers BF16's token at all 64 scored tokens" in text


def test_hostile_text_of_a_model_is_text() -> None:
    document = ranking()
    hostile = "</pre><script>alert(1)</script>\u202e\x1b[2J"
    prompt = document["worst_prompts"][0]
    prompt |= {"prompt": hostile, "id": hostile}
    prompt["arms"][0] |= {"before": hostile, "after": hostile, "reference": hostile, "choice": hostile}
    document["reproduce"]["command"] = hostile
    document["composition"]["source"] = {"balanced": {hostile: 1.0}}
    document["domains"]["rows"][0]["made_of"] = {hostile: 1.0}
    document["layers"]["kinds"] = {hostile: document["layers"]["kinds"]["mlp.down_proj"]}
    out = ranking_html(document)
    assert "<script" not in out and "\u202e" not in out and "\x1b" not in out
    assert Page(out).text.count("<script>alert(1)</script>") >= 8


def test_layers_that_differ_most_come_first() -> None:
    rows = Page(ranking_html(ranking())).rows
    layers = [row for row in rows if row and row[0] in ("self_attn.q_proj", "mlp.down_proj", "lm_head")]
    assert layers[0] == ["self_attn.q_proj", "2", "0.1300", "0.2600", "2.000", "0.0950"]
    assert layers[1] == ["mlp.down_proj", "0", "0.1000", "0.1100", "1.100", "0.0950"]
    inputs = [row for row in layers if row[-1] == "1.500"]
    assert inputs == [
        ["self_attn.q_proj", "0", "8.00", "12.00", "1.500"],
        ["mlp.down_proj", "0", "8.00", "12.00", "1.500"],
        ["lm_head", "–", "8.00", "12.00", "1.500"],
    ]


def test_cost_is_added_up_by_step() -> None:
    document: dict[str, Any] = ranking()
    made, total = cost_table(document)
    assert made is not None
    assert [cells for _, cells in made.rows] == [
        ["baseline", "1", "2 min 00 s", "2 min 00 s", "2 min 00 s", "10"],
        ["quantise", "4", "4 min 00 s", "4 min 00 s", "16 min 00 s", "80"],
        ["score", "4", "30 s", "30 s", "2 min 00 s", "10"],
    ]
    assert total == "20 min 00 s"


def test_what_to_type_and_every_setting_are_told() -> None:
    text = Page(ranking_html(ranking())).text
    assert "curate rank a.yaml b.yaml --draws 5" in text
    for setting in ("tokens 64", "heldout not given", "trust remote code no", 'quantize [{"method": "gptq"}]'):
        assert setting in text
    assert "6 comparisons of recipes, adjusted by Holm together" in text


def test_looks_and_dropped_arms_are_told() -> None:
    document = ranking() | {"looks": {"planned": [3, 5, 8], "shares": [0.2, 0.3, 0.5], "made": 2}}
    document["arms"][3]["dropped"] = {"look": 1}
    text = Page(ranking_html(document)).text
    name = document["arms"][3]["name"]
    assert "Looks planned at 3, 5 and 8 draws an arm, 2 made" in text
    assert f"Dropped, since another arm is better: {name} (look 1)" in text
    assert f"{name} dropped at look 1" in text


def test_distances_from_the_best_are_explained_where_they_are_known() -> None:
    document = ranking()
    assert "Above the best" not in ranking_html(document)
    document["arms"][0]["from_best"] = {"ci": [-0.0123, 0.0], "may_be_best": True}
    page = Page(ranking_html(document))
    assert "these intervals hold together for all arms" in page.text
    assert any("[−0.0123, 0.0000]" in row for row in page.rows)


def test_pairs_that_are_not_compared_are_dashes_and_said_to_be() -> None:
    document = ranking()
    assert "does not compare" not in ranking_html(document)
    gone = document["pairs"].pop(0)
    page = Page(ranking_html(document))
    assert "A dash marks pairs that the plan does not compare." in page.text
    matrix = [row for row in page.rows if len(row) == 7 and row[0][:1] in "123456"]
    assert sum(row.count("–") for row in matrix) == 2
    assert [row[0].split(maxsplit=1)[1] for row in matrix if "–" in row] == sorted([gone["a"], gone["b"]])
