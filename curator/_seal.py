"""Stored JSON objects that tell when they were changed: by hand, or by a disk that keeps no checksums."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from curator._files import json_sha256

_CHECKSUM = "checksum"


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """An object with a checksum of all its values, for `unsealed` when it is read again."""
    # As it will be read: JSON turns numbers that are keys into text.
    return {**value, _CHECKSUM: json_sha256(json.loads(json.dumps(value, allow_nan=False)))}


def unsealed(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """What `sealed` was given, or ``None`` when it was changed since; one that never was sealed, as it is."""
    content = {name: item for name, item in value.items() if name != _CHECKSUM}
    return content if value.get(_CHECKSUM) in (None, json_sha256(content)) else None
