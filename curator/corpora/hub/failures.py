"""What the hub's failures are in one line.

Only names and numbers go into a message, never the text of an exception: that may hold an address with a
signature in it, or a header with a token.
"""

from __future__ import annotations

import errno
from urllib.parse import urlsplit

import httpx
from huggingface_hub import constants
from huggingface_hub.errors import (
    DisabledRepoError,
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from curator._errors import CurateError, DependencyError, InputError

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
_PASSING_STATUS = {408, 429, 500, 502, 503, 504}
# What a machine without network can do.
OR_LOCAL = "or give a local copy: dataset: FOLDER"

# What the hub library and the network raise. ValueError: an id or token that cannot be one, or an answer that
# is no JSON, as from the sign-in page of a hotel's network. RuntimeError: all that goes wrong in hf_xet, the
# compiled downloader of the hub's newer storage.
HUB_ERRORS = (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, RuntimeError)


def root_of(error: Exception) -> Exception:
    """The failure behind the hub library's "not in the cache, and could not be fetched"."""
    cause = error.__cause__
    wraps = isinstance(error, LocalEntryNotFoundError | ValueError) and not isinstance(error, HfHubHTTPError)
    return root_of(cause) if wraps and isinstance(cause, Exception) else error


def is_passing(error: Exception) -> bool:
    """Whether the same call may well succeed in a moment."""
    if isinstance(error, HfHubHTTPError):
        return error.response.status_code in _PASSING_STATUS
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        return False
    return isinstance(error, httpx.TransportError | RuntimeError)


def retry_after(error: Exception) -> float | None:
    """Seconds that the server asks to wait; ``None`` when it does not say."""
    if not isinstance(error, HfHubHTTPError):
        return None
    value = error.response.headers.get("Retry-After", "").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 7 else None


def describe(what: str, dataset: str, error: Exception) -> CurateError:
    """The failure as one of our errors, in one line.

    Args:
        what: what was wanted: ``data set owner/name``, or a file of it.
        dataset: the data set's id.
        error: what the hub library or the network raised.
    """
    return _absent(what, dataset, error) or _refused(what, dataset, error) or _broken(what, error)


def _absent(what: str, dataset: str, error: Exception) -> CurateError | None:
    if isinstance(error, HFValidationError):
        return InputError(f"{what}: not an id of the hub (owner/name), and no folder of that name is here")
    if isinstance(error, UnicodeEncodeError):
        return InputError(f"{what}: HF_TOKEN holds characters that no token has; copy it again")
    if isinstance(error, RevisionNotFoundError):
        return InputError(f"{what}: no such revision; see {page(dataset)}/commits/main")
    if isinstance(error, EntryNotFoundError) and not isinstance(error, LocalEntryNotFoundError):
        return InputError(f"{what}: no such file in this revision")
    return None


def _refused(what: str, dataset: str, error: Exception) -> CurateError | None:
    if isinstance(error, DisabledRepoError):
        return DependencyError(f"{what}: switched off by the hub; choose another data set")
    if isinstance(error, GatedRepoError) or _status(error) == 403:
        return DependencyError(
            f"{what}: gated; accept its terms on {page(dataset)} and set HF_TOKEN to a token of that account"
        )
    if _status(error) == 401 and "Invalid" in str(_header(error, "X-Error-Message")):
        return DependencyError(f"{what}: the hub does not know the token in HF_TOKEN; set a valid one or none")
    if isinstance(error, RepositoryNotFoundError):
        return InputError(
            f"{what}: not on the hub, or private; check the name, or set HF_TOKEN to a token that may read it"
        )
    return None


def _broken(what: str, error: Exception) -> CurateError:
    if isinstance(error, OfflineModeIsEnabled):
        return DependencyError(f"{what}: not in the cache, and HF_HUB_OFFLINE is set; unset it, {OR_LOCAL}")
    status = _status(error)
    if status == 429:
        wait = retry_after(error)
        when = f"in {wait:.0f} seconds" if wait else "later"
        return DependencyError(f"{what}: too many requests to {host()}; try again {when}, or set HF_TOKEN")
    if status is not None:
        return DependencyError(f"{what}: {host()} answers {status}; try again later")
    if isinstance(error, httpx.TimeoutException):
        return DependencyError(f"{what}: {host()} does not answer in time; check the network, {OR_LOCAL}")
    if isinstance(error, httpx.HTTPError | httpx.InvalidURL | ConnectionError):
        return DependencyError(
            f"{what}: no connection to {host()} ({type(error).__name__}); check the network and HF_ENDPOINT, "
            f"{OR_LOCAL}"
        )
    if isinstance(error, RuntimeError):
        return DependencyError(f"{what}: the hub's Xet storage failed; try again, or set HF_HUB_DISABLE_XET=1")
    if isinstance(error, OSError) and error.errno in _DISK_FULL:
        return DependencyError(f"{what}: the disk is full; free space, or set HF_HOME to a folder on another disk")
    if isinstance(error, OSError) and error.errno is not None:
        return DependencyError(f"{what}: the cache cannot be used ({error.strerror}); set HF_HOME elsewhere")
    return DependencyError(f"{what}: {host()} did not send what was asked for; check HF_ENDPOINT, and try again")


def page(dataset: str) -> str:
    """Where people read about a data set."""
    return f"https://{host()}/datasets/{dataset}"


def host() -> str:
    """The hub's name, without what an endpoint's address may hold beside it."""
    return urlsplit(constants.ENDPOINT).hostname or "the hub"


def _status(error: Exception) -> int | None:
    return error.response.status_code if isinstance(error, HfHubHTTPError) else None


def _header(error: Exception, name: str) -> str | None:
    return error.response.headers.get(name) if isinstance(error, HfHubHTTPError) else None
