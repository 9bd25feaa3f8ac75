"""Arms that are measured by servers: what can be measured there, and the floor of a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from test_summary import recipe

from curator._errors import InputError, RefusedError
from curator._files import write_json
from curator._progress import Silent
from curator.cli.rank_options import serving_of
from curator.measure.baseline import Baseline
from curator.measure.baseline_settings import Settings
from curator.measure.collect import collect
from curator.measure.heldout import Prompt
from curator.quantize.run import RECEIPT
from curator.rank import measure_arm
from curator.rank.arms import Arm, Draw
from curator.rank.floors import measure_floors
from curator.rank.measure_arm import measure_draw
from curator.rank.plan import Plan, fix_plan
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.in_process import InProcess
from curator.serve.interface import Server
from curator.serve.launch.launcher import Launcher
from curator.serve.launch.machine import GPU
from curator.serve.open import ServeOptions
from curator.tokens.tokenizer import Tokenizer

SERVED = ServeOptions(launcher=Launcher(arguments=("--tp 2",)))
RTN = QuantizeSettings(method="rtn")


def test_a_weight_only_server_is_refused_for_w4a4_and_a_ranking_has_no_single_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpus = [None, GPU("NVIDIA H200", (9, 0)), GPU("NVIDIA B200", (10, 0))]
    monkeypatch.setattr(Launcher, "find", lambda _: (None, gpus[0]))
    with pytest.raises(RefusedError, match="A CPU serves weights alone in NVFP4"):
        serving_of(None, SERVED, "W4A4")
    assert serving_of(None, SERVED, "W4A16") == (SERVED, ("W4A16",))
    gpus[0] = gpus[1]
    with pytest.raises(RefusedError, match="NVIDIA H200"):
        serving_of(None, SERVED, "W4A4")
    gpus[0] = gpus[2]
    assert serving_of(None, SERVED, "W4A4") == (SERVED, ("W4A4", "W4A16"))
    assert serving_of(None, ServeOptions(), "W4A4")[1] == ("W4A4", "W4A16")
    with pytest.raises(InputError, match="one address serves one; take --serve sglang"):
        serving_of("http://127.0.0.1:1", ServeOptions(), "W4A16")


def test_a_run_may_not_change_its_server(tmp_path: Path) -> None:
    def plan(serving: ServeOptions) -> Plan:
        return Plan((recipe("a"),), tmp_path, "m", "h", tmp_path / "out", scheme="W4A16", serving=serving)

    fix_plan(plan(SERVED))
    fix_plan(plan(ServeOptions(launcher=Launcher(Path("/other/python"), ('["--tp", "2"]',)))))
    for other in (ServeOptions(), ServeOptions(launcher=Launcher())):
        with pytest.raises(RefusedError, match=r"serve was \['sglang', '--tp', '2'\], is "):
            fix_plan(plan(other))


def test_every_arm_gets_a_server_and_a_second_start_gives_the_floor(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = Tokenizer(tiny_model)
    prompts = [
        Prompt(f"p{i}", "t", "c", "u", "en", "MIT", text) for i, text in enumerate(("The boat", "Paris is"))
    ]
    model = InProcess(tiny_model)
    baseline = collect(model, tokenizer, prompts, Settings(4, 4, 16, (2, 1)), tmp_path / "base", lambda _: None)
    started: list[tuple[str, Any]] = []

    def start(serving: ServeOptions, folder: Path, scheme: Any, *_: Any, **__: Any) -> Server:
        assert serving is SERVED
        started.append((folder.parent.name, scheme))
        candidate = InProcess(tiny_model)
        with torch.no_grad():
            candidate.model.lm_head.weight.mul_(1.05)
        return candidate

    monkeypatch.setattr(measure_arm, "open_server", start)
    draw, receipt = Draw(tmp_path / "draw-0", [], "", {}), {"tensors_sha256": "x", "seconds": 1.0, "linears": 14}
    (draw.folder / "checkpoint").mkdir(parents=True)
    write_json(draw.folder / "checkpoint" / RECEIPT, receipt)
    plan = Plan(
        (recipe("a"),),
        tiny_model,
        "m",
        "h",
        tmp_path / "out",
        scheme="W4A16",
        serving=SERVED,
        measurable=("W4A16",),
        batch_size=2,
    )
    monkeypatch.setattr(measure_arm, "_receipt", lambda *_: receipt)
    monkeypatch.setattr("curator.rank.floors.quantize_again", lambda *_: receipt)
    arm = Arm("a", "A", False, True, RTN, (draw,))
    measured = measure_draw(plan, baseline, draw, RTN, "a", Silent())
    assert list(measured.tables) == ["W4A16"]
    floors = measure_floors(plan, baseline, arm, measured, Silent())
    # One for the score, one more for both floors.
    assert started == [("draw-0", "W4A16")] * 2
    assert floors["restart"]["sd"] == 0.0 and "before and after a restart" in floors["restart"]["words"]
    assert "at batch 2 and 1, of one start" in floors["batch"]["words"]
    assert floors["used_sd"] == floors["batch"]["sd"]
    # Found again: nothing is started, and the facts of the server are with the scores.
    measure_draw(plan, Baseline(tmp_path / "base"), draw, RTN, "a", Silent())
    assert len(started) == 2
    assert '"backend": "transformers"' in (draw.folder / "W4A16-batch-2.json").read_text()
