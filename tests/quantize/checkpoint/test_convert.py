from __future__ import annotations

import json
import struct
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from made_checkpoints import DOWN, Made, Q, make, plain_weights
from safetensors.torch import save_file

from curator._errors import DependencyError, InputError, RefusedError
from curator.quantize.checkpoint import (
    Tensors,
    convert_checkpoint,
    open_checkpoint,
    tensors_sha256,
    verify_checkpoint,
    write_twin,
)
from curator.quantize.checkpoint.convert_tensors import _carried

LAYOUTS: dict[Any, Any] = {"compressed-tensors": "modelopt", "modelopt": "compressed-tensors"}
EXTRA = {"tokenizer.json": "{}", "chat_template.jinja": "x", "modeling_own.py": "pass", "curate.json": "{}"}
O_PROJ = "model.layers.0.self_attn.o_proj"


def read(folder: Path) -> dict[str, torch.Tensor]:
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        return {name: tensors[name] for name in tensors}


def awkward(made: Made) -> Made:
    """Scales whose reciprocal's reciprocal is another number, and shapes and types that others write."""
    # 1 / (1 / x) of the number before 2 is 2.
    before_two = torch.nextafter(torch.tensor(2.0), torch.tensor(0.0)) * 64
    for name in made.tensors:
        leaf = name.rpartition(".")[2]
        if leaf in ("input_global_scale", "input_scale") and "mlp" in name and DOWN not in name:
            number = before_two if leaf == "input_global_scale" else before_two / 65536
            made.tensors[name] = number.reshape(made.tensors[name].shape).clone()
    for name in (f"{O_PROJ}.weight_global_scale", f"{O_PROJ}.weight_scale_2"):
        if name in made.tensors:
            made.tensors[name] = made.tensors[name].reshape(() if made.layout == "compressed-tensors" else (1,))
    made.extra |= EXTRA
    return made


@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("activations", [True, False])
@pytest.mark.parametrize("shards", [1, 3])
def test_there_and_back_gives_the_same_tensors_and_settings(
    tmp_path: Path, source: Any, activations: bool, shards: int
) -> None:
    fp8 = (DOWN,) if shards == 3 else ()
    made = awkward(make(source, plain_weights(layers=2), fp8=fp8, bf16=(O_PROJ.replace("0", "1"),), kv=True,
                        activations=activations))  # fmt: skip
    first = made.write(tmp_path / "first", shards)
    there, back = tmp_path / "there", tmp_path / "back"
    converted = convert_checkpoint(first, LAYOUTS[source], there)
    convert_checkpoint(there, source, back)
    one, other = read(first), read(back)
    assert one.keys() == other.keys()
    for name, tensor in one.items():
        assert (tensor.dtype, tensor.shape) == (other[name].dtype, other[name].shape), name
        assert torch.equal(tensor.reshape(-1).view(torch.uint8), other[name].reshape(-1).view(torch.uint8)), name
    assert tensors_sha256(first) == tensors_sha256(back) != tensors_sha256(there) == converted.tensors_sha256
    assert json.loads((back / "config.json").read_text()) == made.config
    if made.apart:
        assert json.loads((back / "hf_quant_config.json").read_text()) == made.apart
    # The middle is a good checkpoint of its own, and says the same of every layer.
    kept = json.loads((there / "curate-convert.json").read_text())["tensors"]
    assert len(kept) == converted.kept > 0
    with open_checkpoint(first) as a, open_checkpoint(there) as b:
        assert b.stated.layout == LAYOUTS[source]
        assert (a.scheme, a.kv_cache, a.parts.plain) == (b.scheme, b.kv_cache, b.parts.plain)
        for name, linear in a.linears.items():
            assert b.linears[name].input_format == linear.input_format
            torch.testing.assert_close(b.linears[name].weight(), linear.weight(), rtol=4e-7, atol=0)
    assert verify_checkpoint(there).faults == []
    assert (there / "hf_quant_config.json").is_file() == (source == "compressed-tensors")
    names = {file.name for file in there.iterdir()}
    assert names >= {"tokenizer.json", "chat_template.jinja", "modeling_own.py"}
    assert "curate.json" not in names
    assert len(list(there.glob("*.safetensors"))) == shards


