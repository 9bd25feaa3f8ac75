"""That the traced graph is the model, for kinds whose causal mask the library loses."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tiny_models.moe import tiny_moe
from transformers import AutoConfig, AutoModelForCausalLM

from curator.adapters.tensors import tensor_batches
from curator.quantize.llm_compressor import tracing
from curator.quantize.llm_compressor.mends import mend_library
from curator.quantize.llm_compressor.tracing import Untraceable, trace

pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = [[(5 * row + at * at) % 250 for at in range(20)] for row in range(2)]


def tiny(kind: str) -> Any:
    torch.manual_seed(2)
    config = AutoConfig.for_model(kind, vocab_size=258, hidden_size=32, intermediate_size=32, num_hidden_layers=2)
    config.num_attention_heads = config.num_key_value_heads = 2
    config.head_dim, config.pad_token_id = 16, 0
    return AutoModelForCausalLM.from_config(config).eval()


@pytest.mark.parametrize("kind", ["llama", "mistral", "phi3", "qwen3", "gemma3_text"])
def test_a_graph_keeps_the_causal_mask(kind: str) -> None:
    assert len(trace(tiny(kind), tensor_batches(ROWS, 1))) == 3


@pytest.mark.parametrize("kind", ["mixtral", "qwen3_moe"])
def test_so_does_that_of_a_mixture_of_experts(kind: str) -> None:
    from llmcompressor.modeling.moe.linearize import linearize_moe

    model = tiny_moe(kind).eval()
    linearize_moe(model)
    assert len(trace(model, tensor_batches(ROWS, 1))) == 3


def test_a_graph_without_it_would_not_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of one length are looked at too."""
    monkeypatch.setattr(tracing, "keep_masks", lambda _subgraphs: None)
    with pytest.raises(Untraceable, match="other results than the model on rows of 20 tokens"):
        trace(tiny("mistral"), tensor_batches(ROWS, 1))


def test_inputs_of_four_dimensions_are_compared_by_their_widest_value() -> None:
    from compressed_tensors.quantization import preset_name_to_scheme
    from llmcompressor.observers import Observer

    mend_library()
    arguments = preset_name_to_scheme("NVFP4", ["Linear"]).input_activations
    observer = Observer.load_from_registry("static_minmax", base_name="input", args=arguments)
    for length, widest in ((21, 3.0), (20, 5.0)):
        seen = torch.ones(1, 1, length, 32)
        seen[0, 0, 3, 7] = widest
        observer(seen)
    assert float(observer.get_qparams()["global_scale"]) == pytest.approx(2688 / 5, rel=2**-8)
