"""Which linear layer gets which format, by name pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compressed_tensors.utils.match import is_match, match_named_modules
from torch import nn

from curator._errors import InputError
from curator.quantize.layer_names import MERGED, ROUTERS
from curator.recipe.quantize_settings import Format, QuantizeSettings

_HEAD = "lm_head"


def layer_formats(model: nn.Module, settings: QuantizeSettings) -> dict[str, Format]:
    """The format of every linear layer of a model, by its full name.

    The head stays in BF16, tied or not: servers expect it, and its error is in every logit. So do the routers of a
    mixture of experts.

    Raises:
        InputError: a pattern matches no layer; parts that servers merge get different formats; none is left for
            NVFP4.
    """
    linears = dict(match_named_modules(model, ["Linear"]))
    keep = {name for name in linears if _is_head(model, name) or _is_router(model, name)}
    hits = dict.fromkeys([*settings.ignore, *(rule.layers for rule in settings.precision)], 0)
    formats: dict[str, Format] = {}
    for name, module in linears.items():
        given: Format = _format(name, module, settings, hits)
        formats[name] = "bf16" if name in keep else given
    unmatched = [pattern for pattern, count in hits.items() if not count]
    if unmatched:
        example = next((name for name in linears if name not in keep), "none")
        raise InputError(
            f"quantize: {unmatched[0]!r} matches no linear layer; they are called such as {example}"
            " (begin a pattern with re:, it must match from the start of the name)"
        )
    _check_fused(formats)
    if "nvfp4" not in formats.values():
        raise InputError("quantize: ignore and precision leave no layer for NVFP4; take a pattern out")
    return formats


def output_head(model: Any) -> nn.Module | None:
    """The module that makes logits; custom code may not say which."""
    try:
        found = model.get_output_embeddings()
    except (AttributeError, NotImplementedError):
        return None
    return found if isinstance(found, nn.Module) else None


def _format(name: str, module: nn.Module, settings: QuantizeSettings, hits: dict[str, int]) -> Format:
    found: Format | None = None
    for pattern in settings.ignore:
        if is_match(name, module, pattern):
            hits[pattern] += 1
            found = "bf16"
    for rule in settings.precision:
        if is_match(name, module, rule.layers):
            hits[rule.layers] += 1
            found = found or rule.format
    return found or "nvfp4"


def _is_head(model: nn.Module, name: str) -> bool:
    return name.rpartition(".")[2] == _HEAD or model.get_submodule(name) is output_head(model)


def _is_router(model: nn.Module, name: str) -> bool:
    parent, _, leaf = name.rpartition(".")
    return leaf in ROUTERS and hasattr(model.get_submodule(parent), "experts")


def _check_fused(formats: Mapping[str, Format]) -> None:
    parents = dict.fromkeys(name.rpartition(".")[0] for name in formats)
    for parent in parents:
        for group in MERGED:
            held = {leaf: formats[f"{parent}.{leaf}"] for leaf in group if f"{parent}.{leaf}" in formats}
            if len(set(held.values())) > 1:
                raise InputError(
                    f"quantize: {parent} gets {_words(held)}, but servers merge {'/'.join(held)} into one matrix; "
                    "give them one format"
                )


def _words(held: Mapping[str, Format]) -> str:
    return ", ".join(f"{leaf} {name}" for leaf, name in held.items())


def names_of(formats: Mapping[str, Format], wanted: Format) -> Sequence[str]:
    """The layers of one format, in the model's order."""
    return [name for name, given in formats.items() if given == wanted]
