from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from precision_models import BAD, save_inputs, save_planted

from curator._errors import InputError, RefusedError
from curator._progress import Silent
from curator.adapters.stored_set import read_set
from curator.models.fingerprint import model_fingerprint
from curator.precision.document import read_sensitivity
from curator.precision.evaluate import Evaluator
from curator.precision.mix import MixPlan, run_mix
from curator.precision.plan import SensitivityPlan
from curator.precision.sensitivity import run_sensitivity
from curator.recipe.quantize_settings import QuantizeSettings


class Heard(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture(scope="module")
def plan(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> SensitivityPlan:
    folder = tmp_path_factory.mktemp("sensitivity")
    model = save_planted(tiny_model, folder / "model")
    calibration_set, heldout = save_inputs(folder)
    stored = read_set(calibration_set)
    return SensitivityPlan(
        model=model,
        model_name="planted",
        model_hash=model_fingerprint(model),
        out=folder / "out",
        rows=tuple(map(tuple, stored.rows)),
        set_hash=str(stored.manifest["set_hash"]),
        prompts=8,
        tokens=12,
        heldout=heldout,
    )


@pytest.fixture(scope="module")
def measured(plan: SensitivityPlan) -> dict[str, Any]:
    return run_sensitivity(plan, Silent())


def _values(part: dict[str, Any]) -> tuple[float, list[float]]:
    return part["kl"]["nvfp4"]["mean"], part["kl"]["nvfp4"]["ci"]


def test_the_planted_layer_comes_first_and_fp8_saves_it(measured: dict[str, Any], plan: SensitivityPlan) -> None:
    parts = measured["parts"]
    assert len(parts) == 8
    assert parts[0]["name"] == BAD
    kl = [part["kl"]["nvfp4"]["mean"] for part in parts]
    assert kl == sorted(kl, reverse=True)
    assert kl[0] > 2 * kl[1]
    assert parts[0]["kl"]["fp8"]["mean"] < 0.1 * kl[0]
    assert all(
        part["kl"]["nvfp4"]["ci"][0] < mean < part["kl"]["nvfp4"]["ci"][1]
        for part, mean in zip(parts, kl, strict=True)
    )
    # No prompt is both measured on and kept to confirm on; both have as many of each task.
    assert not set(measured["prompts"]) & set(measured["kept_prompts"])
    assert len(measured["prompts"]) == len(measured["kept_prompts"]) == 8
    assert sorted(measured["tasks"]) == ["code"] * 4 + ["prose"] * 4
    assert measured["together"]["nvfp4"]["sum_of_parts"] == pytest.approx(sum(kl))
    assert json.loads((plan.out / "sensitivity.json").read_text()) == measured
    assert BAD in (plan.out / "report.html").read_text()


def test_se_is_over_prompts_within_tasks(measured: dict[str, Any]) -> None:
    found = measured["parts"][3]["kl"]["nvfp4"]
    by_task: dict[str, list[float]] = {"prose": [], "code": []}
    for task, value in zip(measured["tasks"], found["per_prompt"], strict=True):
        by_task[task].append(value)
    means = {task: sum(values) / 4 for task, values in by_task.items()}
    variance = sum(
        sum((value - means[task]) ** 2 for value in values) / 3 / 4 * 0.5**2 for task, values in by_task.items()
    )
    assert found["mean"] == pytest.approx(sum(means.values()) / 2)
    assert found["se"] == pytest.approx(variance**0.5)


def test_an_interrupted_measurement_goes_on_and_ends_alike(
    plan: SensitivityPlan, measured: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = Evaluator.kl, []

    def stopping(self: Evaluator, formats: Any, *args: Any) -> Any:
        if formats:
            calls.append(tuple(formats))
            if len(calls) == 7:
                raise KeyboardInterrupt
        return real(self, formats, *args)

    monkeypatch.setattr(Evaluator, "kl", stopping)
    other = replace(plan, out=tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        run_sensitivity(other, Silent())
    assert not (other.out / "sensitivity.json").exists()
    heard = Heard()
    assert run_sensitivity(other, heard) == measured
    # 2 formats of 8 parts and of all: 18, of which 6 were kept and one is made again.
    assert len(calls) == 19
    assert re.fullmatch(r"12 measurements on 8 prompts \(.* tokens, .* scored\): about .*", heard.lines[0])
    assert run_sensitivity(other, heard) == measured
    assert len(calls) == 19
    with pytest.raises(RefusedError, match=r"started with other settings \(tokens was 12, is 9\)"):
        run_sensitivity(replace(other, tokens=9), Silent())


def test_parts_by_layer_and_by_pattern(plan: SensitivityPlan, measured: dict[str, Any], tmp_path: Path) -> None:
    found = {
        by: run_sensitivity(replace(plan, by=by, formats=("nvfp4",), out=tmp_path / by), Silent())
        for by in ("layer", "pattern")
    }
    assert [part["name"] for part in found["layer"]["parts"]] == ["layers.1", "layers.0"]
    assert found["pattern"]["parts"][0]["name"] == "mlp.down_proj"
    assert len(found["pattern"]["parts"]) == 4
    # All parts at once are the same model, whatever a part is.
    for document in found.values():
        assert document["together"]["nvfp4"]["per_prompt"] == measured["together"]["nvfp4"]["per_prompt"]


def test_a_mix_spares_the_planted_layer_and_beats_both_nulls(
    plan: SensitivityPlan, measured: dict[str, Any], tmp_path: Path
) -> None:
    weights = measured["weights"]
    bits = 4.5 + 3.5 * measured["parts"][0]["weights"] / weights
    mix = run_mix(MixPlan(plan.out / "sensitivity.json", tmp_path / "mix", bits=bits), Silent())
    assert [name for name, chosen in mix["assignment"].items() if chosen == "fp8"] == [BAD]
    assert mix["bits"] == pytest.approx(bits)
    assert mix["recipe"] == {
        "quantize": {
            "precision": [{"layers": r"re:model\.layers\.1\.mlp\.down_proj$", "format": "fp8"}],
        }
    }
    assert QuantizeSettings.model_validate(mix["recipe"]["quantize"]).precision[0].format == "fp8"
    arms = {arm["name"]: arm for arm in mix["arms"]}
    assert arms["mix"]["kl_mean"] < arms["random mix"]["kl_mean"]
    assert arms["mix"]["kl_mean"] < 0.6 * arms["uniform NVFP4"]["kl_mean"]
    assert arms["random mix"]["bits"] == pytest.approx(bits)
    (pair,) = [pair for pair in mix["pairs"] if {pair["a"], pair["b"]} == {"mix", "uniform NVFP4"}]
    assert pair["verdict"] == "better"
    text = (tmp_path / "mix" / "recipe.yaml").read_text()
    assert "mix is lower than uniform NVFP4" in text
    # The sum of parts is what was chosen by; the joint KL is what it is.
    assert arms["uniform NVFP4"]["kl_added"] == pytest.approx(
        sum(part["kl"]["nvfp4"]["mean"] for part in measured["parts"])
    )


def test_budgets_and_a_choice_that_is_not_confirmed(
    plan: SensitivityPlan, measured: dict[str, Any], tmp_path: Path
) -> None:
    file = plan.out / "sensitivity.json"
    guess = run_mix(MixPlan(file, tmp_path / "guess", bits=16.0, confirm=False), Silent())
    assert set(guess["assignment"].values()) == {"bf16"}
    assert "kl_mean" not in guess["arms"][0]
    assert any("not confirmed" in text for text in guess["warnings"])
    size = (measured["other_weights"] * 16 + measured["weights"] * 8) / 8e9
    by_size = run_mix(MixPlan(file, tmp_path / "size", size_gb=size, confirm=False), Silent())
    assert by_size["bits"] <= 8
    assert by_size["size_gb"] <= size
    with pytest.raises(InputError, match=r"4\.4 bits a weight are asked, the least is 4\.5"):
        run_mix(MixPlan(file, tmp_path / "small", bits=4.4), Silent())
    with pytest.raises(InputError, match="what stays in BF16 alone"):
        run_mix(MixPlan(file, tmp_path / "smaller", size_gb=1e-9), Silent())


def test_nvfp4_everywhere_is_no_mix(plan: SensitivityPlan, measured: dict[str, Any], tmp_path: Path) -> None:
    mix = run_mix(MixPlan(plan.out / "sensitivity.json", tmp_path / "mix", bits=4.5), Silent())
    assert mix["recipe"] == {"quantize": {"precision": []}}
    assert [arm["name"] for arm in mix["arms"]] == ["mix", "uniform NVFP4"]
    assert mix["pairs"][0]["verdict"] == "tied"
    assert any("tied with NVFP4 everywhere" in text for text in mix["warnings"])


def test_bad_input_is_told(plan: SensitivityPlan, measured: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"task 'code' has 8 held-out prompts, 12 are needed"):
        run_sensitivity(replace(plan, prompts=12, out=tmp_path / "many"), Silent())
    broken = tmp_path / "sensitivity.json"
    broken.write_text(json.dumps({**measured, "parts": [{"name": "x"}]}))
    with pytest.raises(InputError, match=r"no sensitivity measurement of this version \(parts\.0\.modules"):
        read_sensitivity(broken)
    first = measured["parts"][0]
    for change, words in (
        ({"parts": [first, first]}, "a part or a module occurs twice"),
        ({"parts": [{**first, "kl": {"fp8": first["kl"]["fp8"]}}]}, "NVFP4 among them"),
        ({"parts": [{**first, "modules": ["lm_head"]}]}, "in no decoder layer"),
        ({"parts": [{**first, "kl": {"nvfp4": {"mean": -1.0}}}]}, "parts.0.kl.nvfp4.mean"),
        ({"activations": {}}, "no activation amax"),
    ):
        broken.write_text(json.dumps({**measured, **change}))
        with pytest.raises(InputError, match=f"no sensitivity measurement of this version .*{re.escape(words)}"):
            read_sensitivity(broken)
    moved = tmp_path / "moved.json"
    moved.write_text(
        json.dumps({**measured, "model_path": str(tmp_path / "gone"), "baseline": str(plan.out / "baseline")})
    )
    with pytest.raises(InputError, match=r"the model is no longer there; name its folder with --model"):
        run_mix(MixPlan(moved, tmp_path / "mix", bits=6.0), Silent())
    strange = tmp_path / "strange"
    strange.mkdir()
    (strange / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        run_sensitivity(replace(plan, out=strange), Silent())
