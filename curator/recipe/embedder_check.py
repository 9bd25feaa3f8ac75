"""Whether what a recipe names as its sentence embedder can be one, without loading it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")
_WEIGHTS = ("*.safetensors", "*.bin")


def embedder_problem(name: str) -> str:
    """What is wrong with it; empty for a folder that holds a model, and for what may be an id of the hub."""
    folder = Path(os.path.expanduser(name))
    if folder.is_dir():
        return _folder_problem(folder)
    if folder.exists():
        return f"{name} is a file; name the folder of a sentence-transformers model"
    if _HUB_ID.fullmatch(name):
        return ""
    return f"no such folder {name}; name one with a sentence-transformers model, or a hub id (owner/name)"


def _folder_problem(folder: Path) -> str:
    """What keeps a folder from being loaded: its list of modules, else its configuration, or its weights."""
    modules, config = folder / "modules.json", folder / "config.json"
    if modules.is_file():
        listed = _read(modules)
        if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
            return f"{modules} is no list of modules; fetch the model again"
    elif not config.is_file():
        return f"{folder} holds no model (neither modules.json nor config.json)"
    elif not isinstance(_read(config), dict):
        return f"{config} is no JSON object; fetch the model again"
    if not any(next(folder.rglob(pattern), None) for pattern in _WEIGHTS):
        return f"{folder} holds no weights (.safetensors or .bin); fetch the model again"
    return ""


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
