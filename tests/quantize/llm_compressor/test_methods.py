"""Every method once, with two sets: a whole checkpoint, and exactly what we say that data changes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from runs import SETS, changed_leaves, hashes, run, tensors_of
from tiny_models.moe import save_moe

from curator._errors import InputError, RefusedError
from curator.quantize.audit.watch import refusal_in
from curator.quantize.checkpoint import check_checkpoint
from curator.recipe.all_methods import METHODS
from curator.recipe.quantize_methods import Scheme
from curator.recipe.quantize_settings import QuantizeSettings

# The library warns of much that it does itself.
pytestmark = pytest.mark.filterwarnings("ignore")

SCALES = {"input_global_scale"}
ROUNDED = {"weight_packed"}
# A norm's weight, and with the weights their scales.
FOLDED = {"weight", "weight_packed", "weight_scale", "weight_global_scale"}
CHANGES: dict[tuple[str, Scheme], set[str]] = {
    ("gptq", "W4A4"): ROUNDED | SCALES,
    ("gptq", "W4A16"): ROUNDED,
    ("max", "W4A4"): SCALES,
    ("rtn", "W4A4"): set(),
    ("rtn", "W4A16"): set(),
    ("awq", "W4A4"): FOLDED | SCALES,
    ("awq", "W4A16"): FOLDED,
    ("awq-gptq", "W4A4"): FOLDED | SCALES,
    ("awq-gptq", "W4A16"): FOLDED,
    ("smoothquant", "W4A4"): FOLDED | SCALES,
    ("smoothquant", "W4A16"): FOLDED,
    ("smoothquant-gptq", "W4A4"): FOLDED | SCALES,
    ("smoothquant-gptq", "W4A16"): FOLDED,
    ("spinquant", "W4A4"): SCALES,
    ("spinquant", "W4A16"): set(),
    ("spinquant-gptq", "W4A4"): ROUNDED | SCALES,
    ("spinquant-gptq", "W4A16"): ROUNDED,
}


def test_every_method_of_the_library_is_in_the_table_above() -> None:
    ours = [name for name, method in METHODS.items() if method.library == "llm-compressor"]
    assert set(CHANGES) | {("max", "W4A16")} == {(name, scheme) for name in ours for scheme in ("W4A4", "W4A16")}


@pytest.mark.parametrize(("method", "scheme"), CHANGES)
def test_a_set_changes_what_is_said(tiny_model: Path, tmp_path: Path, method: str, scheme: Scheme) -> None:
    quick = {"grid": 3} if method.startswith("awq") else {}
    for name, rows in SETS.items():
        run(tiny_model, tmp_path / name, rows, method=method, scheme=scheme, **quick)
    changed = changed_leaves(tmp_path / "a", tmp_path / "b")
    assert changed == CHANGES[method, scheme]
    said = QuantizeSettings.model_validate({"method": method, "scheme": scheme}).data_acts
    assert said == ("weights" if "weight_packed" in changed else "activation-scales" if changed else "nothing")
    report = check_checkpoint(tmp_path / "a", asked=scheme)
    assert report.linears == 14
    with_scale = {name for name in hashes(tmp_path / "a") if name.endswith("input_global_scale")}
    assert len(with_scale) == (14 if scheme == "W4A4" else 0)


@pytest.mark.parametrize(("method", "observer"), [("max", "imatrix"), ("gptq", "imatrix"), ("max", "mse")])
def test_an_observer_that_looks_at_inputs_lets_data_act(
    tiny_model: Path, tmp_path: Path, method: str, observer: str
) -> None:
    for name, rows in SETS.items():
        run(tiny_model, tmp_path / name, rows, method=method, observer=observer, scheme="W4A4")
    changed = changed_leaves(tmp_path / "a", tmp_path / "b")
    said = QuantizeSettings.model_validate({"method": method, "observer": observer}).data_acts
    assert (said == "weights") == ("weight_scale" in changed) == (observer == "imatrix")


def test_each_option_changes_the_weights(tiny_model: Path, tmp_path: Path) -> None:
    """An option that reached no modifier would leave the bytes as they are."""
    runs = {
        "gptq": {"method": "gptq"},
        "damping": {"method": "gptq", "damping": 0.5},
        "order": {"method": "gptq", "order": "none"},
        "mse": {"method": "gptq", "observer": "mse"},
        "awq": {"method": "awq", "grid": 4},
        "grid": {"method": "awq", "grid": 3},
        "duo": {"method": "awq", "grid": 4, "duo_scaling": False},
        "smoothquant": {"method": "smoothquant"},
        "smoothing": {"method": "smoothquant", "smoothing": 0.8},
        "random-hadamard": {"method": "spinquant"},
        "hadamard": {"method": "spinquant", "rotation": "hadamard"},
    }
    weights = {}
    for name, settings in runs.items():
        run(tiny_model, tmp_path / name, **settings)
        found = hashes(tmp_path / name)
        weights[name] = tuple(found[key] for key in found if key.endswith("weight_packed"))
    assert len(set(weights.values())) == len(runs)


@pytest.mark.parametrize("method", ["gptq", "awq-gptq"])
def test_twice_the_same_set_gives_the_same_bytes(tiny_model: Path, tmp_path: Path, method: str) -> None:
    for name in ("one", "two"):
        torch.manual_seed(len(name))
        run(tiny_model, tmp_path / name, method=method, **({"grid": 3} if "awq" in method else {}))
        torch.rand(3)
    assert (tmp_path / "one/model.safetensors").read_bytes() == (tmp_path / "two/model.safetensors").read_bytes()


def test_rotations_are_in_the_weights_and_nowhere_else(tiny_model: Path, tmp_path: Path) -> None:
    from transformers import AutoConfig

    from curator.serve.in_process import InProcess
    from curator.serve.interface import Window

    run(tiny_model, tmp_path / "out", method="spinquant", scheme="W4A16")
    config = AutoConfig.from_pretrained(tmp_path / "out")
    assert not config.quantization_config.get("transform_config")
    made = tensors_of(tmp_path / "out")
    # Both tables are turned alike, and the last norm of this model has weights of 1, so they are one again.
    assert config.tie_word_embeddings is ("lm_head.weight" not in made)
    assert not torch.equal(made["model.embed_tokens.weight"], tensors_of(tiny_model)["model.embed_tokens.weight"])
    assert bool((made["model.norm.weight"] == 1).all())
    # The function is the same: what is left is the error of four bits, not that of a half-made rotation.
    window = Window(tuple(SETS["a"][0]), 1)
    (ours,) = InProcess(tmp_path / "out", "W4A16").score([window], 1, 1)
    (theirs,) = InProcess(tiny_model).score([window], 1, 1)
    assert ours.logits is not None
    assert theirs.logits is not None
    one, other = (torch.log_softmax(torch.tensor(scores.logits), -1) for scores in (theirs, ours))
    assert 0.01 < float((one.exp() * (one - other)).sum(-1).mean()) < 1


def test_what_cannot_be_rotated_or_scaled_is_told(tiny_model: Path, tmp_path: Path) -> None:
    from curator.quantize.llm_compressor.balance import scales_folded

    model = torch.nn.Sequential(torch.nn.RMSNorm(8), torch.nn.Linear(8, 8))
    with pytest.raises(RefusedError, match="awq scaled nothing in Sequential"), scales_folded(model, "awq"):
        model[1].weight.data.add_(1)
    with scales_folded(model, "awq"):
        model[0].weight.data.mul_(2)
    folder = save_moe(tmp_path / "moe", "mixtral", unseen=False)
    with pytest.raises((RefusedError, RuntimeError)) as caught:
        # The router is not turned along with the rest.
        run(folder, tmp_path / "turned", [[at * at % 250 for at in range(99)]], method="spinquant")
    assert "rotations do not fit MixtralForCausalLM" in str(refusal_in(caught.value))
    with pytest.raises(InputError, match=r"rotation hadamard does not fit .* random-hadamard, or another"):
        _rotate_width_96(tiny_model, tmp_path)


def _rotate_width_96(tiny_model: Path, tmp_path: Path) -> None:
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(vocab_size=300, hidden_size=96, intermediate_size=64, num_hidden_layers=1)
    config.num_attention_heads = config.num_key_value_heads = 2
    config.head_dim = 48
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(tmp_path / "wide")
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(tmp_path / "wide")
    run(tmp_path / "wide", tmp_path / "out", method="spinquant", rotation="hadamard")
