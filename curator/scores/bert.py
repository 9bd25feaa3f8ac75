"""Sentence vectors of a BERT on a CPU, without padding and without the library of the model.

The forward pass is that of J. Devlin et al. (BERT, 2019), with the mean of a sentence's tokens as in N. Reimers
and I. Gurevych (Sentence-BERT, 2019). Beside each other, sentences are padded to the longest: of a text's 20
sentences, in batches of 8, more than a third of what is computed is padding. Here the tokens of all sentences lie
end to end in one matrix, which every product takes as it is, and only attention takes sentences of one length at a
time. Vectors are those of sentence-transformers but for the last bits. Only torch, the weights and the tokenizer
are loaded.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

Vectors = NDArray[np.float32]
_WEIGHTS, _TOKENIZER = "model.safetensors", "tokenizer.json"
# Tokens that go through the layers together: what lies between two layers stays near the processor's caches, and
# memory does not grow with the text.
_TOGETHER = 1024
_MODULES = [
    ["Transformer", "Pooling"],
    ["Transformer", "Pooling", "Normalize"],
]
# What else a configuration may ask for that is not computed here, and what it says where it does not.
_PLAIN: Mapping[str, Any] = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "embedding_size": None,
    "dtype": "float32",
    "torch_dtype": "float32",
}
_PLAIN_SENTENCES: Mapping[str, Any] = {"do_lower_case": False, "transformer_task": "feature-extraction"}


def is_plain_bert(folder: Path) -> bool:
    """Whether the model in a folder is what `Bert` computes: a BERT, the mean of its tokens, and nothing else."""
    try:
        modules = [str(module["type"]).rsplit(".", 1)[-1] for module in _json(folder / "modules.json")]
        config, sentences = _json(folder / "config.json"), _json(folder / "sentence_bert_config.json")
        return (
            modules in _MODULES
            and all(config.get(name, usual) == usual for name, usual in _PLAIN.items())
            and all(sentences.get(name, usual) == usual for name, usual in _PLAIN_SENTENCES.items())
            and 0 < _most_tokens(folder) <= int(config["max_position_embeddings"])
            and _only_mean(_json(folder / "1_Pooling" / "config.json"))
            and not _json(folder / "config_sentence_transformers.json").get("default_prompt_name")
            and (folder / _WEIGHTS).is_file()
            and (folder / _TOKENIZER).is_file()
        )
    # A folder of another layout, or of none.
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


class Bert:
    """A model on the CPU.

    Args:
        folder: one of which `is_plain_bert` holds.

    Attributes:
        max_tokens: how many tokens of a sentence are read.
    """

    def __init__(self, folder: Path) -> None:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        config = _json(folder / "config.json")
        self.max_tokens = _most_tokens(folder)
        self._reading = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._reading.no_padding()
        self._reading.enable_truncation(self.max_tokens)
        self._counting = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._counting.no_padding()
        self._counting.no_truncation()
        weights = {
            name.removeprefix("bert."): value.float() for name, value in load_file(folder / _WEIGHTS).items()
        }
        self._words: Tensor = weights["embeddings.word_embeddings.weight"]
        self._positions: Tensor = weights["embeddings.position_embeddings.weight"]
        self._type: Tensor = weights["embeddings.token_type_embeddings.weight"][0]
        self._eps = float(config["layer_norm_eps"])
        self._norm = _norm(weights, "embeddings.LayerNorm")
        self._layers = [
            _Layer(weights, f"encoder.layer.{number}", config["num_attention_heads"], self._eps)
            for number in range(config["num_hidden_layers"])
        ]

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Unit vectors float32 [n, d]; what the model maps to zero stays zero."""
        import torch

        ids = [one.ids for one in self._reading.encode_batch(list(sentences))]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        vectors = torch.zeros(len(ids), self._words.shape[1])
        with torch.inference_mode():
            for part in _parts(order, ids):
                vectors[part] = self._means([ids[at] for at in part])
            found: Vectors = torch.nn.functional.normalize(vectors, dim=1).numpy()
        return found

    def count(self, sentences: Sequence[str]) -> list[int]:
        """How many tokens each sentence has, read or not."""
        return [len(one.ids) for one in self._counting.encode_batch(list(sentences))]

    def _means(self, ids: Sequence[list[int]]) -> Tensor:
        """Means over the tokens of sentences [n, d], given in the order of their lengths."""
        import torch
        from torch.nn.functional import layer_norm

        groups = _groups([len(one) for one in ids])
        tokens = torch.tensor(list(itertools.chain.from_iterable(ids)))
        places = torch.cat([torch.arange(len(one)) for one in ids])
        states = self._words[tokens] + self._type + self._positions[places]
        states = layer_norm(states, states.shape[1:], *self._norm, self._eps)
        for layer in self._layers:
            states = layer(states, groups)
        rows = [states[start:end].view(-1, length, states.shape[1]).mean(1) for start, end, length in groups]
        return torch.cat(rows)


