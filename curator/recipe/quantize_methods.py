"""What a quantisation method is: what a set can change under it, its options, and the steps that make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    # Not for real: the command line reads this file for its help.
    from curator.corpora.reading import Strict

Scheme = Literal["W4A4", "W4A16"]
Library = Literal["llm-compressor", "modelopt"]
# What in the method itself a set can change; "scales" are those of activations, which W4A16 has not.
Data = Literal["weights", "scales", "nothing"]
# What a step takes or does that is reckoned with or checked: "hessians", memory for one of each layer's inputs;
# "search", memory for what goes into and out of a layer's parts, of all rows; "folds", scales go into norms, and a
# model in which none did is refused; "rotates", the model must say the same after it; "gpu", it runs on no CPU.
Trait = Literal["hessians", "search", "folds", "rotates", "gpu"]
Values = Mapping[str, Any]

# Options of every method but those that say otherwise; their defaults are in the schema.
COMMON = frozenset({"batch_size", "observer", "ignore", "precision", "kv_cache", "pipeline", "experts"})


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done to the model.

    Attributes:
        make: gives llm-compressor's modifier, by the method's options and by ``layers``: the keyword arguments of
            a ``QuantizationModifier`` that say which layers get which format, for the step that rounds. Of
            ModelOpt it gives a configuration, by the options alone. It imports the library itself, so that
            recipes are read without.
        options: its own options, each with a default; the docstring explains them (``` ``key``: what ```).
        traits: see `Trait`.
    """

    make: Callable[[Values, Values], Any]
    options: type[Strict] | None = None
    traits: frozenset[Trait] = frozenset()


@dataclass(frozen=True, slots=True)
class Method:
    """One way to an NVFP4 checkpoint.

    Attributes:
        title: one line for people.
        data: what a calibration set can change under it.
        steps: what is done, in this order; the last one rounds.
        common: those of the general options that it takes.
        schemes: the schemes that it makes.
        library: what runs it.
        package: name and version of the installed package that adds it; empty for one of ours.
    """

    title: str
    data: Data
    steps: tuple[Step, ...]
    common: frozenset[str] = COMMON
    schemes: tuple[Scheme, ...] = ("W4A4", "W4A16")
    library: Library = "llm-compressor"
    package: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """Its own options, with their defaults."""
        models = [step.options for step in self.steps if step.options is not None]
        return {name: field.get_default() for model in models for name, field in model.model_fields.items()}

    @property
    def traits(self) -> frozenset[Trait]:
        """Those of all its steps."""
        return frozenset().union(*(step.traits for step in self.steps))
