"""A transformers model in this process, BF16 reference or NVFP4 candidate, over the full vocabulary."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from curator._errors import InputError
from curator.models.load import load_model
from curator.models.locate import model_note
from curator.quantize.checkpoint import Tensors, dequantized, linear_names, quantization_config, stored_scheme
from curator.quantize.e2m1 import quantize_activation
from curator.quantize.methods import Scheme
from curator.serve.draws import seeded_draws
from curator.serve.interface import Continuation, Dtype, Sampling, Scores, Window, batches


class InProcess:
    """A causal language model evaluated here.

    NVFP4 weights are unpacked by our own arithmetic. Under ``W4A4`` the input of every packed linear is
    quantised as the stored activation scale says; under ``W4A16`` it is left alone.

    Args:
        folder: a plain transformers folder, or an NVFP4 checkpoint when ``scheme`` is given.
        scheme: ``None`` for the reference.
        dtype: compute type. The BF16 weights of a reference are exact in float32.

    Raises:
        InputError: the folder cannot be loaded, or ``W4A4`` is asked of a weight-only checkpoint.
    """

    def __init__(self, folder: Path, scheme: Scheme | None = None, dtype: Dtype = "float32") -> None:
        note = model_note(folder) if scheme is None else ""
        self.notes: list[str] = [note] if note else []
        self._folder = folder
        self._scheme = scheme
        self._dtype = dtype
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model = load_model(folder, dtype) if scheme is None else _candidate(folder, scheme, dtype)
        self._model: Any = model.to(device).eval()
        self._model.generation_config = _greedy(folder, model)
        self._device = device

    def facts(self) -> dict[str, str]:
        """Backend, versions, dtype and attention; weights and scheme are recorded apart."""
        import transformers

        return {
            "backend": "transformers",
            "version": transformers.__version__,
            "torch": torch.__version__,
            "dtype": self._dtype,
            "device": torch.cuda.get_device_name() if self._device == "cuda" else "cpu",
            "attention": str(self._model.config._attn_implementation),
        }

    @torch.inference_mode()
    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, batch_size: int
    ) -> Iterator[Continuation]:
        """Continuations with a KV cache, left-padded batches in the order of the prompts."""
        end = _end_ids(self._model)
        for span in batches(len(prompts), batch_size):
            rows = [list(prompts[index]) for index in span]
            width = max(map(len, rows))
            self._check(width + sampling.new_tokens)
            # The pad id is masked, so any id will do.
            ids = torch.tensor([[0] * (width - len(row)) + row for row in rows], device=self._device)
            mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=self._device)
            output = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                max_new_tokens=sampling.new_tokens,
                do_sample=False,
                pad_token_id=0,
                logits_processor=seeded_draws(sampling, rows),
            )
            for row in output[:, width:].tolist():
                stop = next((position for position, token in enumerate(row) if token in end), None)
                yield Continuation(tuple(row if stop is None else row[: stop + 1]), stop is not None)

    @torch.inference_mode()
    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Full-vocabulary logits and their top-K for each window.

        Right padding and no mask: under causal attention a real token never sees the padding behind it.
        """
        for span in batches(len(windows), batch_size):
            batch = [windows[index] for index in span]
            width = max(len(window.ids) for window in batch)
            self._check(width)
            ids = torch.tensor([list(w.ids) + [0] * (width - len(w.ids)) for w in batch], device=self._device)
            # The row before a token holds the distribution it was predicted from.
            first = min(window.start for window in batch) - 1
            keep = torch.arange(first, width - 1, device=self._device)
            logits = self._model(input_ids=ids, logits_to_keep=keep, use_cache=False).logits
            for row, window in enumerate(batch):
                begin = window.start - 1 - first
                yield _scores(logits[row, begin : begin + window.scored].float(), window, top_k)

    def longest(self) -> int | None:
        """Positions that the model has."""
        limit: int | None = getattr(self._model.config, "max_position_embeddings", None)
        return limit

    def _check(self, length: int) -> None:
        limit = self.longest()
        if limit is not None and length > limit:
            raise InputError(
                f"{length} tokens, but the model {self._folder} has {limit} positions; "
                "shorten the prompts or lower the number of new tokens"
            )

    def close(self) -> None:
        """Free the weights."""
        self._model = None
        gc.collect()


