"""NVIDIA ModelOpt in its own environment: how it is found, started and told what to do, and what it makes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tiny_models.moe import UNSEEN, save_moe
from transformers import LlamaConfig, LlamaForCausalLM

from curator._errors import CurateError, DependencyError, InputError
from curator.quantize.checkpoint import open_checkpoint
from curator.quantize.modelopt.configs import configuration
from curator.quantize.modelopt.environment import START, VARIABLE, check_runs, modelopt_python
from curator.quantize.modelopt.quantize import _kept
from curator.quantize.run import Job, quantize_many, quantize_model
from curator.recipe.all_methods import METHODS
from curator.recipe.quantize_settings import QuantizeSettings

METHOD_NAMES = [name for name, method in METHODS.items() if method.library == "modelopt"]
ROWS = [[(7 * row + 3 * column * column) % 290 + 2 for column in range(24 + row)] for row in range(4)]


def has_modelopt() -> bool:
    try:
        python = modelopt_python()
    except DependencyError:
        return False
    return not subprocess.run([python, "-c", "import modelopt"], capture_output=True, check=False).returncode


def test_the_environment_is_the_named_one_or_it_is_told(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    with pytest.raises(DependencyError, match=rf"\${VARIABLE}: no environment .* in {tmp_path}; scripts/"):
        modelopt_python({VARIABLE: str(tmp_path)})
    python.symlink_to(sys.executable)
    assert modelopt_python({VARIABLE: str(tmp_path)}) == python


@pytest.mark.parametrize(
    ("settings", "devices", "words"),
    [
        ({"method": "modelopt-awq"}, ("cpu",), "modelopt-awq needs an NVIDIA GPU"),
        ({"method": "modelopt-max"}, ("cuda:0", "cuda:1"), "one GPU, not on cuda:0, cuda:1; give --device cuda:0"),
        ({"method": "modelopt-max", "experts": "all"}, ("cpu",), "takes no `experts: all`; take refuse or report"),
    ],
)
def test_what_it_does_not_run_on_is_refused_before_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, devices: tuple[str, ...], words: str
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    job = Job(QuantizeSettings.model_validate(settings), ROWS, "hash", tmp_path / "out")
    with pytest.raises(CurateError, match=words):
        quantize_many(tmp_path, [job], devices=devices)
    assert not list(tmp_path.iterdir())


def test_each_method_runs_somewhere() -> None:
    for method in METHOD_NAMES:
        check_runs(QuantizeSettings.model_validate({"method": method}), ("cuda:0",))
    check_runs(QuantizeSettings(method="modelopt-max"), ("cpu",))


def test_nothing_beside_the_package_hides_the_interpreters_own(tmp_path: Path) -> None:
    package = tmp_path / "curator"
    (package / "quantize" / "modelopt").mkdir(parents=True)
    for folder in (package, package / "quantize"):
        (folder / "__init__.py").touch()
    shutil.copy(START, package / "quantize" / "modelopt")
    (package / "quantize" / "modelopt" / "beside_the_script.py").touch()
    (tmp_path / "beside_the_package.py").touch()
    (package / "quantize" / "worker.py").write_text(
        "import sys, importlib.util as u, curator\n"
        "def main():\n"
        "    found = [u.find_spec(name) for name in ('beside_the_package', 'beside_the_script')]\n"
        "    print(sys.argv[1], curator.__file__, found)\n"
    )
    command = [sys.executable, "-P", package / "quantize" / "modelopt" / START.name, "task.json"]
    child = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env={})
    assert child.stdout.split("\n")[0] == f"task.json {package / '__init__.py'} [None, None]"


def test_the_last_entries_say_what_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    preset = {"quant_cfg": [{"quantizer_name": "*", "enable": False}], "algorithm": "awq_lite"}
    mtq = ModuleType("modelopt.torch.quantization")
    mtq.NVFP4_AWQ_LITE_CFG = mtq.NVFP4_DEFAULT_CFG = preset  # type: ignore[attr-defined]
    parts = ["modelopt", "modelopt.torch"]
    for name, module in [*((part, ModuleType(part)) for part in parts), (mtq.__name__, mtq)]:
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["modelopt.torch"].quantization = mtq  # type: ignore[attr-defined]

    awq = configuration(QuantizeSettings(method="modelopt-awq"), ["a.down_proj", "lm_head"])
    assert awq["algorithm"] == {"method": "awq_lite", "alpha_step": 0.1}
    kept = [{"quantizer_name": f"{name}.*quantizer", "enable": False} for name in ("a.down_proj", "lm_head")]
    assert awq["quant_cfg"] == [*preset["quant_cfg"], *kept]
    weights = configuration(QuantizeSettings(method="modelopt-max", scheme="W4A16"), [])
    assert weights["quant_cfg"][1:] == [{"quantizer_name": "*input_quantizer", "enable": False}]
    assert preset == {"quant_cfg": [{"quantizer_name": "*", "enable": False}], "algorithm": "awq_lite"}


def test_ignored_layers_and_the_head_stay() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 2, "num_key_value_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=64, num_hidden_layers=2, **sizes))
    ignore = [r"re:.*\.1\.mlp\.(up|gate)_proj$"]
    assert _kept(model, QuantizeSettings(method="modelopt-max", ignore=ignore)) == [
        "model.layers.1.mlp.gate_proj",
        "model.layers.1.mlp.up_proj",
        "lm_head",
    ]
    with pytest.raises(InputError, match=r"'down_proj' matches no linear layer; .* such as model\.layers\.0"):
        _kept(model, QuantizeSettings(method="modelopt-max", ignore=["down_proj"]))


@pytest.mark.model
@pytest.mark.skipif(not has_modelopt(), reason="scripts/modelopt-env setup makes the environment")
def test_fused_experts_are_quantised_one_by_one_and_told_so(tmp_path: Path) -> None:
    model = save_moe(tmp_path / "moe", "mixtral")
    settings = QuantizeSettings(method="modelopt-max", experts="report")
    rows = [[token % 50 + 2 for token in row] for row in ROWS]
    receipt = quantize_model(model, Job(settings, rows, "hash", tmp_path / "out"))
    # Two blocks of four projections of the attention, and five experts of three matrices.
    assert receipt["linears"] == 2 * (4 + 5 * 3)
    assert [layer["tokens"][UNSEEN] for layer in receipt["reached_model"]["experts"]] == [0, 0]
    assert not any("fused" in warning for warning in receipt["warnings"])
    assert sum(f"expert {UNSEEN}" in warning for warning in receipt["warnings"]) == 2


@pytest.mark.model
@pytest.mark.skipif(not has_modelopt(), reason="scripts/modelopt-env setup makes the environment")
def test_its_checkpoint_is_the_other_librarys_but_for_rounding(tiny_model: Path, tmp_path: Path) -> None:
    for method in ("max", "modelopt-max"):
        settings = QuantizeSettings.model_validate({"method": method})
        receipt = quantize_model(tiny_model, Job(settings, ROWS, "hash", tmp_path / method))
        assert receipt["reached_model"]["tokens"] == sum(map(len, ROWS))
        assert receipt["linears"] == 14
    assert (tmp_path / "modelopt-max" / "tokenizer.json").is_file()
    theirs = load_file(tmp_path / "max" / "model.safetensors")
    with open_checkpoint(tmp_path / "modelopt-max") as checkpoint:
        for name, linear in checkpoint.linears.items():
            scale = linear.input_scale()
            assert scale is not None
            # Scales of the other library are computed in BF16.
            torch.testing.assert_close(
                scale.reshape(1), theirs[f"{name}.input_global_scale"], rtol=0.02, atol=0, check_dtype=False
            )
