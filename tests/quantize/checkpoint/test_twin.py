from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import torch
from compressed_tensors.compressors.nvfp4.base import NVFP4PackedCompressor
from compressed_tensors.compressors.nvfp4.helpers import unpack_fp4_from_uint8
from compressed_tensors.quantization import QuantizationScheme
from compressed_tensors.quantization.lifecycle.forward import dequantize
from compressed_tensors.quantization.quant_scheme import NVFP4A16
from made_checkpoints import DOWN, Made, linear_modules, make, plain_weights
from safetensors.torch import load_file

from curator._errors import RefusedError
from curator.quantize.checkpoint import Tensors, convert_checkpoint, open_checkpoint, write_twin
from curator.quantize.checkpoint.files import ShardWriter
from curator.serve.in_process import InProcess
from curator.serve.interface import Window


def read(folder: Path) -> dict[str, torch.Tensor]:
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        return {name: tensors[name] for name in tensors}


@pytest.mark.parametrize("layout", ["compressed-tensors", "modelopt"])
def test_the_twin_holds_every_value_and_names_no_quantisation(tmp_path: Path, layout: str) -> None:
    made = make(layout, fp8=(DOWN,), kv=True)
    made.config["torch_dtype"] = "bfloat16"
    made.extra = dict.fromkeys(("curate.json", "tokenizer.json", "merges.txt", "modeling.py", "x.log"), "{}")
    folder = made.write(tmp_path / "checkpoint", shards=2)
    notes = write_twin(folder, tmp_path / "twin")
    assert notes == ["the twin keeps keys and values in its own dtype: the KV cache's FP8 scales are left out"]
    names = {file.name for file in (tmp_path / "twin").iterdir()}
    expected = {"model.safetensors", "config.json", "tokenizer.json", "merges.txt", "modeling.py"}
    assert names == expected | {"curate-twin.json"}
    config = json.loads((tmp_path / "twin" / "config.json").read_text())
    assert config == {"model_type": "llama", "tie_word_embeddings": True, "dtype": "float32"}
    twin = read(tmp_path / "twin")
    assert sorted(twin) == sorted(plain_weights())
    assert {tensor.dtype for tensor in twin.values()} == {torch.float32}
    with open_checkpoint(folder) as checkpoint:
        for name, linear in checkpoint.linears.items():
            assert torch.equal(twin[f"{name}.weight"], linear.weight())


def test_a_rounded_twin_says_how_much(tmp_path: Path) -> None:
    folder = make().write(tmp_path / "checkpoint")
    (note,) = write_twin(folder, tmp_path / "twin", "bfloat16")
    exact, changed, largest, weights = {}, 0, 0.0, 0
    with open_checkpoint(folder) as checkpoint:
        exact = {name: linear.weight() for name, linear in checkpoint.linears.items()}
    twin = read(tmp_path / "twin")
    for name, weight in exact.items():
        rounded = twin[f"{name}.weight"]
        assert rounded.dtype == torch.bfloat16
        assert torch.equal(rounded, weight.to(torch.bfloat16))
        differs = rounded.float() != weight
        weights, changed = weights + weight.numel(), changed + int(differs.sum())
        largest = max(largest, float(((rounded.float() - weight).abs() / weight.abs())[differs].max()))
    assert note.startswith(
        f"bfloat16 rounds {changed / weights:.1%} of the quantised weights, by up to {largest:.2%}"
    )
    assert 0.0030 < largest <= 1 / 256
    # With global scales that are powers of two every value has few enough bits.
    made = make()
    for name in made.tensors:
        if name.endswith("weight_global_scale"):
            made.tensors[name] = torch.tensor([4096.0])
    assert write_twin(made.write(tmp_path / "even"), tmp_path / "exact", "bfloat16") == []


def test_many_tensors_go_into_shards(tmp_path: Path) -> None:
    tensors = {f"w{index}": torch.full((100,), float(index)) for index in range(5)}
    writer = ShardWriter(tmp_path, shard_bytes=700)
    for name, tensor in tensors.items():
        writer.add(name, tensor)
    writer.close()
    assert len(list(tmp_path.glob("model-0000?-of-00003.safetensors"))) == 3
    found = read(tmp_path)
    assert {name: float(tensor[0]) for name, tensor in found.items()} == {f"w{i}": float(i) for i in range(5)}
    assert json.loads((tmp_path / "model.safetensors.index.json").read_text())["metadata"]["total_size"] == 2000


def test_what_has_no_twin(tmp_path: Path) -> None:
    made = make()
    made.tensors["model.layers.1.mlp.experts.gate_up_proj"] = torch.zeros((2, 32, 16), dtype=torch.uint8)
    with pytest.raises(RefusedError, match="is not understood"):
        write_twin(made.write(tmp_path / "fused"), tmp_path / "twin")
    made = make()
    del made.tensors[f"{DOWN}.weight_global_scale"]
    with pytest.raises(RefusedError, match=r"1 fault\(s\): .*weight_global_scale is missing"):
        write_twin(made.write(tmp_path / "lost"), tmp_path / "twin")
    assert not (tmp_path / "twin").exists()


