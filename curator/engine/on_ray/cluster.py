"""Starting Ray on this machine, or joining a cluster, without a word of Ray's on the user's screen."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import warnings
from collections.abc import Iterator
from typing import Any

from curator._errors import DependencyError, InputError, first_line
from curator.engine.on_ray.remote import causes

INSTALL = "pip install 'curate-nvfp4[ray]'"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds for the head of a cluster to answer.
_PATIENCE = 10.0
_QUIET = {
    # Nothing about this machine or its user is sent anywhere.
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_USAGE_STATS_PROMPT_ENABLED": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    # Its native code writes errors on standard error, also those that it mends itself.
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    # A task that needs more memory than there is would be started again for ever.
    "RAY_task_oom_retries": "10",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    # A task without a GPU sees none, as on a machine without.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",
}

_SILENT: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}


def connect(address: str | None, workers: int | None) -> None:
    """Start Ray here with as many slots for tasks as ``workers``, or join the cluster at ``address``.

    Raises:
        DependencyError: Ray is not installed, or no cluster answers.
        InputError: an address that is none.
    """
    if address is not None and address.startswith("ray://"):
        raise InputError(
            f"--ray-address {address}: give the address of the cluster's head, such as 10.0.0.1:6379, or auto, "
            "and start the command on one of its nodes"
        )
    os.environ.update({name: value for name, value in _QUIET.items() if name not in os.environ})
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise DependencyError(f"--engine ray needs Ray: {INSTALL} ({first_line(error)})") from error
    _hush()
    with _own_signals(), _no_native_words():
        if address is None:
            _start(workers)
        else:
            _join(address)
    _hush()
    # It prints every worker that dies on standard output, among the results. That the work goes on is no news.
    if hasattr(ray._private.worker, "print_to_stdstream"):
        ray._private.worker.print_to_stdstream = _nowhere
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.execution_options.preserve_order = True
    # Tasks whose lost results are made again; the other kind keeps them in actors, and they die with these.
    context.shuffle_strategy = ray.data.context.ShuffleStrategy.SORT_SHUFFLE_PULL_BASED


def _start(workers: int | None) -> None:
    import ray

    for again in (True, True, False):
        try:
            # Without the word it would join whatever runs on this machine already.
            ray.init(address="local", num_cpus=workers, include_dashboard=False, **_SILENT)
            return
        # A plain Exception, for one, when the machine is too busy to start it in half a minute.
        except Exception as error:
            ray.shutdown()
            if not again:
                raise DependencyError(
                    f"Ray cannot be started on this machine ({first_line(error)}); wait until it is less busy, or "
                    "leave out --engine ray"
                ) from error


def _join(address: str) -> None:
    import ray

    # Seconds-long attempts, not twenty of them.
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "2")
    try:
        _knock(address)
        ray.init(address=address, **_SILENT)
    # Whatever a cluster that does not answer makes of it: ConnectionError, RuntimeError, ValueError, OSError.
    except Exception as error:
        if any(isinstance(cause, ray.exceptions.AuthenticationError) for cause in causes(error)):
            raise DependencyError(
                f"the Ray cluster at {address} wants its token: set RAY_AUTH_MODE=token, with the head's "
                "~/.ray/auth_token on every node; --ray-address auto sets it by itself"
            ) from error
        raise DependencyError(
            f"no Ray cluster at {address} ({first_line(error)}); `ray status` on its head tells whether it runs, "
            "and this command has to be on one of its nodes"
        ) from error


def _knock(address: str) -> None:
    """Ray tries for a quarter of an hour to reach a head that is not there.

    Raises:
        Exception: nobody listens at the address.
    """
    from ray._private.services import canonicalize_bootstrap_address_or_die

    host, _, port = canonicalize_bootstrap_address_or_die(address).rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()


def disconnect() -> None:
    """End what was started here, or leave the cluster."""
    import ray

    with _own_signals():
        ray.shutdown()


def _nowhere(*_told: object, **_more: object) -> None:
    """Nobody reads it."""


def _hush() -> None:
    from ray.util.annotations import RayDeprecationWarning

    # Advice to us, of a version that pyproject.toml pins; Ray asks for it to be shown.
    warnings.simplefilter("ignore", RayDeprecationWarning)
    logging.getLogger("ray").setLevel(logging.CRITICAL + 1)
    # It has handlers of its own; the one that writes into Ray's session folder stays.
    own = logging.getLogger("ray.data")
    for handler in list(own.handlers):
        if type(handler).__name__ != "SessionFileHandler":
            own.removeHandler(handler)


@contextlib.contextmanager
def _no_native_words() -> Iterator[None]:
    """Native code tells that it was told to tell nothing, and what it starts inherits the stream."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Ray takes SIGTERM for itself; the command line has an answer to it already."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
