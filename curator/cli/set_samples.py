"""Reading a set folder with all that its samples are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.adapters.stored_set import read_set
from curator.cli.set_manifest import check_manifest


def read_samples(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A set's manifest, and its samples with ``input_ids`` and ``parts``.

    Raises:
        InputError: no set folder, damaged, or changed by hand.
    """
    if not (folder / "manifest.json").is_file() or not (folder / "samples.jsonl").is_file():
        raise InputError(f"{folder}: no set folder (manifest.json and samples.jsonl); give one of curate build's")
    stored = read_set(folder)
    if not stored.rows:
        raise InputError(f"{folder}: the set has no samples; build it again")
    check_manifest(folder, stored.manifest)
    samples = []
    with (folder / "samples.jsonl").open(encoding="utf-8-sig", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                samples.append(json.loads(line))
                if not _sound(samples[-1]):
                    raise InputError(
                        f"{folder / 'samples.jsonl'}:{number}: parts must lie end to end in input_ids, each with "
                        "an id; build the set again"
                    )
    return stored.manifest, samples


def _sound(sample: Mapping[str, Any]) -> bool:
    """Whether the parts of a sample cover its ids from the first part on."""
    parts, at = sample.get("parts"), None
    if not isinstance(parts, list) or not parts:
        return False
    for part in parts:
        if not isinstance(part, dict) or not isinstance(part.get("id"), str):
            return False
        start, end = part.get("start"), part.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start < end or at not in (None, start):
            return False
        at = end
    return at == len(sample["input_ids"])