@pytest.fixture(scope="module")
def quantised(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Llama, weight-only, with its own configuration and tokenizer."""
    weights = load_file(tiny_model / "model.safetensors")
    made: Made = make(weights=weights, activations=False)
    made.config = json.loads((tiny_model / "config.json").read_text()) | {"quantization_config": made.own}
    made.extra = {"tokenizer.json": (tiny_model / "tokenizer.json").read_text()}
    return made.write(tmp_path_factory.mktemp("quantised") / "checkpoint")


def fake_quantised(tiny_model: Path, quantised: Path) -> Any:
    """The model in float32 with each weight as compressed-tensors itself dequantises it, in float32."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.float32).eval()
    scheme = QuantizationScheme(targets=["Linear"], **NVFP4A16)
    stored = load_file(quantised / "model.safetensors")
    for name in linear_modules(load_file(tiny_model / "model.safetensors")):
        packed = stored[f"{name}.weight_packed"]
        unpacked = unpack_fp4_from_uint8(packed, packed.shape[0], packed.shape[1] * 2, dtype=torch.float32)
        weight = dequantize(
            x_q=unpacked,
            scale=stored[f"{name}.weight_scale"].float(),
            args=scheme.weights,
            global_scale=stored[f"{name}.weight_global_scale"],
            dtype=torch.float32,
        )
        model.get_submodule(name).weight.data = weight
    return model


def test_the_twins_logits_are_those_of_the_weight_only_model(
    tiny_model: Path, quantised: Path, tmp_path: Path
) -> None:
    """Twins of both layouts, our own W4A16 arithmetic, and compressed-tensors' fake quantisation."""
    from transformers import AutoModelForCausalLM

    ids = torch.tensor([[5, 17, 200, 3, 90, 41, 7, 250, 33, 12]])
    write_twin(quantised, tmp_path / "twin")
    convert_checkpoint(quantised, "modelopt", tmp_path / "modelopt")
    write_twin(tmp_path / "modelopt", tmp_path / "other")
    with torch.inference_mode():
        theirs = fake_quantised(tiny_model, quantised)(ids).logits[0]
        twin = AutoModelForCausalLM.from_pretrained(tmp_path / "twin").eval()(ids).logits[0]
        plain = AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.float32).eval()(ids).logits[0]
    assert torch.equal(twin, theirs)
    assert float((twin - plain).abs().max()) > 0.1
    window = [Window(tuple(ids[0].tolist()), 1)]
    for folder, scheme in ((quantised, "W4A16"), (tmp_path / "twin", None)):
        (scores,) = InProcess(folder, scheme).score(window, 3, 1)  # type: ignore[arg-type]
        assert torch.equal(torch.from_numpy(scores.logits), theirs[:-1])
    # A multiplier is not always the reciprocal of a divisor to the last bit.
    for folder, scheme in ((tmp_path / "modelopt", "W4A16"), (tmp_path / "other", None)):
        (scores,) = InProcess(folder, scheme).score(window, 3, 1)  # type: ignore[arg-type]
        torch.testing.assert_close(torch.from_numpy(scores.logits), theirs[:-1], rtol=1e-4, atol=1e-4)


def test_transformers_loads_what_was_converted_to_compressed_tensors(
    tiny_model: Path, quantised: Path, tmp_path: Path
) -> None:
    """From ModelOpt, where no note of the original configuration is: written from nothing but the names."""
    from transformers import AutoModelForCausalLM

    convert_checkpoint(quantised, "modelopt", tmp_path / "modelopt")
    (tmp_path / "modelopt" / "curate-convert.json").unlink()
    convert_checkpoint(tmp_path / "modelopt", "compressed-tensors", tmp_path / "back")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "back", dtype=torch.bfloat16).eval()
    ids = torch.tensor([[5, 17, 200, 3]])
    with torch.inference_mode():
        model(ids)
    theirs = model.get_submodule(DOWN).weight.detach()
    with open_checkpoint(quantised) as checkpoint:
        torch.testing.assert_close(theirs.float(), checkpoint.linears[DOWN].weight(), rtol=2**-7, atol=0)


def test_a_checkpoint_with_fp8_parts_runs_in_process(tiny_model: Path, tmp_path: Path) -> None:
    weights = load_file(tiny_model / "model.safetensors")
    made = make("modelopt", weights, fp8=(DOWN,))
    made.config = json.loads((tiny_model / "config.json").read_text())
    folder = made.write(tmp_path / "checkpoint")
    write_twin(folder, tmp_path / "twin")
    window = [Window((5, 17, 200, 3, 90, 41), 1)]
    (alone,) = InProcess(folder, "W4A16").score(window, 3, 1)
    (twin,) = InProcess(tmp_path / "twin").score(window, 3, 1)
    (inputs,) = InProcess(folder, "W4A4").score(window, 3, 1)
    assert alone.logits is not None
    assert inputs.logits is not None
    assert (alone.logits == twin.logits).all()
    assert abs(alone.logits - inputs.logits).max() > 1e-3


def test_the_librarys_own_decompression_agrees_in_bfloat16(quantised: Path) -> None:
    stored = load_file(quantised / "model.safetensors")
    state = {leaf: stored[f"{DOWN}.{leaf}"] for leaf in ("weight_packed", "weight_scale", "weight_global_scale")}
    scheme = QuantizationScheme(targets=["Linear"], **NVFP4A16)
    library = NVFP4PackedCompressor.decompress(state, scheme)["weight"].float()
    with open_checkpoint(quantised) as checkpoint:
        torch.testing.assert_close(checkpoint.linears[DOWN].weight(), library, rtol=2**-7, atol=0)
