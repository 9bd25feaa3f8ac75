"""What runs on the machines of a cluster, and how it tells what went wrong."""

from __future__ import annotations

import errno
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import curator
from curator._errors import (
    CurateError,
    DependencyError,
    InputError,
    RecipeError,
    RefusedError,
    ServerError,
    first_line,
)
from curator.engine.parent import die_with_parent

Value = TypeVar("Value")
_CLASSES = {one.__name__: one for one in (InputError, RefusedError, DependencyError, ServerError)}
# What another machine lacks, rather than what is wrong with a file.
_NOT_HERE = {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ESTALE, errno.EIO}
# Times that a task whose process or machine died is done again before the work is given up.
RETRIES = 3
SHARED = "every node must see recipes, sources and --out under the same paths: put them on a shared file system"
_entered: list[Session] = []


@dataclass(frozen=True, slots=True)
class Session:
    """What a task is told of the command that it is part of.

    Attributes:
        folder: the command's working folder, which relative paths start from.
        node: the node where the command runs.
        version: of Curate and Python there.
    """

    folder: str
    node: str
    version: str

    @classmethod
    def here(cls, node: str) -> Session:
        """That of this process."""
        return cls(os.getcwd(), node, versions())

    def enter(self) -> None:
        """Make this process one in which the command's functions do what they would do there.

        Raises:
            DependencyError: it cannot be.
        """
        if self in _entered:
            return
        if self.version != versions():
            raise DependencyError(
                f"node {_name()} has {versions()}, this command is {self.version}: results could differ; install "
                "the same on every node"
            )
        try:
            os.chdir(self.folder)
        except OSError as error:
            why = error.strerror
            raise DependencyError(f"{self.folder}: node {_name()} has no such folder ({why}); {SHARED}") from error
        # A worker that is busy when its node ends has been seen to stay, with a model in its memory.
        if os.environ.get("RAY_RAYLET_PID") == str(os.getppid()):
            die_with_parent(os.getppid())
        _entered[:] = [self]

    def is_elsewhere(self) -> bool:
        """Whether this is another node than the command's."""
        return self.node != current_node()


@dataclass(frozen=True, slots=True)
class Fault:
    """An error, as it can be sent: exceptions may need more than their words to be made again.

    Attributes:
        kind: its class.
        words: its message.
        system: number, words and file name of an error of the operating system.
    """

    kind: str
    words: str
    system: tuple[Any, ...] = ()

    def error(self) -> Exception:
        """The error again."""
        if self.kind == RecipeError.__name__:
            return RecipeError(self.words.split("\n"))
        if self.system:
            return OSError(*self.system)
        return _CLASSES.get(self.kind, DependencyError)(self.words)


Answer = tuple[Any, Fault | None]


def answered(session: Session, function: Callable[..., Any], *values: Any) -> Answer:
    """The value of a function, or what it raised on purpose; anything else is a fault of ours, and raised."""
    try:
        session.enter()
        return function(*values), None
    except CurateError as error:
        return None, _told(session, error)
    except OSError as error:
        if session.is_elsewhere() and error.errno in _NOT_HERE:
            return None, Fault("DependencyError", _not_here(os.fsdecode(error.filename or "a file"), error))
        return None, Fault("OSError", str(error), (error.errno, error.strerror, error.filename))
    except MemoryError:
        return None, Fault("DependencyError", f"node {_name()} is out of memory; use fewer --workers")


def value_of(answer: Answer) -> Any:
    """The value of an answer.

    Raises:
        Exception: what the function raised.
    """
    value, fault = answer
    if fault is not None:
        raise fault.error()
    return value


def _told(session: Session, error: CurateError) -> Fault:
    cause = error.__cause__
    if session.is_elsewhere() and isinstance(cause, OSError) and cause.errno in _NOT_HERE:
        return Fault("DependencyError", f"{error}: so says node {_name()}; {SHARED}")
    return Fault(type(error).__name__, str(error))


def _not_here(path: str, error: OSError) -> str:
    return f"{path}: node {_name()} cannot use it ({error.strerror}); {SHARED}"


def versions() -> str:
    """Of Curate and Python, in words."""
    return f"curate {curator.__version__} on Python {sys.version_info.major}.{sys.version_info.minor}"


def current_node() -> str:
    """Ray's name of the node that this process runs on."""
    import ray

    return cast(str, ray.get_runtime_context().get_node_id())


def _name() -> str:
    import ray

    return cast(str, ray.util.get_node_ip_address())


def packed(value: object) -> bytes:
    """A value as a cell of a table of Ray Data, which would make arrays of some lists and numbers.

    Ray sends all that it sends in this form, between processes that trust each other; no file is read so.
    """
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Any:
    """What `packed` was given."""
    return pickle.loads(data)  # noqa: S301 - from our own processes alone, see above


@contextmanager
def translated() -> Iterator[None]:
    """Ray's errors in one line of ours.

    Raises:
        CurateError: what a function raised, or a `DependencyError` when processes or machines died more often than
            tasks are done again.
    """
    import ray

    try:
        yield
    # Ray Data makes RuntimeErrors, Exceptions of its own and errors of Ray's tasks out of whatever ends it.
    except Exception as error:
        every = list(causes(error))
        if isinstance(error, CurateError):
            raise
        for cause in every:
            if isinstance(cause, CurateError):
                raise Fault(type(cause).__name__, str(cause)).error() from error
        if any(isinstance(cause, ray.exceptions.OutOfMemoryError) for cause in every):
            raise DependencyError("a node of the Ray cluster is out of memory; use fewer --workers") from error
        lost = next((cause for cause in every if _is_loss(cause)), None)
        if lost is None:
            # A fault of ours, with its traceback.
            raise
        raise DependencyError(
            f"the Ray cluster lost a worker or a node {RETRIES + 1} times for one task, most likely for its "
            f"memory; use fewer --workers ({type(lost).__name__}: {first_line(lost)[:120]})"
        ) from error


def _is_loss(error: BaseException) -> bool:
    import ray

    return isinstance(error, ray.exceptions.RayError) and not isinstance(error, ray.exceptions.RayTaskError)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what it was made of, by Python's chain and by Ray's."""
    seen: set[int] = set()
    while isinstance(error, BaseException) and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = getattr(error, "cause", None) or error.__cause__
