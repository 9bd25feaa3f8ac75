"""What installed packages add: each thing one object, named by an entry point.

Only packages that somebody installed are asked: a recipe can name such a thing, and never bring one.
"""

from __future__ import annotations

import functools
import importlib.metadata
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from curator._errors import DependencyError, first_line

T = TypeVar("T")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Added(Generic[T]):
    """One thing that a package adds.

    Attributes:
        thing: what its entry point names.
        package: name and version of the package, ``shouting 1.0``.
    """

    thing: T
    package: str


@functools.cache
def added(group: str, kind: type[T], shipped: tuple[str, ...] = ()) -> dict[str, Added[T]]:
    """All things of a group by name, in the order of their names.

    Args:
        group: of entry points, such as ``curate.gates``.
        kind: what each must be.
        shipped: names that are taken.

    Raises:
        DependencyError: one cannot be loaded, is no ``kind``, or has a name that is taken or cannot be typed.
    """
    noun = group.rpartition(".")[2].removesuffix("s")
    found: dict[str, Added[T]] = {}
    for entry in sorted(_entries().select(group=group), key=lambda entry: entry.name):
        package = entry.dist.name if entry.dist else entry.value
        if not _NAME.fullmatch(entry.name):
            raise wrong(noun, entry.name or repr(""), package, "cannot be called that: no space, comma or slash")
        if not entry.pattern.match(entry.value):
            raise wrong(noun, entry.name, package, f"names no object: {entry.value!r}, instead of module:object")
        try:
            thing = entry.load()
        # Whatever the package's own code raises; one that ends the process would end it without a word.
        except (Exception, SystemExit) as error:
            raise wrong(noun, entry.name, package, f"cannot be loaded ({_told(error)})") from error
        what = f"is no {kind.__name__}" if not isinstance(thing, kind) else ""
        what = "is there twice" if entry.name in found else what
        what = "cannot be called that: the name is taken" if entry.name in shipped else what
        if what:
            raise wrong(noun, entry.name, package, what)
        found[entry.name] = Added(thing, f"{package} {entry.dist.version}" if entry.dist else package)
    return found


def _told(error: BaseException) -> str:
    return f"it asks to exit with {error.code}" if isinstance(error, SystemExit) else first_line(error)


@functools.cache
def _entries() -> Any:
    # Read once: every installed package is looked at. Python 3.11 and 3.12 have different types for it.
    return importlib.metadata.entry_points()


def wrong(noun: str, name: str, package: str, what: str) -> DependencyError:
    """What is told of a package that adds something that cannot be used."""
    remove = f"pip uninstall {package.partition(' ')[0]}"
    return DependencyError(
        f"{noun} {name} of the package {package} {what}; mend the package or remove it ({remove})"
    )


def check_takes(function: Callable[..., Any], count: int, name: str) -> None:
    """Refuse what cannot be called with so many arguments: now, and not in the middle of a run.

    Raises:
        TypeError: says what it is called and what is wrong.
    """
    if not callable(function):
        raise TypeError(f"{name} is no function")
    try:
        signature = inspect.signature(function)
    except ValueError:
        # Some functions of C tell nothing.
        return
    try:
        signature.bind(*[None] * count)
    except TypeError as error:
        raise TypeError(f"{name} must take {count} argument{'s' * (count > 1)}: {error}") from error
