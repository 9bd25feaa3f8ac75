"""Which files of a data set a configuration and a split are.

The rules are those of ``datasets``, resolved by it over the list of files; no file but the data set's card
(README.md) is read, and no script is ever run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from curator._errors import InputError, did_you_mean
from curator.corpora.hub.card_configs import card_configs
from curator.corpora.hub.listing_fs import PROTOCOL, ROOT
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.hub.repository import Listed, Repository

_COMPRESSED = {".gz", ".zst", ".zstd", ".bz2", ".xz"}
_FORMATS = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
}
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of the part that was asked for.

    Attributes:
        files: in the order of their paths.
        notes: what was left out, in words.
    """

    files: tuple[Listed, ...]
    notes: tuple[str, ...] = ()


def find_layout(repository: Repository, place: DatasetPlace) -> Layout:
    """Resolve ``place`` to files.

    Raises:
        InputError: the data set is a script; or there is no such configuration, split or file. Names what
            there is.
        DependencyError: the data set's card cannot be fetched.
    """
    if place.data_files is not None:
        return Layout(_explicit(repository, place.data_files))
    _refuse_script(repository)
    patterns = _split_patterns(repository, place.config)
    if place.split not in patterns:
        hint = _hint(place.split, patterns)
        if "[" in place.split:
            hint = f"write split: {place.split.partition('[')[0]}, and pool_rows for the number of rows"
        raise InputError(f"data set {repository.name}: no split {place.split!r}; {hint}")
    base, wanted = patterns[place.split]
    found = _resolve(repository, wanted, base)
    if not found:
        raise InputError(
            f"data set {repository.name}: split {place.split} names files that are not in it ({_shown(wanted)}); "
            f"there are: {_shown(file.path for file in repository.files)}"
        )
    return _one_format(repository, found)


def _explicit(repository: Repository, pattern: str) -> tuple[Listed, ...]:
    found = _resolve(repository, [pattern], ROOT)
    if not found:
        raise InputError(
            f"data set {repository.name}: no file matches data_files {pattern!r}; there are: "
            f"{_shown(file.path for file in repository.files)}"
        )
    return found


def _refuse_script(repository: Repository) -> None:
    paths = [file.path for file in repository.files]
    script = f"{PurePosixPath(repository.name).name}.py"
    if script in paths:
        data = [path for path in paths if _format(path)]
        copy = " or the hub's copy (revision: refs/convert/parquet)" if repository.commit else ""
        raise InputError(
            f"data set {repository.name}: made by a script ({script}), which is not run; read its files "
            f"(data_files: {data[0] if data else 'PATTERN'}){copy}; data files: {_shown(data)}"
        )


def _split_patterns(repository: Repository, config: str | None) -> dict[str, tuple[str, list[str]]]:
    """Of each split the folder that its patterns start from, and the patterns."""
    from datasets.data_files import EmptyDatasetError, get_data_patterns, sanitize_patterns

    configs = card_configs(repository)
    if not configs and config is not None and any(file.path.startswith(f"{config}/") for file in repository.files):
        # The hub's copies of script data sets have a folder for each configuration, and no card.
        configs = {config: {"data_dir": config}}
    name = _config_name(repository, configs, config)
    params = configs.get(name, {})
    base = f"{ROOT}/{_inside(repository, params['data_dir'])}" if params.get("data_dir") else ROOT
    try:
        if params.get("data_files") is not None:
            patterns = sanitize_patterns(params["data_files"])
        else:
            patterns = get_data_patterns(base, download_config=_download_config(repository))
    except (EmptyDatasetError, ValueError, FileNotFoundError) as error:
        raise InputError(
            f"data set {repository.name}: no data files are found in it; name them (data_files: ...); there are: "
            f"{_shown(file.path for file in repository.files)}"
        ) from error
    return {str(split): (base, [str(pattern) for pattern in listed]) for split, listed in patterns.items()}


def _config_name(repository: Repository, configs: dict[str, dict[str, Any]], config: str | None) -> str:
    names = list(configs) or ["default"]
    if config is None:
        defaults = [name for name in names if len(names) == 1 or name == "default" or configs[name].get("default")]
        if not defaults:
            raise InputError(f"data set {repository.name}: which config? it has: {_shown(names)}")
        return defaults[0]
    if config not in names:
        raise InputError(f"data set {repository.name}: no config {config!r}; {_hint(config, names)}")
    return config


def _resolve(repository: Repository, patterns: list[str], base: str) -> tuple[Listed, ...]:
    from datasets.data_files import resolve_pattern

    settings = _download_config(repository)
    paths: set[str] = set()
    for pattern in (_inside(repository, pattern) for pattern in patterns):
        whole = f"{base}/{pattern}".removeprefix(f"{ROOT}/")
        if any(file.path == whole for file in repository.files):
            # A name may hold what would be a pattern.
            paths.add(whole)
            continue
        try:
            found = resolve_pattern(pattern, base, download_config=settings)
        except FileNotFoundError:
            continue
        paths.update(path.removeprefix(f"{ROOT}/") for path in found)
    return tuple(file for file in repository.files if file.path in paths)


def _download_config(repository: Repository) -> Any:
    from datasets import DownloadConfig

    return DownloadConfig(storage_options={PROTOCOL: {"paths": tuple(file.path for file in repository.files)}})


def _inside(repository: Repository, pattern: str) -> str:
    """A pattern from a data set's card or a recipe, which may not lead out of the data set."""
    if "://" in pattern or "::" in pattern or pattern.startswith("/") or ".." in PurePosixPath(pattern).parts:
        raise InputError(
            f"data set {repository.name}: {pattern!r} leads out of the data set; only its own files are read"
        )
    return pattern.removeprefix("./")


def _one_format(repository: Repository, found: tuple[Listed, ...]) -> Layout:
    """The files of the most frequent format, as ``datasets`` does: the others often hold the same rows again."""
    counts = Counter(kind for file in found if (kind := _format(file.path)))
    if not counts:
        raise InputError(
            f"data set {repository.name}: no file of this split has a format that is read here "
            f"({', '.join(_FORMATS)}); its files: {_shown(file.path for file in found)}"
        )
    ranks = list(_FORMATS.values())
    best = min(counts, key=lambda kind: (-counts[kind], ranks.index(kind)))
    kept = tuple(file for file in found if _format(file.path) == best)
    left = [file.path for file in found if _format(file.path) not in {best, None}]
    notes = (f"{best} files are read; left out: {_shown(left)}",) if left else ()
    return Layout(kept, notes)


def _format(path: str) -> str | None:
    suffixes = [suffix.lower() for suffix in PurePosixPath(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _FORMATS.get(suffixes[-1]) if suffixes else None


def _hint(given: str, names: Iterable[str]) -> str:
    return did_you_mean(given, names, f"it has: {_shown(names)}")


def _shown(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return (", ".join(listed[:_SHOWN]) + more) or "none"