def test_reciprocals_of_all_kinds_of_numbers() -> None:
    """The first reciprocal is float32's own, and 17 % of the numbers between two powers of two need a note."""
    mantissas = torch.arange(1 << 23, dtype=torch.int32)
    for exponent in (-20, 0, 13):
        numbers = (mantissas[::97] + ((exponent + 127) << 23)).view(torch.float32)
        returned = 1 / (1 / numbers)
        same = (returned == numbers).float().mean()
        assert float(same) == pytest.approx(0.8284, abs=0.005)
        # What is lost is one unit in the last place.
        assert int((returned.view(torch.int32) - numbers.view(torch.int32)).abs().max()) == 1
    for number in (1e-39, 3e-39, 2.0**-126, 16178.154296875, 3.4e38):
        stored = struct.unpack("f", struct.pack("f", number))[0]
        made = _carried(torch.tensor([stored]), "reciprocal", "modelopt")
        assert made.shape == ()
        expected = struct.unpack("f", struct.pack("f", 1 / stored))[0] if 1 / stored < 3.5e38 else float("inf")
        assert float(made) == expected


def test_a_scale_that_was_changed_in_between_is_not_undone(tmp_path: Path) -> None:
    there = tmp_path / "there"
    convert_checkpoint(awkward(make()).write(tmp_path / "first"), "modelopt", there)
    note = json.loads((there / "curate-convert.json").read_text())
    name = next(name for name in note["tensors"] if name.endswith("input_scale"))
    tensors = read(there)
    tensors[name] = torch.tensor(0.25)
    save_file(tensors, there / "model.safetensors")
    convert_checkpoint(there, "compressed-tensors", tmp_path / "back")
    assert read(tmp_path / "back")[note["tensors"][name]["name"]].tolist() == [4.0]


def test_an_edited_configuration_is_converted_anew(tmp_path: Path) -> None:
    there = tmp_path / "there"
    convert_checkpoint(make(bf16=(O_PROJ,)).write(tmp_path / "first"), "modelopt", there)
    config = json.loads((there / "config.json").read_text())
    config["quantization_config"]["ignore"] = ["*o_proj"]
    (there / "config.json").write_text(json.dumps(config))
    convert_checkpoint(there, "compressed-tensors", tmp_path / "back")
    assert json.loads((tmp_path / "back" / "config.json").read_text())["quantization_config"]["ignore"] == [O_PROJ]


def test_patterns_become_names(tmp_path: Path) -> None:
    made = make(bf16=(O_PROJ, DOWN))
    made.own["ignore"] = ["re:.*o_proj", "lm_head", "re:.*down.*"]
    convert_checkpoint(made.write(tmp_path / "first"), "modelopt", tmp_path / "there")
    section = json.loads((tmp_path / "there" / "hf_quant_config.json").read_text())["quantization"]
    assert section == {
        "quant_algo": "NVFP4",
        "kv_cache_quant_algo": None,
        "group_size": 16,
        "exclude_modules": ["lm_head", DOWN, O_PROJ],
    }


