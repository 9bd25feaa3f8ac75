"""What runs in process of a checkpoint, layer by layer, against a layer computed by hand from the stored bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_checkpoints import DOWN, HIDDEN, INNER, Made, Q, linear_modules, make, plain_weights
from nvfp4_reference import E4M3, Float64, decoded, nearest, reference
from torch import Tensor

from curator.serve.in_process import InProcess
from curator.serve.interface import Window

SIZES = {
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "head_dim": 16,
    "vocab_size": 32,
}
WINDOWS = [Window(tuple((7 * i + 3 * j * j) % 32 for j in range(20)), 4) for i in range(3)]
NORMS = ("input_layernorm", "post_attention_layernorm")


def runnable(made: Made) -> Made:
    """With what a model needs beside its linears; a norm gives some channels large outliers."""
    made.config |= SIZES
    for norm in NORMS:
        weight = torch.ones(HIDDEN)
        weight[[3, 40]] = 500.0
        made.tensors[f"model.layers.0.{norm}.weight"] = weight
    return made


def per_channel(made: Made) -> Made:
    """FP8 with a scale an output channel, and a scale a token that nobody stores."""
    weight = plain_weights()[f"{DOWN}.weight"].float()
    scale = weight.abs().amax(-1, keepdim=True) / 448
    made.tensors |= {f"{DOWN}.weight": (weight / scale).to(torch.float8_e4m3fn), f"{DOWN}.weight_scale": scale}
    del made.tensors[f"{DOWN}.input_scale"]
    group = next(group for group in made.own["config_groups"].values() if group["weights"]["num_bits"] == 8)
    group["weights"] = {**group["weights"], "strategy": "channel"}
    group["input_activations"] = {**group["input_activations"], "strategy": "token", "dynamic": True}
    return made


def by_hand(made: Made, module: str, x: Tensor) -> tuple[Float64, Float64]:
    """A layer's output, and how far rounding near ties may move it."""
    stored = {name.rpartition(".")[2]: one for name, one in made.tensors.items() if name.startswith(f"{module}.")}
    rows = x.double().numpy()
    if "weight_scale" not in stored:
        return rows @ stored["weight"].double().numpy().T, np.zeros(1)
    if stored["weight"].dtype == torch.float8_e4m3fn if "weight" in stored else False:
        bits = stored["weight"].view(torch.uint8).numpy()
        weight = np.where(bits & 128, -1, 1) * E4M3[bits & 127] * stored["weight_scale"].double().numpy()
        if "input_scale" in stored:
            scale = np.full((len(rows), 1), float(stored["input_scale"]))
        else:
            scale = np.abs(rows).max(-1, keepdims=True) / 448
        values, unsure = nearest(E4M3, rows / scale)
        quantised = values * scale
    else:
        divisor = (
            1 / float(stored["weight_scale_2"])
            if "weight_scale_2" in stored
            else float(stored["weight_global_scale"])
        )
        packed = stored.get("weight_packed", stored.get("weight"))
        assert packed is not None
        weight = decoded(packed, stored["weight_scale"], divisor)
        given = (
            1 / float(stored["input_scale"]) if "input_scale" in stored else float(stored["input_global_scale"])
        )
        quantised, unsure = reference(x, given)
    return quantised @ weight.T, (np.abs(rows) * unsure) @ np.abs(weight.T)


@pytest.mark.parametrize("kind", ["compressed-tensors", "modelopt", "per channel"])
def test_every_layer_computes_what_its_bits_and_scales_say(kind: str, tmp_path: Path) -> None:
    layout = "modelopt" if kind == "modelopt" else "compressed-tensors"
    made = runnable(make(layout, fp8=(DOWN,), bf16=("model.layers.0.self_attn.o_proj",)))
    if kind == "per channel":
        made = per_channel(made)
    server = InProcess(made.write(tmp_path / "checkpoint"), "W4A4")
    seen: dict[str, tuple[Tensor, Tensor]] = {}
    given: dict[str, Tensor] = {}

    def watch(name: str) -> None:
        module = server.model.get_submodule(name)
        # Before the input is quantised, and the output that comes of it.
        module.register_forward_pre_hook(
            lambda _module, arguments: given.update({name: arguments[0].flatten(0, -2)}), prepend=True
        )
        module.register_forward_hook(
            lambda _module, _arguments, output: seen.update({name: (given[name], output.flatten(0, -2))})
        )

    names = linear_modules(plain_weights())
    for name in names:
        watch(name)
    list(server.score(WINDOWS, 4, 3))
    assert len(seen) == 7
    assert seen[Q][0].abs().max() > 300
    for name in names:
        x, output = seen[name]
        expected, slack = by_hand(made, name, x)
        error = np.abs(output.double().numpy() - expected)
        assert (error <= 1e-5 * np.abs(expected).max() + slack).all(), name
        assert np.mean(slack) < 0.02 * np.abs(expected).max()
        if not name.endswith("o_proj"):
            plain: Any = x.double().numpy() @ plain_weights()[f"{name}.weight"].double().numpy().T
            assert np.abs(plain - expected).max() > 1e-3 * np.abs(expected).max()


@pytest.mark.parametrize("layout", ["compressed-tensors", "modelopt"])
@torch.inference_mode()
def test_keys_and_values_are_rounded_by_the_stored_scales(layout: str, tmp_path: Path) -> None:
    plain, made = (runnable(make(layout, activations=False, kv=kv)) for kv in (False, True))
    servers = [InProcess(one.write(tmp_path / name), "W4A16") for name, one in (("plain", plain), ("kv", made))]
    layer = servers[0].model.model.layers[0].self_attn
    root = "model.layers.0.self_attn"
    names = ("k_scale", "v_scale") if layout == "compressed-tensors" else ("k_proj.k_scale", "v_proj.v_scale")
    scales = [float(made.tensors[f"{root}.{name}"]) for name in names]

    def rounded(x: Tensor, scale: float) -> Tensor:
        return torch.tensor(nearest(E4M3, x.double().numpy() / scale)[0] * scale, dtype=torch.float32)

    # The unquantised layer, computed by hand with keys rounded after their rotation.
    seen: dict[str, Any] = {}
    layer.register_forward_pre_hook(lambda _module, _args, named: seen.update(named), with_kwargs=True)
    for server in servers:
        server.model.model.layers[0].self_attn.register_forward_hook(
            lambda _module, _args, output, server=server: seen.update({str(id(server)): output[0]})
        )
        list(server.score(WINDOWS[:1], 4, 1))
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    query, key, value = (
        getattr(layer, f"{leaf}_proj")(seen["hidden_states"]).reshape(1, -1, 4, 16).transpose(1, 2)
        for leaf in "qkv"
    )
    query, key = apply_rotary_pos_emb(query, key, *seen["position_embeddings"])
    key, value = rounded(key.detach(), scales[0]), rounded(value.detach(), scales[1])
    heads = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    expected = layer.o_proj(heads.transpose(1, 2).flatten(2))
    torch.testing.assert_close(seen[str(id(servers[1]))], expected, rtol=1e-4, atol=1e-4)
    assert not torch.allclose(seen[str(id(servers[0]))], expected, rtol=1e-3, atol=1e-3)
    assert servers[0].facts() == servers[1].facts()
    assert not servers[0].notes
    assert "rounded to FP8" in servers[1].notes[0]
