from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch
from nvfp4_folders import config, good, linear, write

from curator._errors import InputError, RefusedError
from curator.quantize.checkpoint import (
    Tensors,
    check_checkpoint,
    dequantized,
    quantization_config,
    stored_scheme,
    tensors_sha256,
)
from curator.quantize.twin import write_twin

Q = "model.layers.0.self_attn.q_proj"


def test_a_good_checkpoint_passes(tmp_path: Path) -> None:
    report = check_checkpoint(write(tmp_path, good()), asked="W4A4")
    assert report.linears == 4
    assert report.warnings == []


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0.0, -1.0])
@pytest.mark.parametrize("scale", ["input_global_scale", "weight_global_scale"])
def test_a_bad_global_scale_is_refused_by_name(tmp_path: Path, scale: str, value: float) -> None:
    tensors = good()
    tensors[f"{Q}.{scale}"] = torch.tensor([value])
    with pytest.raises(RefusedError, match=f"{Q}.{scale} is not"):
        check_checkpoint(write(tmp_path, tensors))


def test_a_nan_block_scale_is_refused(tmp_path: Path) -> None:
    tensors = good()
    scale = tensors[f"{Q}.weight_scale"].float()
    scale[3, 1] = float("nan")
    tensors[f"{Q}.weight_scale"] = scale.to(torch.float8_e4m3fn)
    with pytest.raises(RefusedError, match=f"{Q}.weight_scale is not finite"):
        check_checkpoint(write(tmp_path, tensors))


@pytest.mark.parametrize("scale", ["input_global_scale", "weight_global_scale", "weight_scale"])
def test_a_missing_scale_is_refused(tmp_path: Path, scale: str) -> None:
    tensors = good()
    del tensors[f"{Q}.{scale}"]
    with pytest.raises(RefusedError, match=f"{Q}.{scale} is missing"):
        check_checkpoint(write(tmp_path, tensors))


def test_a_block_scale_of_another_shape_is_refused(tmp_path: Path) -> None:
    tensors = good()
    tensors[f"{Q}.weight_scale"] = tensors[f"{Q}.weight_scale"][:, :1].contiguous()
    with pytest.raises(RefusedError, match="does not fit its weight"):
        check_checkpoint(write(tmp_path, tensors))


def test_a_zero_block_is_fine_and_dequantises_to_zero(tmp_path: Path) -> None:
    tensors = good()
    scale = tensors[f"{Q}.weight_scale"].float()
    scale[0] = 0
    tensors[f"{Q}.weight_scale"] = scale.to(torch.float8_e4m3fn)
    folder = write(tmp_path, tensors)
    assert check_checkpoint(folder).linears == 4
    with ExitStack() as stack:
        weight = dequantized(Tensors(folder, stack), Q)
    assert torch.equal(weight[0].abs(), torch.zeros(32))
    assert torch.isfinite(weight).all()


@pytest.mark.parametrize("name", ["lm_head", "model.embed_tokens"])
def test_a_quantised_head_or_embedding_is_refused(tmp_path: Path, name: str) -> None:
    tensors = good() | linear(name)
    tensors.pop("model.embed_tokens.weight")
    with pytest.raises(RefusedError, match=f"{name} is quantised"):
        check_checkpoint(write(tmp_path, tensors))


def test_an_excluded_head_with_scales_is_refused(tmp_path: Path) -> None:
    tensors = good() | {
        "lm_head.weight": torch.ones((8, 32), dtype=torch.bfloat16),
        "lm_head.input_global_scale": torch.tensor([3.0]),
    }
    with pytest.raises(RefusedError, match=r"lm_head.input_global_scale belongs to a weight that is not"):
        check_checkpoint(write(tmp_path, tensors))


def test_a_weight_only_checkpoint_is_named_and_not_w4a4(tmp_path: Path) -> None:
    folder = write(tmp_path, good(activations=False), config(activations=False))
    assert stored_scheme(quantization_config(folder)) == "W4A16"
    assert check_checkpoint(folder).linears == 4
    with pytest.raises(RefusedError, match="weight-only"):
        check_checkpoint(folder, asked="W4A4")


def test_w4a4_by_config_without_activation_scales_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="input_global_scale is missing"):
        check_checkpoint(write(tmp_path, good(activations=False), config(activations=True)))


