"""What is not quantised: there, of the shapes that the configuration says, and numbers."""

from __future__ import annotations

import re
from collections import Counter

from curator.quantize.checkpoint.findings import Findings
from curator.quantize.checkpoint.opened import FLOATS, Checkpoint
from curator.quantize.finite import is_finite

_EMBEDDINGS = ("embed_tokens", "wte", "word_embeddings", "embed_in", "tok_embeddings", "embeddings")
_HEADS = ("lm_head", "embed_out", "output", "output_layer", "head")
_LAYER = re.compile(r"(?P<root>.*?)\.(?P<number>\d+)\.(?P<within>.+)")
# Of other types only these are no weights: positions, and flags.
_OTHERS = ("BOOL", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64")
Shape = tuple[int, ...]


def check_plain(checkpoint: Checkpoint, found: Findings) -> None:
    """Check embedding, head, norms and whatever else was left as it was."""
    names = checkpoint.untouched()
    for name in names:
        module, _, leaf = name.rpartition(".")
        if module in checkpoint.linears and leaf != "bias":
            found.fault(f"{name} lies beside the quantised weight, of which it is no part as we read it")
        else:
            _check_values(checkpoint, name, found)
    shapes = {name: checkpoint.tensors.shape(name) for name in names}
    _check_embedding(checkpoint, shapes, found)
    _check_head(checkpoint, found)
    _check_alike(checkpoint, shapes, found)


def _check_values(checkpoint: Checkpoint, name: str, found: Findings) -> None:
    dtype = checkpoint.tensors.dtype(name)
    if dtype in FLOATS:
        if not is_finite(checkpoint.tensors[name]):
            found.fault(f"{name} has values that are not finite")
    elif name in checkpoint.parts.unknown or name in checkpoint.parts.strays:
        # Told by the checks of names.
        return
    elif dtype not in _OTHERS or name.rpartition(".")[2] in ("weight", "bias"):
        found.fault(f"{name} has type {dtype}, which is no weight")


def _check_embedding(checkpoint: Checkpoint, shapes: dict[str, Shape], found: Findings) -> None:
    sizes = _sizes(checkpoint, "vocab_size"), _sizes(checkpoint, "hidden_size")
    tables = [name for name in shapes if name.endswith(".weight") and name.split(".")[-2] in _EMBEDDINGS]
    if not tables:
        found.doubt("no embedding is found under a name that is known")
    for name in tables:
        # Models of images and sound have tables of their own beside.
        of_text = len(tables) == 1 or "embed_tokens" in name
        fits = (
            len(shapes[name]) == 2 and shapes[name][0] >= (sizes[0] or 0) and sizes[1] in (None, shapes[name][1])
        )
        if of_text and not fits:
            found.fault(f"{name} has shape {shapes[name]}, config.json says {sizes[0]} ids of width {sizes[1]}")


def _sizes(checkpoint: Checkpoint, key: str) -> int | None:
    config = checkpoint.config
    # Tables that are narrower than the model say so.
    if {"word_embed_proj_dim", "embedding_size"} & set(config):
        return None
    text = config.get("text_config")
    for place in (text if isinstance(text, dict) else {}, config):
        if type(place.get(key)) is int:
            return int(place[key])
    return None


def _check_head(checkpoint: Checkpoint, found: Findings) -> None:
    modules = {name.rpartition(".")[0].rpartition(".")[2] for name in checkpoint.tensors}
    if checkpoint.stated.tied is False and modules.isdisjoint(_HEADS):
        found.fault("no head (lm_head.weight): config.json says that it is not tied to the embedding")


def _check_alike(checkpoint: Checkpoint, shapes: dict[str, Shape], found: Findings) -> None:
    """Layers of the same linear layers have the same norms and biases."""
    own: dict[str, dict[str, Shape]] = {}
    linears: dict[str, dict[str, Shape]] = {}
    for name, shape in shapes.items():
        if place := _LAYER.fullmatch(name):
            own.setdefault(f"{place['root']}.{place['number']}", {})[place["within"]] = shape
    for name in (*checkpoint.linears, *checkpoint.parts.plain):
        if place := _LAYER.fullmatch(name):
            linear = checkpoint.linears.get(name)
            shape = linear.shape if linear else shapes[f"{name}.weight"]
            linears.setdefault(f"{place['root']}.{place['number']}", {})[place["within"]] = shape
    groups: dict[tuple[str, frozenset[tuple[str, Shape]]], list[str]] = {}
    for layer, inside in linears.items():
        groups.setdefault((layer.rpartition(".")[0], frozenset(inside.items())), []).append(layer)
    for layers in groups.values():
        _check_group(layers, own, set().union(*(linears[layer] for layer in layers)), found)


def _check_group(layers: list[str], own: dict[str, dict[str, Shape]], linears: set[str], found: Findings) -> None:
    """Layers that should be alike in what is beside their linear layers."""
    names = dict.fromkeys(name for layer in layers for name in own.get(layer, {}))
    for name in names:
        # One layer in two formats is another's check.
        if name.rpartition(".")[0] in linears:
            continue
        held = {layer: own[layer][name] for layer in layers if name in own.get(layer, {})}
        usual = Counter(held.values()).most_common(1)[0][0]
        for layer in layers:
            if layer not in held:
                found.fault(f"{layer}.{name} is missing, other layers have it")
            elif held[layer] != usual:
                found.fault(f"{layer}.{name} has shape {held[layer]}, in other layers it is {usual}")
