"""Calls to the hub: patience with faults that pass, one clear line for those that stay."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import TypeVar

from huggingface_hub.utils import logging as hub_logging

from curator._errors import CurateError
from curator.corpora.hub.failures import HUB_ERRORS, describe, is_passing, retry_after, root_of

Answer = TypeVar("Answer")

# Seconds before each further try: with the calls' own timeouts a dead hub is told within a minute.
WAITS = (1.0, 2.0, 4.0, 8.0)
# A longer wait than this, asked for by the server, is told to the user and not sat through.
LONGEST_WAIT = 60.0
TIMEOUT = 10.0


def hub_call(
    what: str,
    dataset: str,
    call: Callable[[], Answer],
    words: Callable[[str, str, Exception], CurateError] = describe,
) -> Answer:
    """The answer of ``call``, tried again while the fault is one that passes.

    Args:
        what: what is wanted, for the message: ``data set owner/name``, or a file of it.
        dataset: the data set's id.
        call: the call; tried anew from its start.
        words: makes our error of the hub library's.

    Raises:
        InputError: there is no such data set, revision or file.
        DependencyError: the network, the hub, its terms or the disk.
    """
    _quiet()
    for wait in (*WAITS, None):
        try:
            return call()
        except HUB_ERRORS as error:
            cause = root_of(error)
            asked = retry_after(cause)
            if wait is None or not is_passing(cause) or (asked or 0) > LONGEST_WAIT:
                raise words(what, dataset, cause) from None
            time.sleep(max(wait, asked or 0))
    raise AssertionError("the last try returns or raises")


def _quiet() -> None:
    """Keep the hub library's warnings off the terminal: they name addresses that are signed for this user."""
    if "HF_HUB_VERBOSITY" not in os.environ:
        hub_logging.set_verbosity(logging.ERROR)