def _scores(logits: Tensor, window: Window, top_k: int) -> Scores:
    normaliser = torch.logsumexp(logits.double(), dim=-1, keepdim=True)
    top = torch.topk(logits, min(top_k, logits.shape[-1]), dim=-1)
    own = torch.tensor(window.ids[window.start :], device=logits.device)[:, None]
    return Scores(
        top_ids=top.indices.int().cpu().numpy(),
        top_logprobs=(top.values - normaliser).float().cpu().numpy(),
        chosen=(logits.gather(-1, own) - normaliser)[:, 0].float().cpu().numpy(),
        logits=logits.cpu().numpy(),
    )


def _greedy(folder: Path, model: Any) -> Any:
    """A generation config with the folder's end tokens and nothing else.

    Many models ship a repetition penalty or a forced token in theirs: that is not greedy decoding.
    """
    from transformers import GenerationConfig

    end = None
    if (folder / "generation_config.json").is_file():
        end = GenerationConfig.from_pretrained(folder).eos_token_id
    return GenerationConfig(eos_token_id=model.config.eos_token_id if end is None else end, pad_token_id=0)


def _end_ids(model: Any) -> set[int]:
    end = model.generation_config.eos_token_id
    return set() if end is None else {end} if isinstance(end, int) else set(end)


def _candidate(folder: Path, scheme: Scheme, dtype: Dtype) -> nn.Module:
    from transformers import AutoConfig, AutoModelForCausalLM

    stored = stored_scheme(quantization_config(folder))
    if scheme == "W4A4" and stored == "W4A16":
        raise InputError(f"{folder}: a weight-only checkpoint (no activation scales) cannot be measured as W4A4")
    config = AutoConfig.from_pretrained(folder)
    del config.quantization_config
    compute = getattr(torch, dtype)
    scales: dict[str, Tensor] = {}
    weights: dict[str, Tensor] = {}
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        packed = set(linear_names(tensors))
        for name in tensors:
            module, _, leaf = name.rpartition(".")
            if module not in packed or leaf == "bias":
                weights[name] = tensors[name].to(compute)
            elif leaf == "input_global_scale":
                scales[module] = tensors[name].to(torch.float32)
        weights |= {f"{module}.weight": dequantized(tensors, module).to(compute) for module in packed}
    model: nn.Module = AutoModelForCausalLM.from_config(config, dtype=compute)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    model.tie_weights()  # type: ignore[operator]
    tied = bool(getattr(config, "tie_word_embeddings", False))
    wrong = [name for name in missing if not (tied and name.startswith("lm_head"))] + list(unexpected)
    if wrong:
        raise InputError(f"{folder}: the checkpoint does not fit its config.json: {', '.join(wrong[:5])}")
    if scheme == "W4A4":
        unscaled = sorted(packed - scales.keys())
        if unscaled:
            raise InputError(f"{folder}: {unscaled[0]} has no input_global_scale; W4A4 cannot be measured")
        _quantize_inputs(model, scales)
    return model


def _quantize_inputs(model: nn.Module, scales: dict[str, Tensor]) -> None:
    """Quantise the input of every linear that has an activation scale, each time it runs."""
    for name, scale in scales.items():
        module = model.get_submodule(name)
        module.register_buffer("input_global_scale", scale, persistent=False)
        module.register_forward_pre_hook(_quantize_input)


def _quantize_input(module: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    scale: Any = module.input_global_scale
    return (quantize_activation(arguments[0], scale), *arguments[1:])