def test_partly_quantised_fused_projections_are_refused(tmp_path: Path) -> None:
    tensors = {name: tensor for name, tensor in good().items() if not name.startswith(Q)}
    tensors[f"{Q}.weight"] = torch.ones((32, 32), dtype=torch.bfloat16)
    with pytest.raises(RefusedError, match="q_proj not quantised, but servers merge"):
        check_checkpoint(write(tmp_path, tensors))


def test_fused_projections_with_other_scales_are_a_warning(tmp_path: Path) -> None:
    tensors = good()
    tensors[f"{Q}.weight_global_scale"] = torch.tensor([9.0])
    (warning,) = check_checkpoint(write(tmp_path, tensors)).warnings
    assert "q_proj/k_proj/v_proj" in warning


def test_only_ten_faults_are_named_but_all_are_counted(tmp_path: Path) -> None:
    tensors = {}
    for index in range(12):
        tensors |= linear(f"model.layers.{index}.mlp.down_proj")
        tensors[f"model.layers.{index}.mlp.down_proj.input_global_scale"] = torch.tensor([float("inf")])
    with pytest.raises(RefusedError, match=r"12 fault\(s\)"):
        check_checkpoint(write(tmp_path, tensors))


def test_no_packed_weight_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no packed weight"):
        check_checkpoint(write(tmp_path, {"model.norm.weight": torch.ones(4)}))


@pytest.mark.parametrize("content", [b"", b"\x08\x00\x00\x00\x00\x00\x00\x00not json", b"x" * 100])
def test_a_broken_file_is_named(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, good())
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(InputError, match=r"model.safetensors: not a readable safetensors"):
        check_checkpoint(tmp_path)


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    file = write(tmp_path, good()) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(InputError, match=r"model.safetensors"):
        check_checkpoint(tmp_path)


def test_folders_that_are_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config.json: no such file"):
        check_checkpoint(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InputError, match="no quantization_config"):
        check_checkpoint(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(InputError, match="no quantization_config"):
        check_checkpoint(tmp_path)
    (tmp_path / "config.json").write_text('{"quantization_config": {"format": "pack-quantized"}}')
    with pytest.raises(InputError, match="'pack-quantized' is not"):
        check_checkpoint(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config()))
    with pytest.raises(InputError, match=r"no \*.safetensors"):
        check_checkpoint(tmp_path)


def test_hash_is_of_tensors_not_of_files(tmp_path: Path) -> None:
    tensors = good()
    one = write(tmp_path / "one", tensors)
    two = write(tmp_path / "two", dict(reversed(tensors.items())), {**config(), "note": "other config"})
    assert tensors_sha256(one) == tensors_sha256(two)
    tensors[f"{Q}.weight_packed"] = tensors[f"{Q}.weight_packed"].clone()
    tensors[f"{Q}.weight_packed"][0, 0] ^= 1
    assert tensors_sha256(write(tmp_path / "three", tensors)) != tensors_sha256(one)


def test_twin_of_a_folder_with_shards_names_no_shard(tmp_path: Path) -> None:
    folder = write(tmp_path / "checkpoint", good(), {**config(), "torch_dtype": "bfloat16"})
    for name in ("model.safetensors.index.json", "curate.json", "tokenizer.json", "merges.txt", "x.log"):
        (folder / name).write_text("{}")
    write_twin(folder, tmp_path / "twin")
    names = {file.name for file in (tmp_path / "twin").iterdir()}
    assert names == {"model.safetensors", "config.json", "tokenizer.json", "merges.txt", "curate-twin.json"}
    written = json.loads((tmp_path / "twin" / "config.json").read_text())
    assert written == {"model_type": "llama", "dtype": "float32"}
    with ExitStack() as stack:
        twin, source = Tensors(tmp_path / "twin", stack), Tensors(folder, stack)
        assert list(twin) == sorted(
            ["model.embed_tokens.weight", *(f"model.layers.0.self_attn.{p}_proj.weight" for p in "qkvo")]
        )
        assert torch.equal(twin[f"{Q}.weight"], dequantized(source, Q))
        assert all(twin[name].dtype == torch.float32 for name in twin)
