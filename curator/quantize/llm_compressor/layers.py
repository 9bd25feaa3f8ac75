"""Which linear layer gets which format, by name pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compressed_tensors.utils.match import match_named_modules
from torch import nn

from curator._errors import InputError
from curator.quantize.layer_formats import classes_of, format_of, is_router, refuse_unmatched
from curator.quantize.layer_names import MERGED
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
    linears = {name: classes_of(module) for name, module in match_named_modules(model, ["Linear"])}
    keep = {name for name in linears if _is_head(model, name) or is_router(model, name)}
    formats: dict[str, Format] = {
        name: "bf16" if name in keep else format_of(name, classes, settings) for name, classes in linears.items()
    }
    # A pattern may mean what stays anyway; an example of a name is better one that does not.
    refuse_unmatched(sorted(linears.items(), key=lambda layer: layer[0] in keep), settings)
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


def _is_head(model: nn.Module, name: str) -> bool:
    return name.rpartition(".")[2] == _HEAD or model.get_submodule(name) is output_head(model)


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
