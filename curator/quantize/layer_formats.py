"""Which linear layer gets which format, by name pattern: before a model is loaded, and when it is quantised."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import Any

from curator._errors import InputError
from curator.quantize.layer_names import ROUTERS
from curator.recipe.name_pattern import NamePattern
from curator.recipe.quantize_settings import Format, QuantizeSettings

_pattern = functools.lru_cache(maxsize=1024)(NamePattern)


def matches(entry: str, name: str, classes: Collection[str]) -> bool:
    """Whether an entry of ``ignore`` or ``precision`` means a layer, as compressed-tensors reads them.

    Args:
        entry: a full name, a class, or ``re:`` and a pattern that names begin with.
        name: of the layer.
        classes: see `classes_of`.

    Raises:
        InputError: a pattern takes too long.
    """
    return _pattern(entry).begins(name) if entry.startswith("re:") else entry == name or entry in classes


def format_of(name: str, classes: Collection[str], settings: QuantizeSettings) -> Format:
    """The format that the settings give a layer: ``ignore`` goes before ``precision``, the first match wins."""
    if any(matches(entry, name, classes) for entry in settings.ignore):
        return "bf16"
    return next((rule.format for rule in settings.precision if matches(rule.layers, name, classes)), "nvfp4")


def refuse_unmatched(layers: Sequence[tuple[str, Collection[str]]], settings: QuantizeSettings) -> None:
    """Refuse an entry that means no layer: a mistake in a name would go unseen.

    Args:
        layers: name and classes of each.
        settings: with the entries.

    Raises:
        InputError: names the first such entry.
    """
    for entry in [*settings.ignore, *(rule.layers for rule in settings.precision)]:
        if not any(matches(entry, *layer) for layer in layers):
            raise InputError(
                f"quantize: {entry!r} matches no linear layer; they are called such as "
                f"{layers[0][0] if layers else 'none'} (begin a pattern with re:, it must match from the start of "
                "the name)"
            )


def classes_of(module: Any) -> tuple[str, ...]:
    """The names of a module's class and of those that it is made from."""
    return tuple(kind.__name__ for kind in type(module).__mro__ if kind is not object)


def other_matrices(model: Any) -> tuple[str, ...]:
    """The classes of modules that have a matrix and are no linear layer, embeddings apart: GPT-2's ``Conv1D``."""
    from torch import nn

    held = [module for module in model.modules() if any(own.ndim == 2 for own in module.parameters(recurse=False))]
    return tuple(
        dict.fromkeys(type(module).__name__ for module in held if not isinstance(module, nn.Linear | nn.Embedding))
    )


def no_linears_words(others: Collection[str]) -> str:
    """Why there is nothing to quantise in a model without linear layers.

    Args:
        others: see `other_matrices`.
    """
    held = f"its matrices are in {' and '.join(others)}" if others else "it has no matrix but embeddings"
    return (
        f"the model has no Linear layer but its head, and nothing else is quantised: {held}; take a model made of "
        "Linear layers, such as Llama, Qwen, Gemma, Mistral or Phi"
    )


def is_router(model: Any, name: str) -> bool:
    """Whether a layer chooses the experts of the block that it is in: it stays in BF16."""
    parent, _, leaf = name.rpartition(".")
    return leaf in ROUTERS and hasattr(model.get_submodule(parent), "experts")
