"""The configurations that a data set's card (README.md) declares."""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from curator._errors import InputError
from curator.corpora.hub.repository import Repository

_CARD = "README.md"
_FRONT_MATTER = re.compile(r"\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
# A header has a few lines a configuration; the parser takes seconds for a megabyte.
_MOST_BYTES = 256 * 1024
# The parser's time grows with the square of these.
_OPENINGS = re.compile(r"(?:[\[{]\s*){32}")
_KEYS = ("config_name", "data_files", "data_dir", "default")


def card_configs(repository: Repository) -> dict[str, dict[str, Any]]:
    """Each configuration's ``data_files``, ``data_dir`` and ``default``; none when the card declares none.

    Raises:
        InputError: the card's header is not usable.
        DependencyError: the card cannot be fetched.
    """
    card = next((file for file in repository.files if file.path == _CARD), None)
    if card is None:
        return {}
    with repository.source(card).open() as handle:
        text = handle.read(_MOST_BYTES).decode("utf-8-sig", "replace")
    header = _FRONT_MATTER.match(text)
    if header is None:
        return {}
    try:
        if _OPENINGS.search(header[1]):
            raise ValueError("nested too deeply")
        return _checked(_parsed(header[1]).get("configs"))
    except (YAMLError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        told = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(
            f"data set {repository.name}: the header of its README.md cannot be used ({told[0]}); "
            f"name its files instead (data_files: ...)"
        ) from error


def _parsed(header: str) -> dict[str, Any]:
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_duplicate_keys = True
    values = yaml.load(header)
    return values if isinstance(values, dict) else {}


def _checked(configs: Any) -> dict[str, dict[str, Any]]:
    from datasets.utils.metadata import MetadataConfigs

    if not configs:
        return {}
    # Other keys, such as columns' types, are of no use here, and may be of a kind that this version does not know.
    kept = [{key: config[key] for key in _KEYS if key in config} for config in configs]
    for config in kept:
        config["config_name"] = str(config["config_name"])
    return dict(MetadataConfigs.from_dataset_card_data({"configs": kept}))
