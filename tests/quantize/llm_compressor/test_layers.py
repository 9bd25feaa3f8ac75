"""Formats by name pattern: which layer gets which, and what the checkpoint then holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from runs import SETS, run, tensors_of
from tiny_models.moe import tiny_moe
from transformers import LlamaConfig, LlamaForCausalLM

from curator._errors import InputError
from curator.quantize.checkpoint import check_checkpoint
from curator.quantize.llm_compressor.layers import layer_formats
from curator.recipe.quantize_settings import QuantizeSettings

pytestmark = pytest.mark.filterwarnings("ignore")

MIX = [
    {"layers": r"re:.*layers\.1\.mlp\.down_proj$", "format": "nvfp4"},
    {"layers": "re:.*down_proj", "format": "fp8"},
    {"layers": r"re:.*layers\.1\.self_attn", "format": "bf16"},
]


def llama() -> LlamaForCausalLM:
    config = LlamaConfig(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2)
    config.num_attention_heads = config.num_key_value_heads = 2
    with torch.device("meta"):
        return LlamaForCausalLM(config)


def formats(model: Any = None, **settings: Any) -> dict[str, str]:
    return dict(layer_formats(model or llama(), QuantizeSettings.model_validate(settings)))


def test_the_first_pattern_that_matches_wins_and_ignore_before_all() -> None:
    found = formats(precision=MIX, ignore=["model.layers.0.self_attn.o_proj"])
    assert found["model.layers.1.mlp.down_proj"] == "nvfp4"
    assert found["model.layers.0.mlp.down_proj"] == "fp8"
    assert found["model.layers.1.self_attn.q_proj"] == "bf16"
    assert found["model.layers.0.self_attn.o_proj"] == "bf16"
    assert found["model.layers.0.self_attn.q_proj"] == "nvfp4"
    assert len(found) == 15
    # The head stays, whatever a pattern says.
    assert found["lm_head"] == "bf16"
    assert formats(precision=[{"layers": "lm_head", "format": "fp8"}])["lm_head"] == "bf16"


def test_routers_stay_in_bf16() -> None:
    from llmcompressor.modeling.moe.linearize import linearize_moe

    model = tiny_moe("qwen3_moe")
    linearize_moe(model)
    found = formats(model)
    assert {name for name, given in found.items() if given == "bf16"} == {"lm_head"} | {
        name for name in found if name.endswith("mlp.gate")
    }
    assert sum(".experts." in name for name in found) == 2 * 5 * 3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ignore": ["re:layers"]}, r"'re:layers' matches no linear layer; .* such as model\.layers\.0"),
        ({"ignore": ["down_proj"]}, "'down_proj' matches no linear layer"),
        ({"precision": [{"layers": "re:.*expert", "format": "fp8"}]}, r"'re:\.\*expert' matches no"),
        (
            {"ignore": ["re:.*q_proj"]},
            r"self_attn gets q_proj bf16, k_proj nvfp4, .* give them one format",
        ),
        ({"precision": [{"layers": "re:.*up_proj", "format": "fp8"}]}, "gate_proj nvfp4, up_proj fp8"),
        ({"ignore": ["Linear"]}, "leave no layer for NVFP4"),
        ({"precision": [{"layers": "re:.*", "format": "fp8"}]}, "leave no layer for NVFP4"),
    ],
)
def test_patterns_that_cannot_be_meant_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        formats(**settings)


@pytest.mark.parametrize(("method", "scheme"), [("max", "W4A4"), ("gptq", "W4A16")])
def test_a_checkpoint_of_three_formats(tiny_model: Path, tmp_path: Path, method: str, scheme: Any) -> None:
    run(tiny_model, tmp_path / "out", method=method, scheme=scheme, precision=MIX)
    report = check_checkpoint(tmp_path / "out", asked=scheme)
    assert report.linears == 10
    made, source = tensors_of(tmp_path / "out"), tensors_of(tiny_model)
    config = json.loads((tmp_path / "out/config.json").read_text())["quantization_config"]
    assert config["format"] == "mixed-precision"
    groups = {group["format"]: group for group in config["config_groups"].values()}
    assert groups["float-quantized"]["targets"] == ["model.layers.0.mlp.down_proj"]
    assert (groups["float-quantized"]["input_activations"] is None) == (scheme == "W4A16")
    assert "model.layers.1.self_attn.q_proj" in config["ignore"]
    kept = "model.layers.1.self_attn.q_proj.weight"
    assert torch.equal(made[kept], source[kept])
    weight, stored = source["model.layers.0.mlp.down_proj.weight"], made["model.layers.0.mlp.down_proj.weight"]
    scale = made["model.layers.0.mlp.down_proj.weight_scale"]
    assert stored.dtype == torch.float8_e4m3fn
    assert scale.shape == (64, 1)
    torch.testing.assert_close(scale.float(), weight.float().abs().amax(1, keepdim=True) / 448, rtol=2**-8, atol=0)
    if method == "max":
        # Half a unit in the last of three places, or of the least subnormal step.
        error = (stored.float() * scale.float() - weight.float()).abs()
        assert bool((error <= torch.maximum(weight.float().abs() * 2**-4, scale.float() * 2**-10) * 1.01).all())


def test_an_fp8_cache_takes_values_twice_as_wide_as_the_set_has(tiny_model: Path, tmp_path: Path) -> None:
    from curator.models.load import load_model

    run(tiny_model, tmp_path / "out", method="max", scheme="W4A16", kv_cache="fp8")
    made = tensors_of(tmp_path / "out")
    scales = {name for name in made if name.endswith(("k_scale", "v_scale"))}
    assert scales == {f"model.layers.{layer}.self_attn.{part}_scale" for layer in (0, 1) for part in "kv"}
    seen: list[float] = []
    model = load_model(tiny_model, "bfloat16")
    projection = model.model.layers[0].self_attn.v_proj
    projection.register_forward_hook(lambda _module, _given, out: seen.append(float(out.abs().max())))
    with torch.no_grad():
        for row in SETS["a"]:
            model(torch.tensor([row]))
    stored = float(made["model.layers.0.self_attn.v_scale"])
    assert stored == pytest.approx(2 * max(seen) / 448, rel=2**-7)
    # Nothing up to twice as wide leaves the type's range, beyond which some casts make NaN.
    later = torch.tensor([1.9 * max(seen), max(seen) / 1000])
    cast = (later / stored).to(torch.float8_e4m3fn).float() * stored
    torch.testing.assert_close(cast, later, rtol=2**-4, atol=0)
    assert float(later[0]) / stored < 448
    config = json.loads((tmp_path / "out/config.json").read_text())["quantization_config"]
    assert config["kv_cache_scheme"]["num_bits"] == 8
    assert check_checkpoint(tmp_path / "out", asked="W4A16").linears == 14
