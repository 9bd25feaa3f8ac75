"""Whether a data set of the hub can be read from here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal

from huggingface_hub import constants

from curator.corpora.hub.listing_store import stored_commit
from curator.corpora.hub.place import DatasetPlace

NEWEST = "main"
PROBE_SECONDS = 4.0
State = Literal["hub", "cached", "offline"]


def hub_state(place: DatasetPlace) -> State:
    """What would happen on a read, without asking the hub.

    Returns:
        ``cached``: files of it were fetched before and are here; ``hub``: it would be fetched; ``offline``: it
        would have to be, and ``HF_HUB_OFFLINE`` forbids it.
    """
    commit = place.revision or stored_commit(place.id, NEWEST)
    if commit is not None and _has_files(place.id, commit):
        return "cached"
    return "offline" if constants.is_offline_mode() else "hub"


def probe(places: list[DatasetPlace]) -> list[str]:
    """Ask the hub for each data set, once and all at the same time.

    Returns:
        For each place an empty string when the hub knows it, else one line that says what is wrong.
    """
    if not places:
        return []
    with ThreadPoolExecutor(max_workers=len(places)) as pool:
        return list(pool.map(_ask, places))


def _ask(place: DatasetPlace) -> str:
    from curator.corpora.hub.failures import HUB_ERRORS, describe, root_of
    from curator.corpora.hub.hub_repository import newest_commit

    ask = partial(newest_commit, place.id, place.revision or NEWEST, PROBE_SECONDS)
    try:
        ask()
    except HUB_ERRORS as error:
        return str(describe(f"data set {place.id}", place.id, root_of(error)))
    return ""


def _has_files(dataset: str, commit: str) -> bool:
    folder = Path(constants.HF_HUB_CACHE) / f"datasets--{dataset.replace('/', '--')}" / "snapshots" / commit
    return any(path.is_file() and path.name != "README.md" for path in folder.rglob("*"))
