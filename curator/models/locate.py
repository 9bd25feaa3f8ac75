"""From what the user calls a model to a local folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from curator._errors import InputError, did_you_mean
from curator._files import read_json
from curator._progress import Narrator
from curator.models.embedded import EMBEDDED, materialise
from curator.models.regular_files import refuse_irregular

DEFAULT_MODEL = "smollm2-135m-instruct"
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


def locate_tokenizer(name: str, narrator: Narrator | None = None) -> Path:
    """The folder of a model's tokenizer: as `locate_model`, or a folder that holds a tokenizer and no model.

    Raises:
        InputError: as `locate_model`.
        DependencyError: as `locate_model`.
    """
    folder = Path(os.path.expanduser(name))
    if not any((folder / file).is_file() for file in ("tokenizer.json", "tokenizer_config.json")):
        return locate_model(name, narrator)
    refuse_irregular(folder)
    return folder.resolve()


def locate_model(name: str, narrator: Narrator | None = None) -> Path:
    """The folder of a model: a local folder, an embedded model's name, or a hub id.

    Args:
        name: what the user calls it.
        narrator: told when an embedded model is unpacked.

    Raises:
        InputError: nothing of that name, which says what was tried; or a file in the folder is none.
        DependencyError: an embedded model whose package is not installed.
    """
    folder = Path(os.path.expanduser(name))
    if folder.is_dir():
        refuse_irregular(folder)
        if not (folder / "config.json").is_file():
            raise InputError(f"model {name}: the folder has no config.json; give a transformers model folder")
        _check_config(folder)
        return folder.resolve()
    if os.path.lexists(folder):
        raise InputError(f"model {name}: no folder but a file, a device or a broken link; give the model's folder")
    by_hub_id = {model.hub_id: model for model in EMBEDDED.values()}
    model = EMBEDDED.get(name)
    if model is not None:
        return materialise(model, narrator)
    if _HUB_ID.fullmatch(name):
        found = _from_hub(name)
        if found is not None:
            return found
        if name in by_hub_id:
            return materialise(by_hub_id[name], narrator)
        raise InputError(
            f"model {name}: not a folder, and not on the hub or in its cache; check the name and network"
        )
    hint = did_you_mean(name, EMBEDDED, f"embedded: {', '.join(EMBEDDED)}")
    raise InputError(f"model {name}: no such folder or model; {hint}")


def _check_config(folder: Path) -> None:
    """What every later reader of a model's config.json takes for granted."""
    config, file = read_json(folder / "config.json"), folder / "config.json"
    if not isinstance(config, dict):
        raise InputError(f"{file}: must be an object of settings; give a transformers model folder")
    if not isinstance(config.get("text_config"), dict | None):
        raise InputError(f"{file}: text_config must be an object of settings")
    size = config.get("vocab_size")
    if size is not None and type(size) is not int:
        raise InputError(f"{file}: vocab_size must be a whole number")


def model_name(name: str) -> str:
    """What a result calls a model: as the user does, but of a folder the last part alone."""
    folder = Path(os.path.expanduser(name))
    return folder.resolve().name if folder.is_dir() else name


def model_note(folder: Path) -> str:
    """What a report must say about a reference model; empty for most."""
    file = folder / "origin.json"
    origin = read_json(file) if file.is_file() else None
    return str(origin.get("note", "")) if isinstance(origin, dict) else ""


def _from_hub(name: str) -> Path | None:
    """The hub snapshot, from the cache when there is one; ``None`` when it cannot be had."""
    from httpx import HTTPError
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    # A model's own code is fetched with it, and runs only when it is trusted.
    patterns = ["*.json", "*.safetensors", "*.model", "*.jinja", "*.txt", "*.py"]
    try:
        cached = Path(snapshot_download(name, allow_patterns=patterns, local_files_only=True))
        # A cache may hold the tokenizer alone.
        if (cached / "config.json").is_file() and any(cached.glob("*.safetensors")):
            return cached
    except LocalEntryNotFoundError:
        pass
    except HFValidationError:
        return None
    if name in {model.hub_id for model in EMBEDDED.values()}:
        # Carried by a package: the network is not asked for what is at hand.
        return None
    try:
        fetched = Path(snapshot_download(name, allow_patterns=patterns))
    # Every failure of the hub's own is an OSError; httpx's are not.
    except (HTTPError, OSError):
        return None
    return fetched if (fetched / "config.json").is_file() else None
