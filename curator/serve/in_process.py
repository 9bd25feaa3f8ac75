"""A transformers model in this process, BF16 reference or NVFP4 candidate, over the full vocabulary."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from curator._errors import InputError
from curator.models.load import load_model
from curator.models.locate import model_note
from curator.recipe.quantize_methods import Scheme
from curator.serve.candidate import load_candidate
from curator.serve.draws import seeded_draws
from curator.serve.fp8_kv import plain_attention
from curator.serve.interface import Continuation, Dtype, Sampling, Scores, Window, batches
from curator.serve.padded import pad


class InProcess:
    """A causal language model evaluated here.

    Quantised weights are unpacked by our own arithmetic. Under ``W4A4`` the input of every quantised linear is
    quantised as its stored scale says (fake_quant.py); under ``W4A16`` it is left alone. Keys and values are in
    FP8 where the checkpoint has them so.

    Args:
        folder: a plain transformers folder, or an NVFP4 checkpoint when ``scheme`` is given.
        scheme: ``None`` for the reference.
        dtype: compute type. The BF16 weights of a reference are exact in float32.
        trust_remote_code: run the Python files that the folder brings.

    Raises:
        InputError: the folder cannot be loaded, or ``W4A4`` is asked of a weight-only checkpoint.
    """

    def __init__(
        self,
        folder: Path,
        scheme: Scheme | None = None,
        dtype: Dtype = "float32",
        trust_remote_code: bool = False,
    ) -> None:
        note = model_note(folder) if scheme is None else ""
        self.notes: list[str] = [note] if note else []
        self._folder = folder
        self._scheme = scheme
        self._dtype = dtype
        device = "cuda" if torch.cuda.is_available() else "cpu"
        if scheme is None:
            model = load_model(folder, dtype, trust_remote_code)
        else:
            model = load_candidate(folder, scheme, dtype, self.notes, trust_remote_code)
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
            "attention": plain_attention(self._model),
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
        """Full-vocabulary logits and their top-K for each window."""
        for span in batches(len(windows), batch_size):
            own = [windows[index] for index in span]
            batch = pad(own, self._device)
            self._check(batch.ids.shape[1])
            logits = self._model(input_ids=batch.ids, logits_to_keep=batch.keep, use_cache=False).logits
            for row, (window, kept) in enumerate(zip(own, batch.rows, strict=True)):
                yield _scores(logits[row, kept].float(), window, top_k)

    @property
    def model(self) -> Any:
        """The loaded model."""
        return self._model

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

    # A model's own class of config may not speak of it.
    end = getattr(model.config, "eos_token_id", None)
    if (folder / "generation_config.json").is_file():
        told = GenerationConfig.from_pretrained(folder).eos_token_id
        end = end if told is None else told
    return GenerationConfig(eos_token_id=end, pad_token_id=0)


def _end_ids(model: Any) -> set[int]:
    end = model.generation_config.eos_token_id
    return set() if end is None else {end} if isinstance(end, int) else set(end)
