from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_checkpoints import DOWN, Q, make

from curator._errors import InputError
from curator.quantize.checkpoint.stated import read_stated

O_PROJ = "model.layers.0.self_attn.o_proj"
MIXED = {
    "quant_algo": "MIXED_PRECISION",
    "quantized_layers": {
        Q: {"quant_algo": "NVFP4", "group_size": 16},
        "model.layers.0.mlp": {"quant_algo": "FP8"},
        O_PROJ: {"quant_algo": "W4A16_NVFP4"},
    },
}


def said(folder: Path, module: str) -> tuple[str, str, int] | None:
    group = read_stated(folder).group_of(module)
    return (group.format, group.activations, group.input_bits) if group else None


def write(folder: Path, own: Any, apart: Any = None) -> Path:
    (folder / "config.json").write_text(json.dumps({"quantization_config": own} if own else {}))
    if apart is not None:
        (folder / "hf_quant_config.json").write_text(json.dumps(apart))
    return folder


def test_both_layouts_say_the_same_of_the_same_layers(tmp_path: Path) -> None:
    for layout in ("compressed-tensors", "modelopt"):
        folder = make(layout, fp8=(DOWN,), bf16=(O_PROJ,), kv=True).write(tmp_path / layout)
        assert said(folder, Q) == ("nvfp4", "static", 4)
        assert said(folder, DOWN) == ("fp8", "static", 8)
        assert said(folder, O_PROJ) is None
        stated = read_stated(folder)
        assert (stated.layout, stated.kv_cache, stated.tied) == (layout, "fp8", True)
        weight_only = make(layout, activations=False).write(tmp_path / f"{layout} weight-only")
        assert said(weight_only, Q) == ("nvfp4", "none", 16)
        assert read_stated(weight_only).kv_cache == "none"


def test_presets_patterns_and_the_order_of_targets(tmp_path: Path) -> None:
    own = {
        "quant_method": "compressed-tensors",
        "format": "mixed-precision",
        "config_groups": {
            "NVFP4A16": ["Linear"],
            "FP8_DYNAMIC": ["re:.*mlp.*"],
            "NVFP4": [DOWN],
        },
        "ignore": ["re:.*v_proj"],
    }
    folder = write(tmp_path, own)
    # The most exact target wins, whatever the order.
    assert said(folder, DOWN) == ("nvfp4", "static", 4)
    assert said(folder, "model.layers.0.mlp.up_proj") == ("fp8", "dynamic", 8)
    assert said(folder, Q) == ("nvfp4", "none", 16)
    assert said(folder, "model.layers.0.self_attn.v_proj") is None


@pytest.mark.parametrize("flat", [True, False])
def test_mixed_modelopt_from_either_file(tmp_path: Path, flat: bool) -> None:
    excluded = {"ignore" if flat else "exclude_modules": ["lm_head", "*.v_proj"]}
    section = MIXED | excluded
    folder = (
        write(
            tmp_path, {**section, "quant_method": "modelopt", "kv_cache_scheme": {"type": "float", "num_bits": 8}}
        )
        if flat
        else write(tmp_path, None, {"quantization": {**section, "kv_cache_quant_algo": "FP8"}})
    )
    assert said(folder, Q) == ("nvfp4", "static", 4)
    assert said(folder, O_PROJ) == ("nvfp4", "none", 16)
    assert said(folder, DOWN) == ("fp8", "static", 8)
    assert said(folder, "model.layers.0.self_attn.k_proj") is None
    assert read_stated(folder).kv_cache == "fp8"


def test_modelopts_groups_tell_that_inputs_are_left_alone(tmp_path: Path) -> None:
    groups = {"group_0": {"weights": {"num_bits": 4}, "input_activations": None}}
    folder = write(tmp_path, {"quant_method": "modelopt", "quant_algo": "NVFP4", "config_groups": groups})
    assert said(folder, Q) == ("nvfp4", "none", 16)
    assert "a server may take it for W4A4" in read_stated(folder).notes[0]


def test_two_files_that_differ_are_told(tmp_path: Path) -> None:
    own = {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}
    same = {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}}
    assert read_stated(write(tmp_path, own, same)).notes == []
    same["quantization"]["exclude_modules"] = []
    assert "differ in quant_algo or in the layers left out" in read_stated(write(tmp_path, own, same)).notes[0]
    ct = make().own
    assert "servers read the latter" in read_stated(write(tmp_path, ct, same)).notes[0]


@pytest.mark.parametrize(
    ("own", "apart", "words"),
    [
        (None, None, "no quantization_config"),
        ({"quant_method": "gptq"}, None, "'gptq' is neither"),
        ({"format": "pack-quantized"}, None, "'pack-quantized' is not"),
        ({"format": "nvfp4-pack-quantized"}, None, "no config_groups"),
        ({"format": "nvfp4-pack-quantized", "config_groups": {"a": 3}}, None, r"config_groups\.a: must be"),
        ({"format": "nvfp4-pack-quantized", "config_groups": {"a": {}}}, None, r"config_groups\.a: targets must"),
        (
            {"format": "nvfp4-pack-quantized", "config_groups": {"a": {"targets": [], "weights": 4}}},
            None,
            "weights and input_activations must be",
        ),
        (
            {"format": "nvfp4-pack-quantized", "config_groups": {"NVFP4": ["Linear"]}, "ignore": "lm_head"},
            None,
            "ignore must be a list",
        ),
        (
            {"format": "nvfp4-pack-quantized", "config_groups": {"NVFP4": ["Linear"]}, "ignore": ["re:("]},
            None,
            "no regular expression",
        ),
        ({"quant_method": "modelopt", "quant_algo": "W4A8_AWQ"}, None, "'W4A8_AWQ' is none that is read"),
        ({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"}, None, "needs quantized_layers"),
        (
            {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": 1}},
            None,
            "a has no quant_algo",
        ),
        (None, {"quantization": []}, "has no quantization object"),
        (None, [1], "no quantization_config"),
    ],
)
def test_what_is_no_usable_configuration(tmp_path: Path, own: Any, apart: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        read_stated(write(tmp_path, own, apart))
    assert "\n" not in str(error.value)


def test_a_config_that_is_no_object(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no checkpoint folder, it has no config\.json"):
        read_stated(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InputError, match="no quantization_config"):
        read_stated(tmp_path)
