"""Text that packs to next to nothing."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zstandard import ZstdCompressor

# Characters of a text that are packed; it packs alike whatever its length from here on.
_PACKED, _LEVEL = 1 << 15, 1


def compression(text: str) -> float:
    """See `Repetition`; of a text that is not empty."""
    data = text[:_PACKED].encode("utf-8", "surrogatepass")
    return max(len(data) / len(_packer().compress(data)), 1.0)


@functools.cache
def _packer() -> ZstdCompressor:
    import zstandard

    # Its tables are made once: a third of what zlib costs, which makes them for every text.
    return zstandard.ZstdCompressor(level=_LEVEL, write_content_size=False)
