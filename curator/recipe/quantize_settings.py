"""What a recipe says of quantisation. Unknown keys, and options that the method does not use, are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, ValidationError, model_serializer, model_validator

from curator.corpora.reading import Strict, Word
from curator.recipe.all_methods import ADDED_OPTIONS, METHODS, take_in
from curator.recipe.name_pattern import NamePattern
from curator.recipe.quantize_methods import COMMON, Method, Scheme

Format = Literal["nvfp4", "fp8", "bf16"]
# Options that say how a set is run through the model.
_OF_A_SET = {"batch_size", "pipeline", "experts"}
Observer = Literal["minmax", "mse", "expanded-mse", "imatrix", "expanded-imatrix"]


def _check_pattern(pattern: str) -> None:
    """Refuse a ``re:`` pattern that is no regular expression.

    Raises:
        ValueError: says why.
    """
    if pattern.startswith("re:"):
        NamePattern(pattern)


class Precision(Strict):
    """The format of some layers.

    ``layers``: a module's full name, its class, or ``re:`` and a regular expression that matches from the start
    of the full name.
    ``format``: ``nvfp4``; ``fp8``, E4M3 weights with a scale for each output channel and, under W4A4, activations
    quantised a token; or ``bf16``, as it was.
    """

    layers: Word
    format: Format

    @model_validator(mode="after")
    def _readable(self) -> Precision:
        _check_pattern(self.layers)
        return self


class QuantizeSettings(Strict):
    """How ``curate quantize`` makes a checkpoint.

    ``method``: ``gptq``, ``max``, ``rtn``, ``awq``, ``awq-gptq``, ``smoothquant``, ``smoothquant-gptq``,
    ``spinquant`` or ``spinquant-gptq``; by NVIDIA ModelOpt ``modelopt-max``, ``modelopt-mse``,
    ``modelopt-hessian`` or ``modelopt-awq``; or one that an installed package adds (``curate ls methods``).
    ``scheme``: ``W4A4`` quantises weights and activations, ``W4A16`` weights alone.
    ``batch_size``: sequences that go through the model together, where neighbours have equal lengths: nothing is
    padded or cut. It changes the last bits of sums, and so the weights.
    ``observer``: how the range of a block of weights is found: ``minmax``; ``mse``, the least squared error;
    ``imatrix``, the same weighted by the inputs that the set gives; ``expanded-`` searches wider ranges too.
    ``ignore``: names or ``re:`` patterns of layers that stay in BF16; the head always does.
    ``precision``: formats by name pattern; of several that match, the first wins. The rest is NVFP4.
    ``kv_cache``: ``fp8`` stores scales for keys and values of each attention layer, for servers with an FP8 cache.
    ``pipeline``: how the model is run: ``sequential``, layer by layer, each seeing what the quantised ones before
    it give; ``basic``, the whole model at once, for models that cannot be traced; ``auto``, the first where it
    can be traced.
    ``experts``: when an expert of a mixture saw no token of the set: ``refuse``, ``report``, or ``all``, which
    calibrates all experts with all tokens.
    """

    # `take_in` adds the methods' own options, and says which methods there are.
    method: str = "gptq"
    scheme: Scheme = "W4A4"
    batch_size: Annotated[int, Field(ge=1, le=4096)] = 1
    observer: Observer = "minmax"
    ignore: list[Word] = Field(default_factory=list)
    precision: list[Precision] = Field(default_factory=list)
    kv_cache: Literal["none", "fp8"] = "none"
    pipeline: Literal["auto", "sequential", "basic"] = "auto"
    experts: Literal["refuse", "report", "all"] = "refuse"

    @model_validator(mode="after")
    def _fits_the_method(self) -> QuantizeSettings:
        for pattern in self.ignore:
            _check_pattern(pattern)
        if self.method == "max" and self.data_acts == "nothing":
            raise ValueError(
                "method max under W4A16 has nothing that the set could change; use method rtn, which is the same"
            )
        # Other methods' options first: who takes another method meets these.
        unused = sorted(set(self._changed()) - self._taken(), key=lambda name: (name in COMMON, name))
        if unused:
            raise ValueError(f"method {self.method} does not use {'; nor '.join(map(_unused, unused))}")
        if self.scheme not in self.about.schemes:
            raise ValueError(f"method {self.method} makes {self.about.schemes[0]} only, not {self.scheme}")
        if self.about.data == "nothing" and "imatrix" in self.observer:
            raise ValueError(
                f"observer {self.observer} needs a set, method {self.method} uses none; use method max"
            )
        self._check_options()
        return self

    def _check_options(self) -> None:
        """What the method's own models say of options that each are allowed.

        Raises:
            ValueError: they cannot be together.
        """
        for model in filter(None, (step.options for step in self.about.steps)):
            try:
                model.model_validate({name: self.option(name) for name in model.model_fields})
            except ValidationError as error:
                raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error

    @model_serializer(mode="wrap")
    def _without_unused(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out added options that are not given: who reads a manifest need not have the package."""
        return {key: value for key, value in whole(self).items() if value is not None or key not in ADDED_OPTIONS}

    def _changed(self) -> list[str]:
        """Options that are not as they are when left out."""
        fields = type(self).model_fields
        return [
            name
            for name, field in fields.items()
            if name not in ("method", "scheme")
            and getattr(self, name) != field.get_default(call_default_factory=True)
        ]

    def _taken(self) -> set[str]:
        unfit = set() if self.needs_set else _OF_A_SET
        # An FP8 cache's scales come of a set.
        unfit = unfit | ({"kv_cache"} if self.about.data == "nothing" else set())
        return {*self.about.options, *self.about.common} - unfit

    @property
    def about(self) -> Method:
        """The method's entry in the table."""
        return METHODS[self.method]

    @property
    def data_acts(self) -> Literal["weights", "activation-scales", "nothing"]:
        """What a calibration set can change in the checkpoint; scales of an FP8 cache count as activations'."""
        if self.about.data == "weights" or "imatrix" in self.observer:
            return "weights"
        if self.about.data == "scales" and (self.scheme == "W4A4" or self.kv_cache == "fp8"):
            return "activation-scales"
        return "nothing"

    @property
    def needs_set(self) -> bool:
        """Whether it reads a calibration set at all."""
        return self.data_acts != "nothing"

    def without_data(self) -> QuantizeSettings:
        """The same layers in the same formats, rounded to nearest without a set."""
        return QuantizeSettings(
            method="rtn",
            scheme=self.scheme,
            ignore=self.ignore,
            precision=self.precision,
            observer="minmax" if "imatrix" in self.observer else self.observer,
        )

    def option(self, name: str) -> Any:
        """An option's value, or the method's default for it; ``None`` when the method has no such option."""
        given = getattr(self, name)
        return self.about.options.get(name) if given is None else given

    def options(self) -> dict[str, Any]:
        """The method's own options, with their values."""
        return {name: self.option(name) for name in self.about.options}

    def used(self) -> dict[str, Any]:
        """All that a checkpoint depends on: every option that the method takes, with its value, as plain types.

        Of a method that an installed package adds also ``package``: its name and version.
        """
        values = self.model_dump(mode="json")
        return {
            **{name: values[name] for name in values if name in ("method", "scheme") or name in self._taken()},
            **self.options(),
            **({"package": self.about.package} if self.about.package else {}),
        }


def _unused(option: str) -> str:
    """An option and how to lose it, also where it comes with ``extends`` or a set's recipe."""
    users = [name for name, method in METHODS.items() if option in method.options]
    if users:
        return (
            f"{option}, an option of {', '.join(users)}; leave it out, or say {option}: null where it is inherited"
        )
    default = QuantizeSettings.model_fields[option].get_default(call_default_factory=True)
    return f"{option}; leave it out, or say {option}: {default} where it is inherited"


take_in(QuantizeSettings)
