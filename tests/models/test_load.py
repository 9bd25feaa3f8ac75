"""A model is loaded whole or not at all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file
from tiny_models.hybrid import save_hybrid

from curator._errors import InputError
from curator.models.load import load_model


@pytest.fixture
def model(tiny_model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_model, tmp_path / "model"))


def test_a_whole_model_loads_with_its_own_weights(model: Path) -> None:
    weights = load_file(model / "model.safetensors")
    state = load_model(model, "bfloat16").state_dict()
    assert all((state[name] == value).all() for name, value in weights.items())


def test_missing_weights_are_not_made_up(model: Path) -> None:
    weights = load_file(model / "model.safetensors")
    name = next(name for name in weights if name.endswith("q_proj.weight"))
    del weights[name]
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=f"has no weight {name} \\(1 such\\)"):
        load_model(model, "float32")


@pytest.mark.parametrize("change", [{"model_type": "bert"}, {"hidden_size": 128}, {"num_hidden_layers": 3}])
def test_a_config_of_another_model_is_refused(model: Path, change: dict[str, object]) -> None:
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, **change}))
    with pytest.raises(InputError, match=f"model {model}"):
        load_model(model, "float32")


@pytest.mark.parametrize("content", [b"", b"garbage", None])
def test_damaged_files_are_one_line(model: Path, content: bytes | None) -> None:
    file = model / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100] if content is None else content)
    with pytest.raises(InputError) as caught:
        load_model(model, "float32")
    assert "\n" not in str(caught.value)


def test_a_folder_with_its_own_code_is_loaded_only_when_trusted(tmp_path: Path) -> None:
    folder = save_hybrid(tmp_path / "hybrid")
    with pytest.raises(InputError, match=r"its own code \(modeling_tiny_hybrid\.py\).*trust_remote_code: true"):
        load_model(folder, "bfloat16")
    state = load_model(folder, "bfloat16", trust_remote_code=True).state_dict()
    weights = load_file(folder / "model.safetensors")
    assert {name.rpartition("self_attn.")[2] for name in weights if ".layers.0.self_attn" in name} == {
        f"{leaf}.weight" for leaf in ("q_proj", "k_proj", "v_proj", "o_proj", "o_gate")
    }
    assert {name.rpartition("self_attn.")[2] for name in weights if ".layers.1.self_attn" in name} == {
        f"{leaf}.weight"
        for leaf in ("q_proj", "k_proj", "v_proj", "o_proj", "z_proj", "q_norm", "k_norm", "o_norm")
    }
    assert all((state[name] == value).all() for name, value in weights.items())


def test_own_code_is_not_needed_where_transformers_knows_the_type(model: Path) -> None:
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(
        json.dumps({**config, "auto_map": {"AutoModelForCausalLM": "modeling_x.X"}})
    )
    assert load_model(model, "bfloat16").config.model_type == "llama"


def test_own_code_that_fails_is_one_line(tmp_path: Path) -> None:
    config = {"model_type": "of_nobody", "auto_map": {"AutoConfig": "configuration_x.XConfig"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "configuration_x.py").write_text("import a_package_that_nobody_has\n")
    with pytest.raises(InputError, match="a_package_that_nobody_has") as caught:
        load_model(tmp_path, "bfloat16", trust_remote_code=True)
    assert "\n" not in str(caught.value)
