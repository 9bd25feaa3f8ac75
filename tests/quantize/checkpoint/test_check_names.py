"""The checks of names and formats, each on a checkpoint with one mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from checked import ATTENTION, LAYOUTS, WIDTHS, verified, warnings
from made_checkpoints import DOWN, Q, make, nvfp4_tensors, plain_weights

from curator._errors import RefusedError
from curator.quantize.checkpoint import check_checkpoint


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("activations", [True, False])
def test_a_good_checkpoint_has_no_fault(tmp_path: Path, layout: str, activations: bool) -> None:
    made = make(layout, fp8=(DOWN,), kv=True, activations=activations)
    found = verified(made, tmp_path)
    assert (found.faults, warnings(found)) == ([], [])
    assert found.layout == layout
    assert found.scheme == ("W4A4" if activations else "W4A16")
    assert found.kv_cache == "fp8"
    kind = "nvfp4" if activations else "nvfp4 weight-only"
    assert found.layers == {kind: 6, "fp8": 1, "not quantised": 0}
    # Six NVFP4 layers, one FP8 layer, an embedding of 32 x 64 in BF16, a norm of 64 in FP32.
    four_bit, eight_bit = 4 * 64 * 64 + 2 * 64 * 128, 64 * 128
    scales = 6 * (8 if activations else 4) + 8
    weights = four_bit // 2 + four_bit // 16 + eight_bit + scales
    assert found.parameters == four_bit + eight_bit + 32 * 64 + 64
    assert found.bits_quantised == pytest.approx(8 * weights / (four_bit + eight_bit), abs=1e-4)
    kv = 2 * (2 if layout == "compressed-tensors" else 4)
    assert found.size == weights + 32 * 64 * 2 + 64 * 4 + kv
    report = check_checkpoint(tmp_path, asked="W4A4" if activations else "W4A16")
    assert report.linears == 7
    assert report.facts["layers"] == found.layers
    # Of the 64-wide layers the user was told before.
    assert any(WIDTHS in warning for warning in found.warnings)
    assert report.warnings == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_servers_merge_is_quantised_alike_and_under_one_scale(tmp_path: Path, layout: str) -> None:
    plain = make(layout, bf16=(Q,))
    (fault,) = verified(plain, tmp_path / "plain").faults
    assert fault == f"{ATTENTION}: q_proj not quantised, but servers merge q_proj/k_proj/v_proj"
    (fault,) = verified(make(layout, fp8=(Q,)), tmp_path / "fp8").faults
    assert fault.startswith(f"{ATTENTION}: q_proj fp8 with fp8-tensor inputs, k_proj nvfp4")
    experts = make(layout, plain_weights(experts=2), bf16=("model.layers.0.mlp.experts.1.up_proj",))
    (fault,) = verified(experts, tmp_path / "experts").faults
    assert fault.startswith("model.layers.0.mlp.experts.1: up_proj not quantised")
    made = make(layout)
    for leaf in ("weight_global_scale", "weight_scale_2", "input_global_scale", "input_scale"):
        if f"{Q}.{leaf}" in made.tensors:
            made.tensors[f"{Q}.{leaf}"] = made.tensors[f"{Q}.{leaf}"] * 4
    found = verified(made, tmp_path / "scales")
    assert "q_proj/k_proj/v_proj have different global scales" in found.faults[0]
    assert "up to 4 times" in found.faults[0]
    assert len(found.faults) == 1
    assert warnings(found) == [
        f"{ATTENTION}: q_proj/k_proj/v_proj have different activation scales; a server keeps one"
    ]


def test_other_merged_names(tmp_path: Path) -> None:
    """Experts of Mixtral (w1, w3), and MLA's projections, which some servers merge."""
    made = make()
    weight = plain_weights()[f"{Q}.weight"]
    for index, leaf in enumerate(("w1", "w3")):
        amax = weight.abs().max() * (1 + index)
        made.tensors |= nvfp4_tensors(f"model.layers.1.mlp.experts.0.{leaf}", weight, amax, "compressed-tensors")
    for index, leaf in enumerate(("q_a_proj", "kv_a_proj_with_mqa")):
        amax = weight.abs().max() * (1 + index)
        made.tensors |= nvfp4_tensors(f"model.layers.1.self_attn.{leaf}", weight, amax, "compressed-tensors")
    found = verified(made, tmp_path)
    assert [fault.partition(":")[0] for fault in found.faults] == ["model.layers.1.mlp.experts.0"]
    assert warnings(found) == [
        "model.layers.1.self_attn: q_a_proj/kv_a_proj_with_mqa have different global scales; "
        "a server that merges them keeps one"
    ]


@pytest.mark.parametrize(("tied", "faults"), [(True, 1), (None, 1), (False, 0)])
def test_a_quantised_head(tmp_path: Path, tied: bool | None, faults: int) -> None:
    made = make()
    made.own["ignore"] = []
    made.config.pop("tie_word_embeddings")
    if tied is not None:
        made.config["tie_word_embeddings"] = tied
    weight = plain_weights()["model.embed_tokens.weight"]
    made.tensors |= nvfp4_tensors("lm_head", weight, weight.abs().max(), "compressed-tensors")
    found = verified(made, tmp_path / "head")
    assert [fault.startswith("lm_head is quantised") for fault in found.faults] == [True] * faults
    assert bool(warnings(found)) == (faults == 0)
    made.own["ignore"] = ["lm_head"]
    assert ("leaves it out" in str(verified(made, tmp_path / "listed").faults)) == (faults == 1)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_left_over_scales_and_a_quantised_embedding(tmp_path: Path, layout: str) -> None:
    made = make(layout, kv=False)
    made.tensors["lm_head.weight"] = torch.ones((32, 64), dtype=torch.bfloat16)
    made.tensors["lm_head.input_scale"] = torch.tensor(3.0)
    assert verified(made, tmp_path / "head").faults == [
        "lm_head.input_scale belongs to a weight that is not quantised"
    ]
    made = make(layout)
    weight = made.tensors.pop("model.embed_tokens.weight")
    made.tensors |= nvfp4_tensors("model.embed_tokens", weight, weight.abs().max(), layout)
    assert "model.embed_tokens is quantised" in verified(made, tmp_path / "embedding").faults[0]


