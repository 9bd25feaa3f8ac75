"""The table of sets and tasks, and what sets are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.rank.arms import Arm, Draw
from curator.rank.composition import composition
from curator.rank.domains import domains
from curator.rank.statistical_design import ArmKL, Design
from curator.recipe.quantize_settings import QuantizeSettings

TASKS = ("prose",) * 6 + ("code",) * 6


def arm(name: str, *manifests: dict[str, Any], null: bool = False) -> Arm:
    draws = tuple(Draw(Path(name), [[1]], f"{name}{n}", manifest) for n, manifest in enumerate(manifests))
    return Arm(name, "", null, True, QuantizeSettings(), draws)


def test_a_set_of_code_serves_code_and_the_noise_of_draws_counts() -> None:
    jitter = np.array([0.01, -0.01, 0.02, -0.02, 0.005, -0.005] * 2)
    level = {
        "prose-only": np.repeat([0.20, 0.30], 6) + jitter,
        "code-only": np.repeat([0.30, 0.20], 6) + jitter,
        "mixed": np.repeat([0.202, 0.24], 6) + jitter,
    }
    # Draws differ by 0.01 in all prompts: far less than 0.1 and 0.04, far more than 0.002.
    shifts = np.array([-0.01, 0.0, 0.01])[:, None]
    values = {name: ArmKL(name, row + shifts, True, False) for name, row in level.items()}
    values["no-data"] = ArmKL("no-data", np.full((1, 12), 0.5), False, True)
    arms = [
        arm("mixed", {"shares": {"prose": 0.6, "code": 0.4}}, {"shares": {"prose": 0.4, "code": 0.6}}),
        arm("prose-only", {"shares": {"prose": 1.0}}),
        arm("code-only", {"shares": {"code": 1.0}}),
        arm("no-data", {}, null=True),
    ]
    found = domains(arms, values, Design(TASKS, {"prose": 0.5, "code": 0.5}, data_acts="weights"))
    rows = {row["arm"]: row for row in found["rows"]}
    assert found["tasks"] == ["prose", "code"]
    assert rows["mixed"]["made_of"] == {"code": 0.5, "prose": 0.5}
    lowest = {name: [cell["may_be_lowest"] for cell in row["cells"].values()] for name, row in rows.items()}
    assert lowest == {
        "mixed": [True, False], "prose-only": [True, False], "code-only": [False, True], "no-data": [None, None],
    }  # fmt: skip
    # The median of 0.2, 0.202 and 0.3.
    assert rows["code-only"]["cells"]["prose"]["relative"] == pytest.approx(0.3 / 0.202 - 1)
    assert rows["no-data"]["cells"]["code"]["kl_mean"] == pytest.approx(0.5)


def test_the_largest_parts_are_named_and_nothing_is_lost() -> None:
    many = [{"corpus": f"s{n:02d}", "tokens_got": 100 - n} for n in range(20)]
    found = composition([
        arm("a", {"sources": many, "shares": {"x": 1.0}}, {"sources": [{"corpus": "s19", "tokens_got": 7}]}),
        arm("b", {"low_continuity": {"share": 0.25}, "licences": [{"licence": "MIT", "tokens": 5}],
                  "documents": [{"language": "en", "tokens": 3}, {"language": "de", "tokens": 1}]}),
        arm("nothing", {}),
    ])  # fmt: skip
    sources = found["source"]["a"]
    assert sum(sources.values()) == pytest.approx(1.0)
    # Alone in one of two draws, it is half of all; the share of a draw counts, not its size.
    assert sources["s19"] == pytest.approx(0.5 + 81 / sum(range(81, 101)) / 2)
    assert len(sources) == 13 and list(sources)[-1] == "others"
    assert found["low continuity"] == {"b": {"continuous": 0.75, "low": 0.25}}
    assert found["language"] == {"b": {"en": 0.75, "de": 0.25}}
    assert found["licence"] == {"b": {"MIT": 1.0}}
    assert found["task"] == {"a": {"x": 1.0}}
