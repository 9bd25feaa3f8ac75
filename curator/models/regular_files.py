"""Files of a model folder that are none: opening a pipe waits for ever for someone to write into it."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

from curator._errors import InputError

# What we and the libraries open by its name.
_READ = ("*.safetensors", "*.json", "*.jinja", "*.model", "*.txt", "*.py", "*.tiktoken")


def refuse_irregular(folder: Path) -> None:
    """Refuse a model or checkpoint folder in which something that would be read is no regular file.

    A folder that is not there is for its reader to tell.

    Raises:
        InputError: names it: a pipe, a device, a folder, or a link that leads nowhere; or the folder cannot be
            read.
    """
    try:
        named = [name for name in os.listdir(folder) if any(fnmatch.fnmatchcase(name, kind) for kind in _READ)]
        odd = sorted(name for name in named if not (folder / name).is_file())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from error
    if odd:
        raise InputError(f"{folder / odd[0]}: {_kind(folder / odd[0])}; put the file itself there, or take it out")


def _kind(path: Path) -> str:
    if path.is_dir():
        return "a folder, where a file is read"
    return "a pipe or a device, which is not read" if path.exists() else "a link that leads nowhere"
