"""The five experiments: what is registered, what recipes differ in, and what becomes of a ranking."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import fake_runs
import pytest
from fake_runs import Fakes, loaded

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from data_experiments import pieces, texts
from data_experiments.collect import came, collect
from data_experiments.measure import measure
from data_experiments.registered import Expected, registered
from data_experiments.table import markdown
from data_experiments.workplace import RECIPES, Workplace, sizes

from curator._errors import InputError
from curator._files import write_json
from curator._progress import Silent
from curator.corpora.document import Document
from curator.rank.plan import Plan
from curator.recipe.load import load_recipe
from curator.scores.sentences import split_sentences

SENTENCES = [f"The ferry number {number} leaves the harbour at noon." for number in range(70)]


def differences(one: Any, other: Any, where: str = "") -> set[str]:
    """Keys in which two recipes differ, the names and titles apart."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [key for key in {**one, **other} if (where, key) not in {("", "name"), ("", "title")}]
        return {found for key in keys for found in differences(one.get(key), other.get(key), f"{where}.{key}")}
    return set() if one == other else {where.lstrip(".")}


@pytest.mark.parametrize(
    ("experiment", "allowed"),
    [
        ("gate", ({"continuity.min"}, {"sources"})),
        ("mix", ({"target.tasks", "sources"},) * 2),
        ("lengths", ({"size"},) * 2),
        ("traces", ({"target.tasks", "sources"}, {"sources"})),
    ],
)
def test_neighbouring_arms_differ_in_what_is_asked_alone(experiment: str, allowed: tuple[set[str], ...]) -> None:
    arms = registered().experiments[experiment].arms
    recipes = [load_recipe(RECIPES / f"{arm}.yaml").recipe.model_dump(mode="json") for arm in arms]
    for (one, other), named in zip(pairwise(recipes), allowed, strict=True):
        found = {key for key in differences(one, other)}
        assert found and all(key.startswith(tuple(named)) for key in found), found


OWN_LENGTHS = {"lengths-512": 512, "lengths-2k": 2048, "lengths-mixed": 2048}


@pytest.mark.parametrize("scale_name", ["cpu", "gpu"])
def test_all_arms_of_a_scale_have_as_many_tokens(scale_name: str) -> None:
    plan = registered()
    scale = plan.scales[scale_name]
    for name in scale.experiments:
        for arm in plan.experiments[name].arms:
            if arm == "derived":
                continue
            file = RECIPES / f"{arm}.yaml"
            size = load_recipe(file, sizes(load_recipe(file), scale)).recipe.size
            assert size.total == scale.samples * scale.tokens, arm
            assert size.longest == OWN_LENGTHS.get(arm, scale.tokens), arm


def test_a_pair_is_expected_once_and_of_two_arms() -> None:
    for experiment in registered().experiments.values():
        pairs = [one.pair for one in experiment.expected]
        assert len(set(pairs)) == len(pairs) and all(len(pair) == 2 for pair in pairs)
    with pytest.raises(InputError, match="no experiment at scale gpu"):
        registered().asked("gpu", ("traces",))


def test_the_gates_pool_has_each_text_once_half_of_them_in_another_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def documents() -> Any:
        for number in range(40):
            text = " ".join(f"{number}: {line}" for line in SENTENCES)
            yield Document(f"d{number}", "c", "u", "prose", "en", "MIT", text)
        yield Document("short", "c", "u", "prose", "en", "MIT", " ".join(SENTENCES[:31]))

    monkeypatch.setattr(texts, "_documents", documents)
    rows = list(texts.gate_rows())
    # 70 sentences are two parts of 35; 31 are none.
    assert len(rows) == 80 and len({row["id"] for row in rows}) == 80
    assert 20 < sum(row["shuffled"] for row in rows) < 60
    for row in rows:
        number, start = row["id"][1:].split("@")
        order = [f"{number}: {line}" for line in SENTENCES[int(start) : int(start) + 35]]
        own = split_sentences(row["text"])
        assert sorted(own) == sorted(order) and (own == order) is not row["shuffled"]
    assert rows == list(texts.gate_rows())


