"""All quantisation methods: those that ship, and those of installed packages (entry points of ``curate.methods``).

Each added one is a `Method` in one file, run by llm-compressor as ours are; it is named by its entry point.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal, get_args

from pydantic.fields import FieldInfo

from curator.corpora.reading import Strict
from curator.recipe.installed import added, check_takes, wrong
from curator.recipe.key_notes import key_notes
from curator.recipe.quantize_methods import COMMON, Data, Method, Scheme, Step
from curator.recipe.shipped_methods import SHIPPED

GROUP = "curate.methods"


def _added() -> dict[str, Method]:
    """Those of installed packages.

    Raises:
        DependencyError: one cannot be used.
    """
    found = {}
    for name, one in added(GROUP, Method, tuple(SHIPPED)).items():
        method = replace(one.thing, package=one.package)
        try:
            _check(method)
        except (TypeError, ValueError) as error:
            raise wrong("method", name, one.package, f"cannot be used: {error}") from error
        found[name] = method
    return found


def _check(method: Method) -> None:
    if method.library != "llm-compressor":
        raise ValueError("only methods of llm-compressor can be added: ModelOpt runs in an environment of its own")
    if method.data not in get_args(Data) or not method.schemes or not {*method.schemes} <= {*get_args(Scheme)}:
        raise ValueError(
            f"data is one of {', '.join(get_args(Data))}, schemes are of {', '.join(get_args(Scheme))}"
        )
    if not method.steps or not all(isinstance(step, Step) for step in method.steps):
        raise TypeError("steps must be a tuple of Step")
    if not method.common <= COMMON:
        raise ValueError(f"common has {', '.join(sorted(method.common - COMMON))}, which is no general option")
    for step in method.steps:
        check_takes(step.make, 2, "make")
        if step.options is not None and not (isinstance(step.options, type) and issubclass(step.options, Strict)):
            raise TypeError("options must be a class made of Strict")
        needed = (
            [name for name, field in step.options.model_fields.items() if field.is_required()]
            if step.options
            else []
        )
        if needed:
            raise ValueError(f"option {needed[0]} has no default")


METHODS: dict[str, Method] = {**SHIPPED, **_added()}
ADDED_OPTIONS = frozenset(option for method in METHODS.values() if method.package for option in method.options) - {
    option for method in SHIPPED.values() for option in method.options
}


def take_in(model: type[Strict]) -> None:
    """Give the model of a recipe's ``quantize:`` the names of all methods, and a key for each of their options.

    Raises:
        DependencyError: an added option has the name of one that is there and is another.
    """
    kinds: dict[str, Any] = {}
    for name, method in METHODS.items():
        for options in filter(None, (step.options for step in method.steps)):
            notes = key_notes(options)
            for option, field in options.model_fields.items():
                kind: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
                if option in model.model_fields and kinds.get(option) != kind:
                    raise wrong("method", name, method.package, f"cannot be used: its option {option} is taken")
                if option not in kinds:
                    kinds[option] = kind
                    _give(model, option, kind | None, None, notes.get(option))
    _give(model, "method", Literal[tuple(METHODS)], "gptq", None)
    model.model_rebuild(force=True)


def _give(model: type[Strict], name: str, kind: Any, default: Any, note: str | None) -> None:
    field = FieldInfo.from_annotated_attribute(kind, default)
    field.description = note
    model.__annotations__[name] = kind
    model.model_fields[name] = field
