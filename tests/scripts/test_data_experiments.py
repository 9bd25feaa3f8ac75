"""The five experiments: what is registered, what recipes differ in, and what becomes of a ranking."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sys
from concurrent.futures import Future
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import fake_runs
import pytest
from fake_runs import Fakes, loaded

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from data_experiments import pieces, pool, texts
from data_experiments.build import build_sets
from data_experiments.collect import came, collect, deviations
from data_experiments.layout import RECIPES, ExperimentFolder, sizes
from data_experiments.measure import measure
from data_experiments.pieces import measure_piece
from data_experiments.registered import Expected, registered
from data_experiments.table import markdown

from curator._errors import CurateError, DependencyError, InputError
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
        stacks = "\n".join(f"sun/nio/ch/Selector{n}:poll;org/vertx/java/core/net;[unknown] {n}" for n in range(99))
        yield Document("stacks", "c", "u", "prose", "en", "MIT", stacks)

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
    sifted = [{"row": number, "reason": reason} for number, reason in enumerate(reasons, 1)]
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


class Place(ExperimentFolder):
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
    with pytest.raises(InputError, match="no set is there"):
        measure(place, ("gate", "traces"), 1, Silent())
    for name in ("gate", "traces"):
        build_sets(place.plan(name), Silent())
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
    assert "traces-prose better than traces-written" in table and "A dry run" in table


class Now:
    """A pool that does at once, in this process, what it is given."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Now:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, step: Any, *given: Any) -> Future[None]:
        done: Future[None] = Future()
        try:
            done.set_result(step(*given))
        except CurateError as error:
            done.set_exception(error)
        return done


def test_measured_together_or_in_turn_the_rankings_are_the_same(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes(tiny_model)
    fakes.install(monkeypatch)
    monkeypatch.setattr(pool, "ProcessPoolExecutor", Now)
    places = [Place(tmp_path / name, "cpu", str(tiny_model), 2) for name in ("together", "in-turn")]
    for place in places:
        place.folder.mkdir()
        for name in ("gate", "traces"):
            build_sets(place.plan(name), Silent())
    measure(places[0], ("gate", "traces"), 4, Silent())
    # Six sets each, the null arm without data once, and the first set of either once more for its floor.
    assert len(fakes.made) == 6 + 6 + 1 + 2
    measure(places[1], ("gate", "traces"), 1, Silent())
    found = [
        [json.loads((place.ranking(name) / "ranking.json").read_text()) for name in ("gate", "traces")]
        for place in places
    ]
    for one, other in zip(*found, strict=True):
        assert one["arms"] == other["arms"] and one["pairs"] == other["pairs"] and one["floors"] == other["floors"]
    assert not list((tmp_path / "together").glob("**/checkpoint")) and not list(
        (tmp_path / "together").glob("**/again/*")
    )


def test_a_piece_that_fails_does_not_end_the_others(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes(tiny_model)
    fakes.install(monkeypatch)
    monkeypatch.setattr(pool, "ProcessPoolExecutor", Now)
    place = Place(tmp_path, "cpu", str(tiny_model), 2)
    build_sets(place.plan("gate"), Silent())
    whole, broken = measure_piece, []

    def once(piece: pieces.Piece) -> None:
        if piece.label == "gate-off draw 1" and not broken:
            broken.append(piece.label)
            raise DependencyError("the device went away")
        whole(piece)

    monkeypatch.setattr(pool, "measure_piece", once)
    with pytest.raises(DependencyError, match="went away"):
        measure(place, ("gate",), 4, Silent())
    assert not place.ranking("gate").exists() and len(fakes.made) == 7
    measure(place, ("gate",), 4, Silent())
    assert len(fakes.made) == 8 and (place.ranking("gate") / "ranking.json").is_file()


def test_workers_take_the_gpus_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    visible, started = pool.gpus(), multiprocessing.get_context("spawn").Value("i", 0)
    monkeypatch.setattr("torch.set_num_threads", lambda _count: None)
    taken = []
    for _ in range(4):
        pool.start_worker(4, visible, started)
        taken.append(os.environ["CUDA_VISIBLE_DEVICES"])
    assert taken == ["3", "5", "3", "5"]


def test_a_set_of_other_text_is_not_measured(tmp_path: Path, tiny_model: Path) -> None:
    made = fake_runs.plan(tmp_path, tiny_model, (loaded(tmp_path, "one"),), draws=2)
    build_sets(made, Silent())
    pieces.stored_arms(made, Silent())
    changed = fake_runs.plan(tmp_path, tiny_model, (loaded(tmp_path, "one", seed=1),), draws=2)
    with pytest.raises(InputError, match="draw-0/set: the set was built with another recipe_hash"):
        pieces.stored_arms(changed, Silent())


def test_pieces_that_wait_are_named_once(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = Fakes(tiny_model)
    fakes.install(monkeypatch)
    # The second recipe draws the first one's sets under another name.
    recipes = (loaded(tmp_path, "one"), loaded(tmp_path, "same"))
    plan = fake_runs.plan(tmp_path, tiny_model, recipes, draws=3)
    build_sets(plan, Silent())
    pieces.take_stored_baseline(plan)
    arms = pieces.stored_arms(plan, Silent())
    waiting = pieces.waiting(plan, arms)
    assert [(piece.label, piece.floors, piece.layers) for piece in waiting] == [
        ("one draw 0", True, True),
        ("one draw 1", False, False),
        ("one draw 2", False, False),
    ]
    pieces.measure_piece(waiting[1])
    assert [piece.label for piece in pieces.waiting(plan, arms)] == ["one draw 0", "one draw 2"]
    assert not (waiting[1].draw.folder / "checkpoint").exists()


def test_a_device_other_than_registered_is_told(tmp_path: Path, tiny_model: Path) -> None:
    place = ExperimentFolder(tmp_path, "cpu", str(tiny_model), device="cuda")
    assert ExperimentFolder(tmp_path, "cpu", device="cuda").as_registered and not place.as_registered
    ranking: dict[str, Any] = {
        "reproduce": {"plan": {"device": "cuda"}},
        "environment": {"device": "NVIDIA H200"},
        "arms": [{"name": "a", "sets": [{"tokens": 8192}, {"tokens": 8192}]}, {"name": "no-data"}],
    }
    (told,) = deviations(place, {"mix": ranking, "gate": ranking})
    assert "cuda, cpu was registered" in told and "NVIDIA H200" in told
    cpu = {**ranking, "reproduce": {"plan": {"device": None}}}
    assert deviations(place, {"mix": cpu}) == []
    short = {**cpu, "arms": [{"name": "b", "sets": [{"tokens": 8192}, {"tokens": 8171}]}]}
    assert deviations(place, {"mix": short}) == ["mix: b has 8,171 to 8,192 of 8,192 tokens a set"]
    write_json(place.texts / "answers.json", {"device": "NVIDIA H200", "together": 192})
    (answers,) = deviations(place, {"mix": cpu})
    assert "answers" in answers and "NVIDIA H200, 192" in answers
    model = tmp_path / "model"
    shutil.copytree(tiny_model, model)
    shutil.copy(RECIPES.parent / "plain_turns.jinja", model / "chat_template.jinja")
    assert "plain paragraphs" in deviations(ExperimentFolder(tmp_path / "x", "cpu", str(model)), {"mix": cpu})[0]
