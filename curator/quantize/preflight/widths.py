"""Which layers a recipe quantises, and whether their widths fit the format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from curator._errors import InputError
from curator.quantize.layer_formats import format_of, matches, no_linears_words
from curator.quantize.preflight.skeleton import Linear, Skeleton
from curator.recipe.quantize_settings import Format, QuantizeSettings

# NVFP4 gives one scale to this many weights along the input.
_BLOCK = 16


def formats(layout: Skeleton, settings: QuantizeSettings) -> dict[Linear, Format]:
    """The format that each linear layer gets; routers stay in BF16."""
    return {
        linear: "bf16" if linear.router else format_of(linear.name, linear.classes, settings)
        for linear in layout.linears
    }


def check_widths(layout: Skeleton, settings: QuantizeSettings) -> list[str]:
    """Refuse layers that cannot be NVFP4, and warn of those that are routers.

    Widths that are no multiples of the tiles of FP4 kernels are told by the check of the finished checkpoint.

    Raises:
        InputError: the model has no linear layers, an input width is no multiple of 16, no layer is left to
            quantise, or the head would be quantised.
    """
    if not layout.linears:
        raise InputError(no_linears_words(layout.others))
    given = formats(layout, settings)
    packed = [linear for linear, name in given.items() if name == "nvfp4"]
    odd = [linear for linear in packed if linear.inputs % _BLOCK]
    if odd:
        raise InputError(
            f"{_named(odd)}: the input is {odd[0].inputs} wide, no multiple of {_BLOCK}, as NVFP4 needs; leave it "
            f"in BF16 with `ignore: [{_pattern(odd[0].name)}]`"
        )
    if not any(name != "bf16" for name in given.values()):
        raise InputError("no linear layer is left to quantise; look at `ignore` and `precision`")
    _check_head(layout, settings)
    routers = [linear for linear in packed if linear.outputs == layout.experts > 1 and linear.copies == 1]
    if not routers:
        return []
    return [
        f"{_named(routers)}: {layout.experts} outputs, one for each expert: a router, best left in BF16 with "
        f"`ignore: [{_pattern(routers[0].name)}]`"
    ]


def _check_head(layout: Skeleton, settings: QuantizeSettings) -> None:
    meant = [
        entry.layers for entry in settings.precision if entry.format != "bf16" and _only_head(entry.layers, layout)
    ]
    if meant:
        raise InputError(
            f"precision: {meant[0]} is the head, which always stays in BF16: its error is in every logit, "
            "and tied to the embedding it cannot be quantised at all; take it out"
        )


def _only_head(pattern: str, layout: Skeleton) -> bool:
    """Whether a pattern means the head: a class, or a pattern for other layers too, is no word on it."""
    others = any(matches(pattern, linear.name, linear.classes) for linear in layout.linears)
    return bool(layout.head) and not others and matches(pattern, layout.head, ())


def _named(linears: Sequence[Linear]) -> str:
    more = len(linears) - 1
    return linears[0].name + (f" and {more} more" if more else "")


def _pattern(name: str) -> str:
    """A pattern for the layers of this name in all blocks, and of all experts."""
    inside = re.escape(re.sub(r"^.*?\.\d+(?=\.)", "", name))
    inside = re.sub(r"\.\d+\\", r".\\d+\\", inside)
    return f"'re:.*{inside}$'"
