from __future__ import annotations

import copy
import math
import re
from typing import Any

import pytest
from html_page import Page
from samples import LONG, TASKS, examples, manifest, minimal_ranking, ranking

from curator.report.ranking_html import ranking_html
from curator.report.set_html import set_html

HOSTILE = "<script>alert('x')</script>\"&\u202e"


def renamed(document: Any, old: str, new: str) -> Any:
    """A copy of a document with one string replaced everywhere, keys included."""
    if isinstance(document, dict):
        return {renamed(key, old, new): renamed(value, old, new) for key, value in document.items()}
    if isinstance(document, list):
        return [renamed(value, old, new) for value in document]
    return new if document == old else document


def without_numbers(document: Any) -> Any:
    """A copy with every float replaced by something that is no number."""
    if isinstance(document, dict):
        return {key: without_numbers(value) for key, value in document.items()}
    if isinstance(document, list):
        return [without_numbers(value) for value in document]
    return math.nan if isinstance(document, float) else document


def test_the_page_is_one_file_without_scripts_or_network() -> None:
    for text in (ranking_html(ranking()), set_html(manifest(), examples())):
        page = Page(text)
        assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
        assert not [name for name, _ in page.attributes if name == "src" or name.startswith("on")]
        # The numbers lie beside the report; nothing else is linked to.
        links = [str(value) for name, value in page.attributes if name == "href"]
        assert all(re.fullmatch(r"figures/[a-z-]+\.(csv|json)", link) for link in links)
        assert "url(" not in text and "@import" not in text and "http://" not in text
        assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_the_primary_number_and_every_warning_come_before_the_arms() -> None:
    document = ranking()
    text = Page(ranking_html(document)).text
    start = text.index(" Arms ")
    assert document["primary"]["statement"] in text[:start]
    for warning in document["warnings"]:
        assert warning in text[:start]


def test_hostile_names_are_text() -> None:
    document = renamed(ranking(), "prose-heavy", HOSTILE)
    document = renamed(document, "niah", HOSTILE + "task")
    document["warnings"].append(HOSTILE)
    document["environment"][HOSTILE] = HOSTILE
    document["per_prompt"]["ids"][0] = HOSTILE
    out = ranking_html(document)
    page = Page(out)
    assert "script" not in page.tags
    assert "<script" not in out
    assert "\u202e" not in out
    assert "<script>alert('x')</script>\"&‹U+202E›" in page.text


def test_a_tied_pair_is_never_shown_as_better() -> None:
    document = ranking()
    rows = Page(ranking_html(document)).rows
    names = [arm["name"] for arm in sorted(document["arms"], key=lambda arm: arm["kind"] == "null")]
    matrix = {row[0].split(maxsplit=1)[1]: row[1:] for row in rows if len(row) == 7 and row[0][:1] in "123456"}
    assert list(matrix) == names
    seen = set()
    for pair in document["pairs"]:
        a, b = names.index(pair["a"]), names.index(pair["b"])
        word = "equivalent" if pair["verdict"] == "tied" and pair["equivalent"] else pair["verdict"]
        mirror = {"better": "worse", "worse": "better"}.get(word, word)
        assert matrix[pair["a"]][b] == word
        assert matrix[pair["b"]][a] == mirror
        listed = [row for row in rows if len(row) > 8 and (row[0], row[2]) == (pair["a"], pair["b"])]
        assert [row[1] for row in listed] == [word]
        seen.add(word)
    assert seen >= {"tied", "better", "equivalent"}


def test_the_pair_table_has_difference_interval_p_and_scope() -> None:
    document = ranking()
    pair = next(pair for pair in document["pairs"] if (pair["a"], pair["b"]) == ("balanced", "prose-heavy"))
    row = next(
        row for row in Page(ranking_html(document)).rows if row[0] == "balanced" and row[2:3] == ["prose-heavy"]
    )
    low, high = pair["ci"]
    assert row[3] == f"{pair['diff']:.4f}".replace("-", "−")
    assert row[4] == f"[{low:.4f}, {high:.4f}]".replace("-", "−")
    assert row[7:10] == [f"{pair['p_holm']:.3f}", "recipes", "user"]
    assert pair["words"] in Page(ranking_html(document)).text


@pytest.mark.parametrize(
    ("scope", "words", "short"),
    [
        ("sets", "These sets: the verdict is about the very sets", "these sets"),
        ("provisional", "Provisional: the verdict", "provisional"),
        ("recipes", "Recipes: with five draws or more", "recipes"),
    ],
)
def test_the_scope_is_explained_when_it_occurs(scope: str, words: str, short: str) -> None:
    document = ranking()
    for pair in document["pairs"]:
        pair["scope"] = scope
    page = Page(ranking_html(document))
    assert words in page.text
    assert sum(row[8:9] == [short] for row in page.rows) == len(document["pairs"])
    others = {"These sets:", "Provisional:", "Recipes:"} - {words.split(":")[0] + ":"}
    assert not [other for other in others if other in page.text]


def test_the_ranking_table_shows_every_arm_with_its_interval() -> None:
    document = ranking()
    page = Page(ranking_html(document))
    rows = {row[1]: row for row in page.rows if len(row) == 13}
    for arm in document["arms"]:
        low, high = arm["kl_ci"]
        assert rows[arm["name"]][5:7] == [f"{arm['kl_mean']:.4f}", f"[{low:.4f}, {high:.4f}]"]
    assert [rows[name][0] for name in ("balanced", LONG, "x", "no data")] == ["1–2", "3", "4", "null"]


