"""What the hub's failures mean for somebody who publishes, in one line each."""

from __future__ import annotations

from huggingface_hub.errors import HfHubHTTPError

from curator._errors import CurateError, DependencyError, InputError, RefusedError
from curator.corpora.hub.failures import describe, host


def describe_push(what: str, repository: str, error: Exception) -> CurateError:
    """As `describe`, for calls that write.

    Args:
        what: what was done: ``data set owner/name``.
        repository: ``owner/name``.
        error: what the hub library or the network raised.
    """
    owner = repository.partition("/")[0]
    status = error.response.status_code if isinstance(error, HfHubHTTPError) else None
    if status == 403:
        return DependencyError(
            f"{what}: the token in HF_TOKEN may not write to {owner}; make one that may on https://{host()}/settings/tokens"
        )
    if status in (409, 412):
        return RefusedError(
            f"{what}: somebody else changed it meanwhile; look at it, then run the same command again"
        )
    if status in (400, 422) or (type(error) is ValueError and str(error).startswith("Invalid metadata")):
        return InputError(f"{what}: the hub does not accept the files; look at the head of README.md")
    if status == 413:
        return DependencyError(f"{what}: {host()} finds the set too large; see the storage limits of {owner}")
    return describe(what, repository, error)