def test_names_that_configuration_and_tensors_do_not_share(tmp_path: Path) -> None:
    made = make(bf16=(f"{ATTENTION}.o_proj",))
    made.own["ignore"] = ["lm_head", "layers.0.self_attn.o_proj", "re:.*nothing", "visual"]
    found = verified(made, tmp_path / "prefix")
    assert found.faults == [
        f"{ATTENTION}.o_proj is not quantised, and the configuration does not leave it out",
        f"left out by the configuration, layers.0.self_attn.o_proj matches no tensor; "
        f"did you mean {ATTENTION}.o_proj?",
        "left out by the configuration, visual matches no tensor",
    ]
    assert warnings(found) == ["left out by the configuration, matches no tensor: re:.*nothing"]
    made = make()
    made.own["ignore"] = ["lm_head", DOWN]
    assert verified(made, tmp_path / "listed").faults == [
        f"{DOWN} is quantised, but the configuration leaves it out"
    ]
    made = make(fp8=(DOWN,))
    made.own["config_groups"]["group_1"]["targets"] = []
    assert verified(made, tmp_path / "format").faults == [f"{DOWN} is stored as fp8, the configuration says nvfp4"]
    made = make(bf16=(DOWN,))
    made.own["ignore"] = ["lm_head"]
    made.own["config_groups"]["group_0"]["targets"] = ["re:.*self_attn.*", "re:.*(gate|up)_proj"]
    found = verified(made, tmp_path / "untargeted")
    assert (found.faults, warnings(found)) == ([], [f"{DOWN}: is neither quantised nor listed as left out"])
    made.own["config_groups"]["group_0"]["targets"] = ["re:.*self_attn.*"]
    assert "no group of the configuration names it" in verified(made, tmp_path / "groups").faults[0]


def test_the_names_of_the_other_layout(tmp_path: Path) -> None:
    made = make()
    made.tensors = make("modelopt").tensors
    (fault,) = verified(made, tmp_path).faults
    assert "named as in the other layout, config.json says compressed-tensors (7 such)" in fault


def test_the_scheme_that_was_asked(tmp_path: Path) -> None:
    for layout in LAYOUTS:
        made = make(layout, activations=False)
        assert verified(made, tmp_path / layout, "W4A16").faults == []
        (fault,) = verified(made, tmp_path / layout, "W4A4").faults
        assert "weight-only (W4A16" in fault
    made = make()
    made.own["config_groups"]["alone"] = {**made.own["config_groups"]["group_0"], "targets": [DOWN]}
    made.own["config_groups"]["alone"]["input_activations"] = None
    del made.tensors[f"{DOWN}.input_global_scale"]
    found = verified(made, tmp_path / "both", "W4A4")
    assert found.layers == {"nvfp4": 6, "nvfp4 weight-only": 1, "not quantised": 0}
    assert (found.faults, warnings(found)) == ([], [f"{DOWN}: is weight-only, W4A4 was asked"])


def test_what_is_not_understood_is_said(tmp_path: Path) -> None:
    made = make()
    fused = "model.layers.1.mlp.experts.gate_up_proj"
    made.tensors[f"{fused}"] = torch.zeros((4, 64, 32), dtype=torch.uint8)
    made.tensors[f"{fused}_weight_scale"] = torch.ones((4, 64, 4)).to(torch.float8_e4m3fn)
    # MXFP4 packs alike; its scales are powers of two in a uint8.
    made.tensors["model.layers.1.mlp.shared.up_proj.weight_packed"] = torch.zeros((64, 32), dtype=torch.uint8)
    made.tensors["model.layers.1.mlp.shared.up_proj.weight_scale"] = torch.ones((64, 2), dtype=torch.uint8)
    found = verified(made, tmp_path / "nvfp4")
    assert [fault.partition(" ")[0] for fault in found.faults] == [
        "model.layers.1.mlp.shared.up_proj.weight_packed"
    ]
    made.own["config_groups"]["group_1"] = {
        "targets": ["re:.*shared.*"],
        "weights": {"num_bits": 4, "type": "float", "group_size": 32},
    }
    found = verified(made, tmp_path / "mxfp4")
    assert found.faults == []
    (warning,) = warnings(found)
    assert warning.startswith(f"{fused} and 3 more: not understood, so not checked")


def test_only_ten_faults_are_raised_but_all_are_counted(tmp_path: Path) -> None:
    made = make(weights=plain_weights(layers=2))
    for name in made.tensors:
        if name.endswith("input_global_scale"):
            made.tensors[name] = torch.tensor([float("inf")])
    with pytest.raises(RefusedError, match=r"14 fault\(s\)") as error:
        check_checkpoint(made.write(tmp_path))
    assert str(error.value).count("is not finite") == 10


def test_nothing_quantised_is_a_word_for_others_and_a_refusal_for_ours(tmp_path: Path) -> None:
    made = make(bf16=tuple(name.removesuffix(".weight") for name in plain_weights() if "_proj" in name))
    found = verified(made, tmp_path)
    assert (found.faults, found.warnings, found.bits_quantised) == ([], ["no quantised weight at all"], None)
    with pytest.raises(RefusedError, match="no quantised weight at all"):
        check_checkpoint(tmp_path)