def test_sets_and_environment_are_listed() -> None:
    document = ranking()
    document["arms"][0]["sets"][0]["overlap"] = 0.31
    page = Page(ranking_html(document))
    for arm in document["arms"]:
        for entry in arm["sets"]:
            assert entry["set_hash"][:12] in page.text
    assert "17.1 of 20.0 *" in page.text
    assert "29.7 of 30.0 *" not in page.text
    assert "31.0 %, above 20 %" in page.text
    assert "near_duplicate 31; language 12; random_text 4" in page.text
    for name, value in document["environment"].items():
        assert f"{name} {value}" in page.text


@pytest.mark.parametrize(
    ("lacking", "heading"),
    [
        ("per_prompt", "Prompts"),
        ("environment", "Environment"),
        ("floors", "Noise floors"),
        ("pairs", "Pairs"),
        ("warnings", "Warnings"),
        ("domains", "Which set serves which task"),
        ("layers", "Layers"),
        ("worst_prompts", "Worst prompts"),
        ("cost", "Cost"),
        ("reproduce", "To reproduce"),
    ],
)
def test_a_missing_part_leaves_its_section_out(lacking: str, heading: str) -> None:
    whole = Page(ranking_html(ranking())).headings
    null = ranking() | {lacking: None}
    missing = {key: value for key, value in ranking().items() if key != lacking}
    for document in (null, missing):
        assert Page(ranking_html(document)).headings == [other for other in whole if other != heading]
    assert heading in whole


@pytest.mark.parametrize(
    ("lacking", "heading"),
    [("by_task", "Tasks"), ("sets", "Sets")],
)
def test_a_part_that_no_arm_has_leaves_its_section_out(lacking: str, heading: str) -> None:
    document = ranking()
    for arm in document["arms"]:
        del arm[lacking]
    assert heading not in Page(ranking_html(document)).headings
    assert heading in Page(ranking_html(ranking())).headings


def test_the_smallest_detectable_difference_is_stated_only_when_known() -> None:
    assert "Smallest detectable difference: 0.0062 nats" in Page(ranking_html(ranking())).text
    assert "Smallest" not in Page(ranking_html(ranking() | {"smallest_detectable": None})).text


def test_the_least_document_has_no_empty_sections() -> None:
    page = Page(ranking_html(minimal_ranking()))
    assert page.tags.count("section") == 1
    assert "0.2651" in page.text
    assert not re.search(r"\b(none|nan|null|undefined)\b", page.text, re.IGNORECASE)


def test_nothing_is_ever_shown_as_nan_or_none() -> None:
    pages = [
        ranking_html(without_numbers(ranking())),
        ranking_html(renamed(ranking(), "gptq", None)),
        set_html(without_numbers(manifest()), without_numbers(examples())),
    ]
    for out in pages:
        page = Page(out)
        words = {"content", "open", "preserveaspectratio"}
        positions = " ".join(str(value) for name, value in page.attributes if name not in words)
        assert not re.search(r"\b(nan|none|inf|infinity|undefined)\b", f"{page.text} {positions}", re.IGNORECASE)


def test_an_unknown_part_of_the_environment_is_a_dash() -> None:
    assert Page(ranking_html(ranking() | {"environment": {"gpu": None}})).text.endswith("gpu -")


def test_arms_without_numbers_are_still_listed() -> None:
    page = Page(ranking_html(without_numbers(ranking())))
    listed = {row[1] for row in page.rows if len(row) > 2}
    assert listed >= {"balanced", "prose-heavy", LONG, "x", "no data"}


def test_the_plot_puts_lower_kl_to_the_left_with_its_interval_around_it() -> None:
    out = ranking_html(ranking())
    forest = out[out.index('class="plot forest"') : out.index('class="caption"')]
    dots = [float(x) for x in re.findall(r'<circle cx="([\d.]+)%"', forest)]
    lines = [(float(a), float(b)) for a, b in re.findall(r'<line x1="([\d.]+)%" x2="([\d.]+)%" y1="50%"', forest)]
    assert len(dots) == len(lines) == 6
    assert dots[:4] == sorted(dots[:4])
    assert all(low < dot < high for dot, (low, high) in zip(dots, lines, strict=True))
    assert forest.count("band detectable") == forest.count("band floor") == 6


def test_a_difference_beyond_the_plot_is_said_to_be() -> None:
    assert "outside the plot" not in ranking_html(ranking())
    assert "outside the plot" in ranking_html(ranking() | {"smallest_detectable": 5.0})


def test_without_floors_there_are_no_bands() -> None:
    document = ranking() | {"floors": {}, "smallest_detectable": None}
    out = ranking_html(document)
    assert 'class="band' not in out
    assert 'class="key' not in out


def test_the_documents_are_not_changed() -> None:
    document, set_document, shown = ranking(), manifest(), examples()
    before = copy.deepcopy((document, set_document, shown))
    ranking_html(document)
    set_html(set_document, shown)
    assert (document, set_document, shown) == before


def test_all_tasks_have_a_panel() -> None:
    out = ranking_html(ranking())
    tasks = out[out.index("<h2>Tasks ") : out.index("<h2>Tokens ")]
    assert re.findall(r"<figcaption>(.*?)</figcaption>", tasks) == list(TASKS)
