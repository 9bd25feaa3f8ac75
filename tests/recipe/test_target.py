"""Targets over languages and lengths: what is taken, and where faults are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe_files import BASE, write

from curator._errors import RecipeError
from curator.recipe.load import load_recipe
from curator.recipe.render import to_yaml
from curator.recipe.source_kinds import SelfSource


def changed(more: str) -> str:
    """The recipe with more in its target, from line 5 on."""
    return BASE.replace("  tasks: {chat: 1}\n", f"  tasks: {{chat: 1}}\n{more}")


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(RecipeError) as caught:
        load_recipe(write(folder, text))
    return [problem.partition(".yaml:")[2] for problem in caught.value.problems]


def test_shares_of_languages_and_lengths_sum_to_one(tmp_path: Path) -> None:
    text = changed(
        "  languages: {en: 3, zh: 1}\n  lengths: [{upto: 10, share: 1}, {upto: 20, share: 0}, {share: 4}]\n"
        "  by_task: {chat: {languages: {de: 2}}}\n"
    )
    target = load_recipe(write(tmp_path, text)).recipe.target
    assert target.languages_of("other") == {"en": 0.75, "zh": 0.25}
    assert target.languages_of("chat") == {"de": 1}
    assert [(one.upto, one.share) for one in target.lengths_of("chat") or ()] == [
        (10, 0.2),
        (20, 0),
        (None, 0.8),
    ]
    assert target.low_continuity is None and target.diversity == "none"


@pytest.mark.parametrize(
    ("more", "line", "words"),
    [
        ("  languages: {english: 1}\n", 5, "write en"),
        ("  languages: {en: 0}\n", 5, "a share is a positive number"),
        ("  lengths: [{upto: 200, share: 1}, {upto: 100, share: 1}]\n", 5, "bins must rise"),
        ("  lengths: [{share: 1}, {upto: 100, share: 1}]\n", 5, "only the last bin may leave upto out"),
        ("  lengths: [{upto: 10, share: 0}]\n", 5, "every share is 0"),
        ("  lengths: [{upto: 10, share: -1}]\n", 5, "must be 0 or more"),
        ("  lengths: []\n", 5, "is empty"),
        ("  lengths: [{up_to: 10, share: 1}]\n", 5, "did you mean upto?"),
        ("  low_continuity: {max_share: 1.5}\n", 5, "must be 1 or less"),
        ("  low_continuity: {max_share: 0.5, max: 0.5}\n", 5, "unknown key"),
        (
            "  by_task: {chap: {languages: {en: 1}}}\n",
            5,
            "task 'chap' has no share; did you mean chat?",
        ),
        ("  by_task: {chat: {tasks: {en: 1}}}\n", 5, "unknown key"),
        ("  diversity: some\n", 5, "must be none or coverage"),
        ("  langages: {en: 1}\n", 5, "did you mean languages?"),
    ],
)
def test_faults_are_told_at_their_line(tmp_path: Path, more: str, line: int, words: str) -> None:
    (found,) = faults(tmp_path, changed(more))
    assert found.startswith(f"{line}: ")
    assert words in found


def test_an_heir_takes_a_target_back(tmp_path: Path) -> None:
    base = write(tmp_path, changed("  languages: {en: 1}\n  diversity: coverage\n"))
    heir = tmp_path / "heir.yaml"
    heir.write_text(f"name: heir\nextends: {base.name}\ntarget: {{languages: ~, diversity: ~}}\n")
    target = load_recipe(heir).recipe.target
    assert target.languages is None and target.diversity == "none"


def test_the_models_own_text_has_prompts_of_its_task(tmp_path: Path) -> None:
    source = "  - {generate: self, task: chat, prompts: {generate: niah, options: {needles: words}}, keep: gold}\n"
    loaded = load_recipe(write(tmp_path, BASE + source))
    own = loaded.recipe.sources[-1]
    assert isinstance(own, SelfSource)
    assert (own.prompts.task, own.keep, own.max_new, own.temperature) == ("chat", "gold", 2048, 0)
    again = tmp_path / "again.yaml"
    again.write_text(to_yaml(loaded))
    assert load_recipe(again).recipe == loaded.recipe


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{generate: self, task: chat}", "prompts is missing"),
        ("{generate: self, prompts: {generate: niah}}", "task is missing"),
        ("{generate: self, task: chat, prompts: {generate: niah, task: qa}}", "leave both out"),
        ("{generate: self, task: chat, prompts: {generate: niah}, keep: some}", "must be all or gold"),
        ("{generate: self, task: chat, prompts: {generat: niah}}", "did you mean generate?"),
        ("{generate: self, task: chat, prompts: {generate: niah}, max_new: 0}", "must be 1 or more"),
    ],
)
def test_faults_of_the_models_own_text(tmp_path: Path, source: str, words: str) -> None:
    (found,) = faults(tmp_path, BASE + f"  - {source}\n")
    assert found.startswith("7: sources.1")
    assert words in found


def test_prompts_that_lead_nowhere_are_told_by_the_check(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "x"}\n')
    path = write(tmp_path, BASE + "  - {generate: self, task: chat, prompts: {corpus: python-qx}}\n")
    with pytest.raises(RecipeError, match=r"sources\.1: corpus 'python-qx': no such card"):
        load_recipe(path, references=True)
