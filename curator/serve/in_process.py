"""A transformers model in this process, BF16 reference or NVFP4 candidate, over the full vocabulary."""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import LogitsProcessor, LogitsProcessorList

from curator._errors import InputError
from curator.models.fingerprint import model_fingerprint
from curator.models.load import load_model
from curator.models.locate import model_note
from curator.recipe.quantize_methods import Scheme
from curator.serve.candidate import load_candidate
from curator.serve.draws import seeded_draws
from curator.serve.fp8_kv import plain_attention
from curator.serve.identity import PROBE_TEXT, architecture_of, ids_digest
from curator.serve.interface import Continuation, Dtype, Sampling, Scores, Window, batches
from curator.serve.log_normaliser import log_normaliser
from curator.serve.observed import Forcer, Recorder
from curator.serve.padded import pad
from curator.tokens.tokenizer import Tokenizer


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
        self.achieved: dict[int, int] = {}
        self.trusted = 0
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
        """Backend, versions, dtype, attention and what the model is; weights and scheme are recorded apart."""
        import transformers

        return {
            "backend": "transformers",
            "version": transformers.__version__,
            "torch": torch.__version__,
            "dtype": self._dtype,
            "device": torch.cuda.get_device_name() if self._device == "cuda" else "cpu",
            "attention": plain_attention(self._model),
            "architecture": architecture_of(self._model.config.to_dict()),
            **self._tokenizer_fact,
        }

    @cached_property
    def _tokenizer_fact(self) -> dict[str, str]:
        """What the folder's tokenizer makes of a fixed text; empty where it has none that we can use."""
        try:
            return {"tokenizer": ids_digest(Tokenizer(self._folder).encode(PROBE_TEXT))}
        except InputError:
            return {}

    def weights_probe(self) -> str:
        """A hash of the weight files' edges; see `model_fingerprint`."""
        return model_fingerprint(self._folder)

    @torch.inference_mode()
    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        sampling: Sampling,
        batch_size: int,
        *,
        limits: Sequence[int] | None = None,
        top_k: int = 0,
        keep: int = 0,
    ) -> Iterator[Continuation]:
        """Continuations with a KV cache, left-padded batches in the order of the prompts."""
        end = _end_ids(self._model)
        most = limits or [sampling.new_tokens] * len(prompts)
        for span in batches(len(prompts), batch_size):
            rows, own = [list(prompts[index]) for index in span], [most[index] for index in span]
            recorder = Recorder(own, [keep] * len(rows), end)
            steps = [recorder] if top_k else []
            output = self._decode(rows, own, [*steps, *seeded_draws(sampling, rows)], end)
            for row, ids in enumerate(output):
                ids = ids[: own[row]]
                stop = next((position for position, token in enumerate(ids) if token in end), None)
                new = tuple(ids if stop is None else ids[: stop + 1])
                scores = self._scores(recorder.logits(row), new[-keep:], top_k) if top_k else None
                yield Continuation(new, stop is not None, scores)

    def can_force(self) -> str | None:
        """Always."""
        return None

    @torch.inference_mode()
    def force(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Full-vocabulary logits and their top-K of windows that are decoded with a KV cache, left-padded."""
        for span in batches(len(windows), batch_size):
            own = [windows[index] for index in span]
            decoded = [window.ids[window.prompt :] for window in own]
            recorder = Recorder([len(ids) for ids in decoded], [window.scored for window in own], ())
            prompts = [list(window.ids[: window.prompt]) for window in own]
            self._decode(prompts, list(map(len, decoded)), [recorder, Forcer(decoded)], ())
            for row, window in enumerate(own):
                yield self._scores(recorder.logits(row), window.ids[window.start :], top_k)

    def batch_limit(self, lengths: Sequence[int], new_tokens: int) -> int:
        """Nothing but memory limits a batch here."""
        return sys.maxsize

    def _decode(
        self, prompts: list[list[int]], new: list[int], steps: list[LogitsProcessor], end: Collection[int]
    ) -> list[list[int]]:
        """The new ids of every row; behind its end token or its own most a row holds what is nobody's."""
        width = max(map(len, prompts))
        self._check(max(len(row) + own for row, own in zip(prompts, new, strict=True)))
        self._check(
            width + max(new),
            "a batch has the longest prompt and the longest answer of its own: lower --batch-size",
        )
        # The pad id is masked, so any id will do.
        ids = torch.tensor([[0] * (width - len(row)) + row for row in prompts], device=self._device)
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in prompts], device=self._device)
        output = self._model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=max(new),
            do_sample=False,
            pad_token_id=0,
            # No token has this id. ``None`` would be filled in from the model's settings.
            eos_token_id=sorted(end) or [2**31 - 1],
            logits_processor=LogitsProcessorList(steps),
        )
        decoded: list[list[int]] = output[:, width:].tolist()
        return decoded

    @torch.inference_mode()
    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        """Full-vocabulary logits and their top-K for each window."""
        for span in batches(len(windows), batch_size):
            own = [windows[index] for index in span]
            batch = pad(own, self._device)
            self._check(batch.ids.shape[1])
            logits = self._model(input_ids=batch.ids, logits_to_keep=batch.keep, use_cache=False).logits
            for row, (window, kept) in enumerate(zip(own, batch.rows, strict=True)):
                yield self._scores(logits[row, kept].float(), window.ids[window.start :], top_k)

    def _scores(self, logits: Tensor, tokens: Sequence[int], top_k: int) -> Scores:
        normaliser = log_normaliser(logits)
        if not normaliser.isfinite().all():
            # Now, not after hours of work with the other model.
            raise InputError(f"{self._folder}: its logits are not numbers; that model is broken")
        top = torch.topk(logits, min(top_k, logits.shape[-1]), dim=-1)
        own = torch.tensor(tokens, device=logits.device)[:, None]
        return Scores(
            top_ids=top.indices.int().cpu().numpy(),
            top_logprobs=(top.values - normaliser).float().cpu().numpy(),
            chosen=(logits.gather(-1, own) - normaliser)[:, 0].float().cpu().numpy(),
            logits=logits.cpu().numpy(),
        )

    @property
    def model(self) -> Any:
        """The loaded model."""
        return self._model

    def longest(self) -> int | None:
        """Positions that the model has."""
        limit: int | None = getattr(self._model.config, "max_position_embeddings", None)
        return limit

    def _check(self, length: int, advice: str = "shorten the prompts or lower the number of new tokens") -> None:
        limit = self.longest()
        if limit is not None and length > limit:
            raise InputError(f"{length} tokens, but the model {self._folder} has {limit} positions; {advice}")

    def close(self) -> None:
        """Free the weights."""
        self._model = None
        gc.collect()


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
