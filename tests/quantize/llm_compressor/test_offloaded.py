"""What is written into a model after calibration stays there when its modules are offloaded, as on every GPU."""

from __future__ import annotations

import pytest
import torch
from compressed_tensors.offload import offload_module
from compressed_tensors.offload.cache import CPUCache
from torch import nn

from curator.quantize.audit.unseen import fill_unseen
from curator.quantize.kv_headroom import widen_scales
from curator.quantize.llm_compressor.quantize import _finish
from curator.recipe.quantize_settings import QuantizeSettings


@pytest.fixture(autouse=True)
def _copies(monkeypatch: pytest.MonkeyPatch) -> None:
    # A GPU is sent a copy of each parameter; between two names of the CPU there would be none.
    def copy(_: CPUCache, value: torch.Tensor | None) -> torch.Tensor | None:
        return None if value is None else nn.Parameter(value.detach().clone(), requires_grad=False)

    monkeypatch.setattr(CPUCache, "onload", copy)


def _with(**scales: float) -> nn.Linear:
    module = nn.Linear(2, 2, bias=False)
    for name, value in scales.items():
        module.register_parameter(name, nn.Parameter(torch.tensor([value]), requires_grad=False))
    return module


def _offloaded(module: nn.Module) -> nn.Module:
    for part in module.modules():
        offload_module(part, "cpu", "cpu")
    return module


def test_a_checkpoint_without_data_has_activation_scale_one() -> None:
    model = _offloaded(nn.Sequential(_with(input_global_scale=512.0)))
    _finish(model, QuantizeSettings(method="rtn"))
    assert model[0].input_global_scale.tolist() == [1.0]


@pytest.mark.parametrize("offload", [True, False])
def test_scales_of_a_cache_are_twice_as_wide(offload: bool) -> None:
    model = nn.Sequential(_with(k_scale=0.25, v_scale=3.0))
    widen_scales(_offloaded(model) if offload else model)
    assert [model[0].k_scale.item(), model[0].v_scale.item()] == [0.5, 6.0]


def test_an_expert_without_tokens_has_the_widest_scale_of_the_others() -> None:
    experts = nn.ModuleList(nn.ModuleDict({"up": _with(input_global_scale=scale)}) for scale in (9.0, 4.0, 7.0))
    model = nn.ModuleDict({"mlp": nn.ModuleDict({"experts": experts})})
    _offloaded(model)
    fill_unseen(model, {"layers": [{"name": "mlp.experts", "tokens": [0, 5, 6], "fused": False}]})
    # A divisor: the least is the widest.
    assert [expert["up"].input_global_scale.item() for expert in experts] == [4.0, 4.0, 7.0]