def test_what_cannot_be_converted(tmp_path: Path) -> None:
    good = make().write(tmp_path / "good")
    with pytest.raises(InputError, match="in the layout of compressed-tensors already"):
        convert_checkpoint(good, "compressed-tensors", tmp_path / "out")
    made = make()
    made.tensors[f"{Q}.input_global_scale"] = torch.tensor([float("inf")])
    with pytest.raises(RefusedError, match="is not finite"):
        convert_checkpoint(made.write(tmp_path / "inf"), "modelopt", tmp_path / "out")
    made = make(activations=False, fp8=(DOWN,))
    made.own["config_groups"]["group_1"]["input_activations"] = None
    with pytest.raises(RefusedError, match="down_proj is in fp8 a tensor with none inputs"):
        convert_checkpoint(made.write(tmp_path / "fp8"), "modelopt", tmp_path / "out")
    made = make("modelopt")
    assert made.apart
    made.apart["quantization"]["quant_algo"] = "NVFP4_AWQ"
    made.tensors[f"{Q}.pre_quant_scale"] = torch.ones(64)
    with pytest.raises(RefusedError, match="pre_quant_scale"):
        convert_checkpoint(made.write(tmp_path / "awq"), "compressed-tensors", tmp_path / "out")
    made = make()
    made.tensors["model.layers.1.mlp.experts.gate_up_proj"] = torch.zeros((2, 32, 16), dtype=torch.uint8)
    with pytest.raises(RefusedError, match=r"gate_up_proj is not understood \(1 such\)"):
        convert_checkpoint(made.write(tmp_path / "fused"), "modelopt", tmp_path / "out")
    made = make()
    made.tensors[f"{O_PROJ}.input_global_scale"] = torch.tensor([1e-40])
    with pytest.raises(RefusedError, match="float32 holds no reciprocal"):
        convert_checkpoint(made.write(tmp_path / "tiny"), "modelopt", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_damaged_note_is_named(tmp_path: Path) -> None:
    there = tmp_path / "there"
    convert_checkpoint(awkward(make()).write(tmp_path / "first"), "modelopt", there)
    note = json.loads((there / "curate-convert.json").read_text())
    next(iter(note["tensors"].values()))["bytes"] = "xyz"
    (there / "curate-convert.json").write_text(json.dumps(note))
    with pytest.raises(InputError, match=r"curate-convert\.json: the note on .* is damaged"):
        convert_checkpoint(there, "compressed-tensors", tmp_path / "back")


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [("tensors", ["a"], "its tensors are damaged"), ("tensors", {"a": 1}, "its tensors are damaged")],
)
def test_a_note_of_another_kind_is_named(tmp_path: Path, key: str, value: Any, words: str) -> None:
    convert_checkpoint(awkward(make()).write(tmp_path / "here"), "modelopt", tmp_path / "there")
    file = tmp_path / "there" / "curate-convert.json"
    note = json.loads(file.read_text())
    file.write_text(json.dumps({**note, key: value}))
    with pytest.raises(InputError, match=words):
        convert_checkpoint(tmp_path / "there", "compressed-tensors", tmp_path / "back")
    # Without the original configuration one is made.
    file.write_text(json.dumps({**note, "config": {"made_sha256": note["config"]["made_sha256"]}}))
    convert_checkpoint(tmp_path / "there", "compressed-tensors", tmp_path / "back")
    assert verify_checkpoint(tmp_path / "back").faults == []


def test_the_receipt_goes_along_and_others_may_read_the_weights(tmp_path: Path) -> None:
    made = awkward(make())
    made.extra["curate.json"] = json.dumps({"method": "gptq", "set_hash": "abc"})
    convert_checkpoint(made.write(tmp_path / "here"), "modelopt", tmp_path / "there")
    convert_checkpoint(tmp_path / "there", "compressed-tensors", tmp_path / "back")
    for folder in (tmp_path / "there", tmp_path / "back"):
        note = json.loads((folder / "curate-convert.json").read_text())
        assert note["receipt"] == {"method": "gptq", "set_hash": "abc"}
        mode = (folder / "model.safetensors").stat().st_mode
        assert mode == (folder / "config.json").stat().st_mode


def test_too_little_disk_is_told_before_any_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make().write(tmp_path / "first")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(DependencyError, match=r"0\.1 GB, 0\.0 GB are free there"):
        convert_checkpoint(source, "modelopt", tmp_path / "out")
    with pytest.raises(DependencyError, match="are free there"):
        write_twin(source, tmp_path / "out")
    assert {file.name for file in tmp_path.iterdir()} == {"first"}
