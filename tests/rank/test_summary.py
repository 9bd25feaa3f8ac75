"""The ranking document from synthetic scores, with values worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from curator.measure.baseline import Baseline
from curator.rank.arms import Arm, Draw
from curator.rank.looks import Judged
from curator.rank.measure_arm import Measured
from curator.rank.plan import Plan
from curator.rank.summary import summarise
from curator.rank.values import arm_values, run_design
from curator.rank.verdict import rank_arms
from curator.recipe.load import LoadedRecipe, SourcePlace
from curator.recipe.quantize_settings import QuantizeSettings
from curator.recipe.schema import Recipe
from curator.serve.interface import Window

PROMPTS = [
    {"id": f"{task}{n}", "task": task, "corpus": f"c-{task}"} for task in ("prose", "code") for n in range(4)
]
FLOORS: dict[str, Any] = {"used_sd": 0.0}
COST = [{"step": "score", "arm": "a", "draw": 0, "seconds": 2.5}]


def recipe(name: str) -> LoadedRecipe:
    values = {
        "name": name,
        "size": {"samples": 2, "tokens": 32},
        "target": {"tasks": {"prose": 1.0}},
        "sources": [{"corpus": "python-topics", "task": "prose"}],
    }
    return LoadedRecipe(
        Recipe.model_validate(values), Path("r.yaml"), (), (SourcePlace(Path("r.yaml"), 1, Path()),)
    )


def table(level: float, noise: np.ndarray[Any, Any]) -> pd.DataFrame:
    """Two tokens a prompt, at ``level`` plus the prompt's noise, minus and plus 0.01."""
    rows = []
    for prompt, extra in zip(PROMPTS, noise, strict=True):
        for offset in (-0.01, 0.01):
            kl = level + extra + offset
            place = int(offset > 0)
            rows.append(
                {**prompt, "prompt": prompt["id"], "position": place, "kl": kl, "kl_union": kl, "kl_lumped": kl}
            )
    frame = pd.DataFrame(rows).assign(js=0.1, cosine=0.9, top1=1.0, choice=7, delta_logprob=0.0).drop(columns="id")
    frame.attrs["estimator"] = "full vocabulary"
    return frame


def arm(name: str, levels: list[float], overlap: float = 0.0) -> tuple[Arm, list[Measured]]:
    draws, measured = [], []
    random = np.random.default_rng(len(name))
    for number, level in enumerate(levels):
        manifest = {
            "overlap": overlap,
            "sources": [{"corpus": "c-prose"}],
            "warnings": [],
            "shares": {"prose": 1.0},
        }
        draws.append(Draw(Path(name) / str(number), [[1] * 32] * 2, f"hash{number}", manifest))
        noise = random.normal(0, 0.001, len(PROMPTS))
        tables = {"W4A4": table(level, noise), "W4A16": table(level / 2, noise)}
        measured.append(Measured({"seconds": 1.0}, cast(Any, tables)))
    return Arm(name, "", False, True, QuantizeSettings(), tuple(draws)), measured


def ranking(
    tmp_path: Path, *arms: tuple[Arm, list[Measured]], dropped: dict[str, int] | None = None, **settings: Any
) -> dict[str, Any]:
    (tmp_path / "config.json").write_text("{}")
    plan = Plan(tuple(recipe(one.name) for one, _ in arms), tmp_path, "m", "h", tmp_path / "out", **settings)
    manifest = {"server": {"backend": "x"}, "prompts_sha256": "p", "tokenizer": "t"}
    windows = [Window((1,) * (3 + n) + (7, 8), 3 + n) for n in range(len(PROMPTS))]
    baseline = cast(Baseline, SimpleNamespace(prompts=PROMPTS, manifest=manifest, top_k=256, windows=windows))
    own, found = [one for one, _ in arms], {one.name: measured for one, measured in arms}
    ids = [prompt["id"] for prompt in PROMPTS]
    values = [arm_values(one, found[one.name], "W4A4", ids) for one in own]
    judged = Judged(rank_arms(values, run_design(plan, baseline, own, FLOORS)), None, (), dropped or {}, 1)
    return summarise(plan, baseline, own, found, FLOORS, judged=judged, cost=COST, decode=lambda ids: str(ids))


def test_five_draws_separate_recipes_by_their_own_spread(tmp_path: Path) -> None:
    good = arm("good", [0.20, 0.21, 0.19, 0.20, 0.20])
    bad = arm("bad", [0.30, 0.31, 0.29, 0.30, 0.30])
    found = ranking(tmp_path, good, bad, draws=5)
    assert [line["name"] for line in found["arms"]] == ["good", "bad"]
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["verdict"], pair["scope"]) == ("good", "bad", "better", "recipes")
    assert pair["diff"] == pytest.approx(-0.1, abs=0.002)
    assert pair["ci"][0] < pair["diff"] < pair["ci"][1] < 0
    assert found["arms"][0]["kl_mean"] == pytest.approx(0.2, abs=0.001)
    assert found["arms"][0]["other_scheme"]["kl_mean"] == pytest.approx(0.1, abs=0.001)
    assert found["arms"][0]["draw_means"] == pytest.approx([0.20, 0.21, 0.19, 0.20, 0.20], abs=0.001)
    assert found["arms"][0]["may_be_best"] is True
    assert found["arms"][1]["may_be_best"] is False


