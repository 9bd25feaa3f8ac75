"""Recipes from profiles: the shares by hand, the sources, and that they load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from curator._errors import InputError
from curator.corpora.shelf import load_cards
from curator.profile import derive_recipe as derive_recipe_module
from curator.profile.derive_mix import Measure, language_shares, length_shares, mix_of
from curator.profile.derive_recipe import Wish, derive_recipe
from curator.profile.derive_sources import sources_for
from curator.profile.derive_target import rounded
from curator.profile.schema import Profile
from curator.recipe.load import load_recipe
from curator.recipe.schema import Recipe
from tests.profile.made_profiles import CONTEST, Some, made
from tests.profile.profile_files import write_rows


def derived(tmp_path: Path, profile: Profile, **wish: Any) -> tuple[Recipe, str]:
    out = tmp_path / "mine.yaml"
    evaluation = write_rows(tmp_path / "eval.jsonl", [{"task": "a", "question": "Which ferry leaves first?"}])
    out.write_text(derive_recipe(profile, Wish(**wish), out, evaluation).text)
    return load_recipe(out).recipe, out.read_text()


def test_shares_by_items_with_half_of_what_is_low(tmp_path: Path) -> None:
    recipe, _ = derived(tmp_path, made(*CONTEST))
    # 30 of 150 each; fwe and cwe are halved, and prose gets the other halves.
    assert recipe.target.tasks == {"mcq": 0.2, "niah": 0.2, "qa": 0.2, "fwe": 0.1, "cwe": 0.1, "prose": 0.2}
    assert recipe.target.low_continuity is not None and recipe.target.low_continuity.max_share == 0.2
    assert recipe.target.languages == {"en": 1}
    assert (recipe.size.samples, recipe.size.tokens) == (16, 512)


@pytest.mark.parametrize(
    ("by", "factor", "mcq", "fwe", "prose"),
    [
        # Input tokens: 8,130 and 2,044,650 of 8,644,320; low are 2,044,650 + 2,224,920.
        ("input_tokens", 1.0, 8_130 / 8_644_320, 2_044_650 / 8_644_320, 0.0),
        ("input_tokens", 0.0, 8_130 / 8_644_320, None, 4_269_570 / 8_644_320),
        # With outputs of 733,440 in all: mcq has 284,880, fwe 155,910, cwe 279,030.
        ("total_tokens", 0.25, 293_010 / 9_377_760, 0.25 * 2_200_560 / 9_377_760, 0.75 * 4_704_510 / 9_377_760),
    ],
)
def test_shares_by_tokens(
    tmp_path: Path, by: Measure, factor: float, mcq: float, fwe: float | None, prose: float
) -> None:
    tasks = derived(tmp_path, made(*CONTEST), by=by, factor=factor)[0].target.tasks
    assert tasks["mcq"] == pytest.approx(mcq, abs=2e-6)
    assert tasks.get("fwe") == (None if fwe is None else pytest.approx(fwe, abs=2e-6))
    assert tasks.get("prose", 0.0) == pytest.approx(prose, abs=2e-6)
    assert sum(tasks.values()) == pytest.approx(1, abs=1e-12)


def test_thirds_are_thirds(tmp_path: Path) -> None:
    profile = made(Some("a", 2, 10, gold="string"), Some("a", 1, 10, gold="string", low=True))
    target = derived(tmp_path, profile)[0].target
    # A third is low; half of it goes.
    assert target.tasks == {"a": 0.833333, "prose": 0.166667}
    assert target.low_continuity is not None and target.low_continuity.max_share == 0.1667


def test_the_comment_shows_all_three_measures(tmp_path: Path) -> None:
    _, text = derived(tmp_path, made(*CONTEST))
    rows = [line.split() for line in text.splitlines() if line.startswith("#   mcq")]
    # 20 % of the items, 0.09 % of the input tokens, 293,010 of 9,377,760 of all.
    assert rows == [["#", "mcq", "20.0", "0.094", "3.1"]]
    assert "eval.jsonl" in text and "30 of 150 items" in text and "0.5 of which is kept: 0.2 -> 0.1\n" in text


def test_by_total_tokens_needs_outputs() -> None:
    without = made(Some("qa", 3, 50))
    assert mix_of(without, "items", 0.5).freed == 0
    with pytest.raises(InputError, match="--outputs"):
        mix_of(without, "total_tokens", 0.5)
    with pytest.raises(InputError, match="no prompt has a token"):
        mix_of(made(Some("qa", 3, 0)), "input_tokens", 0.5)


def test_sources_by_task(tmp_path: Path) -> None:
    recipe, text = derived(tmp_path, made(*CONTEST))
    told = {(source.model_dump().get("generate"), source.task) for source in recipe.sources}
    assert {("niah", "niah"), ("qa", "qa"), ("fwe", "fwe"), ("cwe", "cwe"), ("mcq", "mcq")} <= told
    cards = {source.model_dump().get("corpus"): source.task for source in recipe.sources}
    assert cards["python-mcq"] == "mcq" and cards["python-topics"] == "prose"
    # Prompts of 70,000 tokens are no matter of docstrings; what the hub has is named, and not read.
    assert "python-qa" not in cards and "# - {corpus: mmlu-train, task: mcq}" in text
    assert all("dataset" not in source.model_dump() for source in recipe.sources)


@pytest.mark.parametrize(
    ("some", "kind", "why"),
    [
        (Some("niah", 3, 50), "niah", ""),
        (Some("QA", 3, 50), "qa", ""),
        (Some("niah_multikey_2", 3, 50), "niah", "by its name"),
        (Some("lcx", 3, 50), "qa", "by its name"),
        (Some("ruler/vt", 3, 50), "vt", "by its name"),
        (Some("physics", 3, 50, gold="letter"), "mcq", "letters of choices"),
        (Some("apps", 3, 50, language="zxx", gold="string"), "code", "its items are code"),
        (Some("essay", 3, 50, gold="string"), "prose", "continuous prose is the nearest"),
    ],
)
def test_tasks_of_other_names(tmp_path: Path, some: Some, kind: str, why: str) -> None:
    profile = made(some)
    languages = tuple(language_shares(profile.items))
    cards = list(load_cards().values())
    found = sources_for(some.task, profile.tasks[some.task], languages, f'"{some.task}"', cards)
    assert found.kind == kind and why in found.why
    recipe, text = derived(tmp_path, profile)
    assert list(recipe.target.tasks) == [some.task]
    assert {source.task for source in recipe.sources} == {some.task}
    assert not why or why in text


def test_hostile_task_names_stay_names(tmp_path: Path) -> None:
    names = ["a: b", "# no", "yes", "x\n- y", "{z}", "任务", "it's", '"', "1"]
    recipe, _ = derived(tmp_path, made(*(Some(name, 2, 50, gold="string") for name in names)))
    assert list(recipe.target.tasks) == names


def test_languages_of_all_and_of_a_task(tmp_path: Path) -> None:
    profile = made(Some("niah", 3, 50), Some("niah", 1, 50, language="zh"), Some("fwe", 4, 50, low=True))
    recipe, text = derived(tmp_path, profile)
    # 7 of 8 items are English; of niah, 3 of 4.
    assert recipe.target.languages == {"en": 0.875, "zh": 0.125}
    assert recipe.target.by_task["niah"].languages == {"en": 0.75, "zh": 0.25}
    assert recipe.target.by_task["fwe"].languages == {"en": 1}
    assert "{generate: niah, task: niah, options: {language: zh}}" in text


def test_a_language_that_nothing_here_is_in_is_left_out(tmp_path: Path) -> None:
    recipe, text = derived(tmp_path, made(Some("fwe", 3, 50), Some("fwe", 1, 50, language="yo")))
    assert recipe.target.languages == {"en": 1}
    assert "No source here is in yo" in text


def test_lengths_up_to_the_longest_sequence() -> None:
    items = made(Some("a", 1, 512), Some("a", 2, 513), Some("a", 1, 9_000)).items
    assert length_shares(items, 512) == []
    assert length_shares(items, 4_096) == [(512, 0.25), (None, 0.75)]
    assert length_shares(items, 8_192) == [(512, 0.25), (4_096, 0.5), (None, 0.25)]


def test_lengths_become_bins_of_each_task(tmp_path: Path) -> None:
    recipe, text = derived(tmp_path, made(*CONTEST), samples=4, tokens=8_192)
    mcq, niah = (recipe.target.by_task[task].lengths for task in ("mcq", "niah"))
    assert mcq is not None and niah is not None
    assert [(one.upto, one.share) for one in mcq] == [(512, 1), (4_096, 0), (None, 0)]
    assert [(one.upto, one.share) for one in niah] == [(512, 0), (4_096, 0), (None, 1)]
    assert (
        "positions only" in text
        and "size: {mix: [{samples: 4, tokens: 8192}, {samples: 2, tokens: 131072}]}" in text
    )


def test_the_evaluation_is_watched_for_leaks(tmp_path: Path) -> None:
    (tmp_path / "recipes").mkdir()
    evaluation = write_rows(tmp_path / "eval.jsonl", [{"task": "a", "question": "Which?"}])
    out = tmp_path / "recipes" / "mine.yaml"
    out.write_text(derive_recipe(made(Some("qa", 2, 50)), Wish(), out, evaluation).text)
    assert YAML(typ="safe").load(out)["gates"]["leakage"]["against"] == ["../eval.jsonl"]
    load_recipe(out)


@pytest.mark.parametrize("shares", [{"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, {"a": 1.0, "b": 1e-9}, {"a": 5.0}])
def test_shares_sum_to_one(shares: dict[str, float]) -> None:
    found = rounded(shares)
    assert sum(round(float(share) * 1e6) for share in found.values()) == 1_000_000
    assert all(float(share) > 0 for share in found.values())


def test_what_may_be_low_is_a_share_of_tokens_and_not_of_items(tmp_path: Path) -> None:
    # Half of the items are low, by 0.8 of their tokens; half of those 0.4 may be.
    profile = made(Some("qa", 2, 50), Some("fwe", 2, 50, low=True, low_share=0.8))
    recipe, text = derived(tmp_path, profile)
    assert recipe.target.tasks == {"qa": 0.5, "fwe": 0.25, "prose": 0.25}
    assert recipe.target.low_continuity is not None and recipe.target.low_continuity.max_share == 0.2
    assert "0.4 of the evaluation's tokens" in text
    assert profile.overall.low_continuity.token_share == 0.4


def test_cards_are_read_once_for_any_number_of_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(derive_recipe_module, "load_cards", lambda: read.append(1) or load_cards())
    derive_recipe(
        made(*(Some(f"t{at}", 2, 50, low=at == 3) for at in range(20))), Wish(), tmp_path / "x.yaml", None
    )
    assert read == [1]