class _Layer:
    def __init__(self, weights: Mapping[str, Tensor], name: str, heads: int, eps: float) -> None:
        import torch

        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        self._asked = torch.cat([weights[f"{part}.weight"] for part in parts])
        self._asked_bias = torch.cat([weights[f"{part}.bias"] for part in parts])
        self._joined = _dense(weights, f"{name}.attention.output.dense")
        self._wide = _dense(weights, f"{name}.intermediate.dense")
        self._narrow = _dense(weights, f"{name}.output.dense")
        self._first = _norm(weights, f"{name}.attention.output.LayerNorm")
        self._second = _norm(weights, f"{name}.output.LayerNorm")
        self._heads, self._eps = heads, eps

    def __call__(self, states: Tensor, groups: Sequence[tuple[int, int, int]]) -> Tensor:
        from torch.nn.functional import gelu, layer_norm, linear

        width = states.shape[1:]
        attended = linear(self._attention(states, groups), *self._joined).add_(states)
        attended = layer_norm(attended, width, *self._first, self._eps)
        wide = gelu(linear(attended, *self._wide))
        return layer_norm(linear(wide, *self._narrow).add_(attended), width, *self._second, self._eps)

    def _attention(self, states: Tensor, groups: Sequence[tuple[int, int, int]]) -> Tensor:
        from torch.nn.functional import linear, scaled_dot_product_attention

        size = states.shape[1] // self._heads
        asked = linear(states, self._asked, self._asked_bias).view(len(states), 3, self._heads, size)
        found = states.new_empty(len(states), self._heads, size)
        for start, end, length in groups:
            # [sentences, heads, tokens, size] each.
            query, key, value = asked[start:end].view(-1, length, 3, self._heads, size).permute(2, 0, 3, 1, 4)
            heard = scaled_dot_product_attention(query, key, value)
            found[start:end].view(-1, length, self._heads, size).copy_(heard.transpose(1, 2))
        return found.view(len(states), -1)


def _parts(order: Sequence[int], ids: Sequence[list[int]]) -> Iterator[list[int]]:
    """Sentences in this order, so many at once as have `_TOGETHER` tokens."""
    part: list[int] = []
    tokens = 0
    for at in order:
        if part and tokens + len(ids[at]) > _TOGETHER:
            yield part
            part, tokens = [], 0
        part.append(at)
        tokens += len(ids[at])
    if part:
        yield part


def _groups(lengths: Sequence[int]) -> list[tuple[int, int, int]]:
    """First row, row behind the last, and length, of each run of sentences of one length."""
    found, start = [], 0
    for length, run in itertools.groupby(lengths):
        end = start + sum(run)
        found.append((start, end, length))
        start = end
    return found


def _dense(weights: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
    return weights[f"{name}.weight"].contiguous(), weights[f"{name}.bias"]


def _norm(weights: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _only_mean(pooling: Mapping[str, Any]) -> bool:
    """Both ways in which versions of the library write that the mean of the tokens is taken."""
    if "pooling_mode" in pooling:
        return bool(pooling["pooling_mode"] == "mean")
    modes = {name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True}
    return modes == {"pooling_mode_mean_tokens"}


def _most_tokens(folder: Path) -> int:
    """How much of a sentence is read: versions of the library write it into different files."""
    told = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    return int(told or _json(folder / "tokenizer_config.json")["model_max_length"])


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
