"""What safetensors says of a full disk, as the error that everything else raises then."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator


@contextlib.contextmanager
def disk_errors() -> Iterator[None]:
    """Around the writing of safetensors files.

    Raises:
        OSError: the disk is full or failed; an `atomic_folder` around it tells it.
    """
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        # The library wraps the system's error and keeps its words alone.
        code = errno.ENOSPC if "space" in str(error).lower() else errno.EIO
        raise OSError(code, str(error)) from error