def test_draws_that_vary_as_much_as_recipes_differ_are_tied(tmp_path: Path) -> None:
    # Means 0.25 and 0.28, draw SD 0.05: the difference is 0.03 with a standard error of 0.05 * sqrt(2/5) = 0.03.
    one = arm("one", [0.20, 0.30, 0.25, 0.21, 0.29])
    two = arm("two", [0.33, 0.23, 0.28, 0.32, 0.24])
    (pair,) = ranking(tmp_path, one, two, draws=5)["pairs"]
    assert (pair["verdict"], pair["equivalent"]) == ("tied", False)
    assert pair["ci"][0] < 0 < pair["ci"][1]


def test_draws_that_share_text_are_no_replicates(tmp_path: Path) -> None:
    found = ranking(tmp_path, arm("a", [0.2] * 5, overlap=0.3), arm("b", [0.3] * 5), draws=5)
    assert {pair["scope"] for pair in found["pairs"]} == {"sets"}
    assert any("share more than 20%" in warning for warning in found["warnings"])


def test_families_split_by_the_corpora_drawn_on(tmp_path: Path) -> None:
    found = ranking(tmp_path, arm("a", [0.2]), arm("b", [0.3]))
    families = found["arms"][0]["by_family"]
    assert families["drawn"]["prompts"] == families["other"]["prompts"] == 4
    assert found["per_prompt"]["families"] == ["c-prose"] * 4 + ["c-code"] * 4


def test_the_models_answers_are_of_the_family_of_their_prompts(tmp_path: Path) -> None:
    own, measured = arm("a", [0.2])
    own.draws[0].manifest["sources"] = [{"corpus": "self:c-code"}, {"corpus": "elsewhere"}]
    found = ranking(tmp_path, (own, measured))
    families = found["arms"][0]["by_family"]
    code = [kl for kl, name in zip(found["per_prompt"]["arms"]["a"], found["per_prompt"]["families"], strict=True)
            if name == "c-code"]  # fmt: skip
    assert families["drawn"] == {"kl_mean": pytest.approx(np.mean(code)), "prompts": 4}


def test_the_document_is_strict_json_with_every_part(tmp_path: Path) -> None:
    found = ranking(
        tmp_path, arm("a", [0.2, 0.21]), arm("b", [0.3, 0.29]), draws=2, dropped={"b": 1}, command="x y"
    )
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    a, b = found["arms"]
    assert (a["recipe"], a["has_draws"], "dropped" in a, b["dropped"]) == ("a", True, False, {"look": 1})
    kl = found["per_prompt"]
    assert np.mean(kl["draws"]["a"], axis=0).tolist() == pytest.approx(kl["arms"]["a"])
    assert [len(draw) for draw in kl["draws"]["a"]] == [8, 8] and "lower" not in kl
    assert kl["tokens"] == list(range(3, 11))
    assert found["cost"] == COST
    assert found["composition"] == {"task": {"a": {"prose": 1.0}, "b": {"prose": 1.0}}}
    assert found["domains"]["rows"][0]["made_of"] == {"prose": 1.0}
    places = found["by_position"]["prefill"]
    # The first of a prompt's two tokens is 0.01 below its mean, the second as much above it.
    level = np.mean(kl["arms"]["a"])
    assert places["arms"]["a"]["kl"] == pytest.approx([level - 0.01, level + 0.01])
    assert sum(one["prompts"] for one in found["by_length"]["bins"]) == 8
    # Of the two tokens 7, 8 both arms prefer 7 twice: they depart at the second.
    first = found["worst_prompts"][0]
    assert [(one["arm"], one["departs"], one["differ"]) for one in first["arms"]] == [("a", 2, 1), ("b", 2, 1)]
    assert found["reproduce"]["command"] == "x y"
    assert found["reproduce"]["plan"]["draws"] == 2
    assert [recipe["name"] for recipe in found["reproduce"]["recipes"]] == ["a", "b"]
    assert {"curate", "python", "torch", "llmcompressor"} <= set(found["reproduce"]["versions"])


def test_lists_bring_their_lower_bound_along(tmp_path: Path) -> None:
    one, measured = arm("a", [0.2, 0.21])
    for draw in measured:
        for frame in draw.tables.values():
            frame.attrs["estimator"] = "top-256 union"
            frame["kl_lumped"] = frame["kl"] - 0.05
    found = ranking(tmp_path, (one, measured), draws=2)["per_prompt"]
    assert np.array(found["lower"]["a"]) == pytest.approx(np.array(found["draws"]["a"]) - 0.05)


def test_a_warning_of_several_draws_is_said_once(tmp_path: Path) -> None:
    one, measured = arm("a", [0.2, 0.21, 0.2])
    for number in (0, 2):
        one.draws[number].manifest["warnings"] = ["niah: short"]
    found = ranking(tmp_path, (one, measured), arm("b", [0.3] * 3), draws=3)["warnings"]
    assert [warning for warning in found if "niah" in warning] == ["a draws 0, 2: niah: short"]
