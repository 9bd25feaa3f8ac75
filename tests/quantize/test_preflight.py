"""What is refused before a model is loaded, and what the refusal says."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_models.hybrid import DENSE_LENGTH, save_hybrid
from tiny_models.moe import EXPERTS, tiny_moe

from curator._errors import DependencyError, InputError
from curator.precision.parts import layout_of
from curator.quantize.preflight import check, disk, memory
from curator.quantize.preflight.check import check_model
from curator.quantize.preflight.disk import checkpoint_bytes
from curator.quantize.preflight.estimate import estimate
from curator.quantize.preflight.hybrid import short_rows_note
from curator.quantize.preflight.skeleton import Skeleton, lay_out, skeleton
from curator.quantize.preflight.widths import check_widths, formats
from curator.recipe.quantize_settings import QuantizeSettings

ROWS = [[5, 6, 7, 8]] * 3


def settings(**given: Any) -> QuantizeSettings:
    return QuantizeSettings.model_validate(given)


@pytest.fixture
def model(tiny_model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_model, tmp_path / "model"))


def edit(folder: Path, **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


def refusal(folder: Path, rows: list[list[int]] = ROWS, **given: Any) -> str:
    with pytest.raises((InputError, DependencyError)) as caught:
        check_model(folder, rows, settings(**given), folder.parent / "out")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_whole_model_passes(model: Path) -> None:
    assert check_model(model, ROWS, settings(), model.parent / "out") == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"architectures": ["LlamaForSequenceClassification"]}, "LlamaForSequenceClassification is no causal"),
        (
            {"architectures": ["T5ForConditionalGeneration"], "model_type": "t5"},
            "T5ForConditionalGeneration is no",
        ),
        ({"architectures": None, "model_type": "vit"}, "model type vit is no causal language model"),
        ({"architectures": None, "model_type": ["llama"], "auto_map": 1}, "is no causal language model"),
        ({"is_encoder_decoder": True}, "no causal"),
        ({"quantization_config": {"quant_method": "gptq"}}, "is quantised already (quantization_config: gptq)"),
        ({"text_config": {"quantization_config": {"quant_method": "fp8"}}}, "(quantization_config: fp8)"),
        ({"vocab_size": 6}, "row 1 of the set has token id 8, the model's vocabulary has 6"),
        ({"max_position_embeddings": 3}, "row 1 of the set has 4 tokens, the model takes 3"),
    ],
)
def test_configs_that_nothing_can_be_made_of(model: Path, changes: dict[str, Any], words: str) -> None:
    edit(model, **changes)
    assert words in refusal(model)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_size": "64"}, "hidden_size"),
        ({"num_attention_heads": 0}, "division|modulo|zero"),
        ({"num_attention_heads": 7}, "multiple|divisible|heads"),
        ({"rms_norm_eps": "a"}, "rms_norm_eps"),
        ({"dtype": "float999"}, "float999"),
        ({"num_hidden_layers": 100_000}, "num_hidden_layers is 100000, the files hold [0-9]+ tensors"),
        ({"text_config": {"num_hidden_layers": 100_000}}, "num_hidden_layers is 100000"),
    ],
)
def test_values_that_no_model_can_be_made_of_are_told_with_the_file(
    model: Path, changes: dict[str, Any], words: str
) -> None:
    edit(model, **changes)
    told = refusal(model)
    assert told.startswith(f"{model / 'config.json'}: ")
    assert re.search(words, told)


def test_weights_of_eight_bits_are_no_bf16_model(model: Path) -> None:
    file = model / "model.safetensors"
    tensors = load_file(file)
    name = "model.layers.0.mlp.up_proj.weight"
    save_file({**tensors, name: tensors[name].to(torch.int8)}, file, metadata={"format": "pt"})
    assert re.search(rf"weight {name} is stored as I8: quantised already", refusal(model))
    file.write_bytes(file.read_bytes()[:100])
    assert re.match(rf"{file}: damaged", refusal(model))


def test_a_checkpoint_of_modelopt_is_quantised_already(model: Path) -> None:
    (model / "hf_quant_config.json").write_text("{}")
    assert "is quantised already (hf_quant_config.json)" in refusal(model)


def test_weights_that_are_missing_or_pickled(model: Path) -> None:
    weights = model / "model.safetensors"
    weights.rename(model / "model-00002-of-00003.safetensors")
    assert "model-00001-of-00003.safetensors is missing (2 of 3 shards)" in refusal(model)
    (model / "model-00002-of-00003.safetensors").rename(weights)
    index = model / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "model.safetensors", "b": "other.safetensors"}}))
    assert "other.safetensors is missing (1 of 2 shards)" in refusal(model)
    index.write_text(json.dumps({"weight_map": [1]}))
    assert "weight_map must give a file's name for each tensor" in refusal(model)
    index.unlink()
    weights.unlink()
    assert "no *.safetensors file" in refusal(model)
    # Not even opened: its content would be an error of another kind.
    (model / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    assert "only pytorch_model.bin, no safetensors; pickled weights may run code" in refusal(model)


def test_widths_that_are_no_multiple_of_16_are_named_with_the_pattern_that_helps(model: Path) -> None:
    edit(model, intermediate_size=120)
    words = refusal(model)
    assert "model.layers.0.mlp.down_proj and 1 more: the input is 120 wide" in words
    pattern = words.rpartition("ignore: ['")[2].removesuffix("']`")
    check_model(model, ROWS, settings(ignore=[pattern]), model.parent / "out")
    check_model(model, ROWS, settings(precision=[{"layers": pattern, "format": "fp8"}]), model.parent / "out")
    assert "no linear layer is left" in refusal(model, ignore=["Linear"])


def test_a_model_without_linear_layers_is_told_what_it_has_instead(tmp_path: Path) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=64, n_positions=64)
    model = GPT2LMHeadModel(config)
    model.save_pretrained(tmp_path / "gpt2")
    words = "no Linear layer but its head, and nothing else is quantised: its matrices are in Conv1D; take a model"
    assert words in refusal(tmp_path / "gpt2")
    with pytest.raises(InputError, match=words):
        layout_of(model)


def test_the_head_cannot_be_quantised(model: Path) -> None:
    assert "lm_head is the head" in refusal(model, precision=[{"layers": "lm_head", "format": "fp8"}])
    assert "is the head" in refusal(model, precision=[{"layers": "re:.*head$", "format": "nvfp4"}])
    check_model(model, ROWS, settings(precision=[{"layers": "lm_head", "format": "bf16"}]), model.parent / "out")
    check_model(model, ROWS, settings(precision=[{"layers": "Linear", "format": "fp8"}]), model.parent / "out")


def test_own_code_is_laid_out_only_when_trusted_and_its_dense_length_is_minded(tmp_path: Path) -> None:
    folder = save_hybrid(tmp_path / "hybrid")
    assert "runs its own code" in refusal(folder)
    notes = check_model(folder, ROWS, settings(), tmp_path / "out", trust_remote_code=True)
    assert f"the longest sample has 4 tokens, and this model's attention is dense below {DENSE_LENGTH}" in notes[0]
    long = [[1] * DENSE_LENGTH]
    assert not any(
        "dense" in note for note in check_model(folder, long, settings(), tmp_path / "out", ("cpu",), True)
    )
    layout = skeleton(folder, True)
    assert isinstance(layout, Skeleton)
    names = {linear.name.removeprefix("model.layers.") for linear in layout.linears}
    assert {"0.self_attn.o_gate", "1.self_attn.z_proj", "3.mlp.down_proj"} <= names
    assert len(names) == len(layout.linears) == 4 * 8


@pytest.mark.parametrize(
    ("section", "longest", "warns"),
    [
        ({"dense_len": 8192}, 8191, True),
        # From its length on it is sparse; -1 is always; a word is nothing.
        ({"dense_len": 8192}, 8192, False),
        ({"dense_len": -1}, 16, False),
        ({"dense_len": "long"}, 16, False),
        (None, 16, False),
    ],
)
def test_dense_lengths(section: Any, longest: int, warns: bool) -> None:
    assert bool(short_rows_note({"sparse_config": section}, longest)) == warns


def test_a_model_that_cannot_be_laid_out_is_said_to_be_unchecked(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "skeleton", lambda *_: "cannot copy out of meta tensor")
    (note,) = check_model(model, ROWS, settings(), model.parent / "out")
    assert note.endswith("the model cannot be laid out (cannot copy out of meta tensor)")


def test_the_layers_of_experts_are_those_that_a_quantiser_takes_them_apart_into() -> None:
    from llmcompressor.modeling.moe.linearize import linearize_moe

    for kind in ("mixtral", "gpt_oss", "deepseek_v3"):
        model = tiny_moe(kind)
        fused = lay_out(model)
        apart = lay_out(linearize_moe(model))
        widths = {(linear.inputs, linear.copies > 1) for linear in fused.linears if ".experts." in linear.name}
        assert widths == {(64, True), (32, True)}, kind
        assert {linear.name for linear in fused.linears} <= {linear.name for linear in apart.linears}, kind
        ours = sum(linear.inputs * linear.outputs * linear.copies for linear in fused.linears)
        assert ours == sum(linear.inputs * linear.outputs for linear in apart.linears), kind
        assert fused.experts == EXPERTS


def test_a_router_that_is_a_linear_layer_is_pointed_out() -> None:
    notes = check_widths(lay_out(tiny_moe("jetmoe")), settings())
    assert any("mlp.router.layer" in note and "a router" in note for note in notes)
    assert not any("router" in note for note in check_widths(lay_out(tiny_moe("mixtral")), settings()))
    # Where its name says so, it stays in BF16 without being told.
    llama = lay_out(tiny_moe("llama4_text"))
    kept = [linear.name for linear, name in formats(llama, settings()).items() if name == "bf16"]
    assert kept == [f"model.layers.{number}.feed_forward.router" for number in range(2)]
    assert not any("router" in note for note in check_widths(llama, settings()))


def test_the_pattern_for_experts_means_all_of_them() -> None:
    layout = lay_out(tiny_moe("mixtral"))
    odd = [replace(linear, inputs=40) if "down" in linear.name else linear for linear in layout.linears]
    with pytest.raises(InputError) as caught:
        check_widths(replace(layout, linears=tuple(odd)), settings())
    pattern = str(caught.value).rpartition("ignore: ['re:")[2].removesuffix("']`")
    assert re.match(pattern, "model.layers.1.mlp.experts.4.down_proj")
    assert not re.match(pattern, "model.layers.1.mlp.experts.4.up_proj")


def test_disk_is_checked_before(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = skeleton(model, False)
    assert isinstance(layout, Skeleton)
    linears = 2 * (64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 128)
    rest = layout.parameters - linears
    for scheme, size in (("nvfp4", 0.5625), ("fp8", 1.0)):
        given = formats(layout, settings(precision=[{"layers": "Linear", "format": scheme}]))
        assert checkpoint_bytes(layout, given) == int(linears * size + 2 * rest)
    monkeypatch.setattr(disk, "_REST", 1 << 60)
    words = refusal(model)
    assert "the checkpoint needs about 1152921504.6 GB" in words
    assert "GB are free there; free space or choose another --out" in words


def test_memory_is_refused_with_what_lowers_it(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "memory_in_all", lambda: 10 << 20)
    words = refusal(model, method="gptq", pipeline="basic", batch_size=4)
    assert "0.0 GB can be had; it needs less memory with `pipeline: sequential`" in words
    assert "a `batch_size` below 4" in words
    assert "a set with fewer tokens a sequence" in words
    assert "pipeline" not in refusal(model, method="max", batch_size=1)


def test_the_smallest_gpu_counts_also_where_they_are_numbered_anew(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = [8 << 30, 1 << 20]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(sizes))
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda number: SimpleNamespace(total_memory=sizes[number])
    )
    check_model(model, ROWS, settings(), model.parent / "out", ("cuda:0",))
    # cuda:7 alone is number 0 of the child that was shown it.
    check_model(model, ROWS, settings(), model.parent / "out", ("cuda:7",))
    with pytest.raises(DependencyError, match=r"on each GPU, of cuda:0, cuda:1 one has 0\.0 GB; it needs less"):
        check_model(model, [[5] * 400], settings(), model.parent / "out", ("cuda:0", "cuda:1"))


def test_what_each_setting_does_to_the_estimate(model: Path) -> None:
    layout = skeleton(model, False)
    assert isinstance(layout, Skeleton)

    def parts(lengths: list[int], **given: Any) -> Any:
        chosen = settings(**given)
        return estimate(layout, formats(layout, chosen), chosen, lengths)

    base = parts([512] * 8)
    # By hand: q, k, v, o, gate and up have Hessians of 64 x 64, down of 128 x 128, float32; two layers.
    hessians = 4 * (6 * 64 * 64 + 128 * 128)
    assert parts([512] * 8, pipeline="basic").statistics - base.statistics == hessians
    assert parts([512] * 8, method="max").statistics == 0
    assert parts([512] * 8, batch_size=4).forward == 4 * base.forward
    # Scores and masks grow with the square of the longest row.
    assert parts([2048] * 2).forward > 10 * base.forward
    assert parts([], method="rtn").rows == 0
    run = base.rows + base.forward + base.statistics
    assert base.total() == base.libraries + base.weights + run
    assert base.rewritten == 2 * 2 * (64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 128)
    assert base.peak() == base.total() + base.rewritten
    # On a GPU the tied table is there twice, as it was measured.
    tables = 2 * 2 * layout.vocabulary * 64
    assert base.gpu() == tables + base.layer + base.forward + base.statistics
    # ModelOpt has the whole model there, and the logits of a batch.
    whole = parts([512] * 8, method="modelopt-mse")
    assert whole.gpu() == whole.weights + 2 * 512 * layout.vocabulary + 2 * whole.packing
    # Of a short run the saving takes most.
    short = parts([8], method="max")
    assert short.total() == short.libraries + max(short.weights, short.written) + short.packing


def test_errors_that_say_that_memory_ran_out() -> None:
    wrapped = RuntimeError("in the layer")
    wrapped.__cause__ = torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
    for error in (wrapped, MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried")):
        assert memory.is_out_of_memory(error)
    assert not memory.is_out_of_memory(RuntimeError("shapes do not fit"))