def test_what_the_gate_refuses_is_picked_by_its_own_reasons() -> None:
    rows = [{"id": name} for name in "abcd"]
    reasons = ("continuity", None, "random_text", "continuity_band")
    sifted = [{"id": name, "reason": reason} for name, reason in zip("abcd", reasons, strict=True)]
    assert [row["id"] for row in texts.refused_rows(rows, sifted)] == ["a", "d"]
    with pytest.raises(InputError, match="other rows"):
        texts.refused_rows(rows, sifted[:3])


@pytest.mark.parametrize(
    ("expected", "verdict", "equivalent", "word"),
    [
        ({"better": "a", "than": "b"}, "better", False, "as expected"),
        ({"better": "b", "than": "a"}, "better", False, "the other way"),
        ({"better": "b", "than": "a"}, "worse", False, "as expected"),
        ({"better": "a", "than": "b"}, "tied", True, "not separated"),
        ({"tied": ("a", "b")}, "tied", True, "as expected"),
        ({"tied": ("a", "b")}, "tied", False, "not separated"),
        ({"tied": ("a", "b")}, "worse", False, "the other way"),
    ],
)
def test_what_became_of_an_expectation(
    expected: dict[str, Any], verdict: str, equivalent: bool, word: str
) -> None:
    pair = {"a": "a", "b": "b", "verdict": verdict, "equivalent": equivalent}
    assert came(Expected(why="", **expected), pair) == word


class Place(Workplace):
    """Two experiments of generated sets on the tiny model."""

    def plan(self, name: str) -> Plan:
        arms = {"gate": ("gate-on", "gate-off", "gate-inverted"), "traces": ("traces-prose", "bad", "traces-self")}
        kinds = {
            arm: loaded(self.folder, arm, seed=seed)
            for seed, arm in enumerate(arms[name], 10 * (name == "traces"))
        }
        made: Plan = fake_runs.plan(self.folder, Path(str(self.model)), tuple(kinds.values()), draws=2, margin=0.0)
        return replace(made, nulls=("no-data",))


def test_experiments_share_a_run_folder_and_are_kept_apart(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes(tiny_model)
    fakes.install(monkeypatch)
    place = Place(tmp_path, "cpu", str(tiny_model), 2)
    measure(place, ("gate", "traces"), 1, Silent())
    # Of either three recipes with two draws and one set again for the floor, and for both what has no data.
    assert len(fakes.made) == 7 + 7 + 1
    measure(place, ("gate", "traces"), 1, Silent())
    assert len(fakes.made) == 15
    write_json(place.texts / "pools.json", {})
    file = place.ranking("traces") / "ranking.json"
    write_json(file, json.loads(file.read_text().replace('"bad"', '"traces-written"')))
    results = collect(place, ("gate", "traces", "mix"))
    assert results["not_measured"] == ["mix"] and not results["as_registered"]
    pairs = [pair for one in results["experiments"].values() for pair in one["pairs"] if pair["family"] == "user"]
    assert len(pairs) == 6
    # Six pairs together: no p is smaller than that of its own three, and the smallest is six times its own.
    assert all(pair["p_holm_all"] >= pair["p_holm"] for pair in pairs)
    least = min(pairs, key=lambda pair: pair["p"])
    assert least["p_holm_all"] == pytest.approx(min(1.0, 6 * least["p"]))
    table = markdown(results)
    assert "traces-prose better than traces-written" in table and "Not as registered" in table


def test_pieces_that_wait_are_named_once(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes(tiny_model)
    fakes.install(monkeypatch)
    # The second recipe draws the first one's sets under another name.
    recipes = (loaded(tmp_path, "one"), loaded(tmp_path, "same"))
    plan = fake_runs.plan(tmp_path, tiny_model, recipes, draws=3)
    waiting = pieces.waiting(plan, Silent())
    assert [(piece.label, piece.keep) for piece in waiting] == [
        ("one draw 0", True),
        ("one draw 1", False),
        ("one draw 2", False),
    ]
    pieces.measure_piece(waiting[1])
    assert [piece.label for piece in pieces.waiting(plan, Silent())] == ["one draw 0", "one draw 2"]
    assert not (waiting[1].draw.folder / "checkpoint").exists()
