"""Layers that servers merge into one: all or none of them quantised, under one scale."""

from __future__ import annotations

from collections.abc import Iterator

from curator.quantize.checkpoint.findings import Findings
from curator.quantize.checkpoint.linear import QuantisedLinear
from curator.quantize.checkpoint.opened import Checkpoint
from curator.quantize.layer_names import MERGED

# Merged by some servers, or for some models.
_AT_TIMES = (
    ("q_a_proj", "kv_a_proj_with_mqa"),
    ("in_proj_qkv", "in_proj_z"),
    ("in_proj_b", "in_proj_a"),
    ("wq", "wk", "wv"),
    ("query", "key", "value"),
    ("c_fc_0", "c_fc_1"),
)


def check_fused(checkpoint: Checkpoint, found: Findings) -> None:
    """Check every group of layers that a server merges."""
    plain = set(checkpoint.parts.plain)
    for parent, group in _groups(set(checkpoint.linears) | plain):
        names = [f"{parent}.{leaf}" for leaf in group]
        linears = [checkpoint.linears[name] for name in names if name in checkpoint.linears]
        left = [leaf for leaf, name in zip(group, names, strict=True) if name in plain]
        if not linears:
            continue
        merged = "/".join(group)
        if left:
            found.fault(f"{parent}: {'/'.join(left)} not quantised, but servers merge {merged}")
        elif len({(linear.format, linear.input_format) for linear in linears}) > 1:
            kinds = ", ".join(f"{linear.name.rpartition('.')[2]} {_words(linear)}" for linear in linears)
            found.fault(f"{parent}: {kinds}, but servers merge {merged}")
        else:
            _check_shared(parent, merged, linears, group in MERGED, found)


def _groups(modules: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    parents: dict[str, set[str]] = {}
    for module in modules:
        parent, _, leaf = module.rpartition(".")
        parents.setdefault(parent, set()).add(leaf)
    for parent in sorted(parents):
        for group in (*MERGED, *_AT_TIMES):
            present = tuple(leaf for leaf in group if leaf in parents[parent])
            if len(present) > 1:
                yield parent, present


def _words(linear: QuantisedLinear) -> str:
    return linear.format if linear.input_format == "none" else f"{linear.format} with {linear.input_format} inputs"


def _check_shared(parent: str, merged: str, linears: list[QuantisedLinear], always: bool, found: Findings) -> None:
    """NVFP4 alone: servers requantise the parts of a merged FP8 weight under its largest scale."""
    if linears[0].format != "nvfp4":
        return
    weights = _values(linears, "global_scale")
    if len(set(weights)) > 1:
        what = f"{merged} have different global scales; a server that merges them keeps one"
        if always:
            ratio = max(weights) / min(weights) if min(weights) > 0 else float("inf")
            found.fault(f"{parent}: {what}, the others dequantise up to {ratio:.4g} times too large or small")
        else:
            found.doubt(what, parent)
    if len(set(_values(linears, "input_scale"))) > 1:
        found.doubt(f"{merged} have different activation scales; a server keeps one", parent)


def _values(linears: list[QuantisedLinear], role: str) -> list[float]:
    stored = [linear.stored(role) for linear in linears]  # type: ignore[arg-type]
    return [float(scale.flatten()[0]) for scale in stored if scale is not None and scale.numel()]
