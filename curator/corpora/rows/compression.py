"""Compressed files, told by their first bytes and never by their names."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import zstandard

from curator._errors import InputError
from curator.corpora.rows.inflation import STREAM_RATIO, Inflation

# The second zstd form is a skippable frame, which parallel compressors put first.
_MAGIC = (
    ("gzip", re.compile(rb"\x1f\x8b\x08")),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")),
    ("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")),
    ("xz", re.compile(rb"\xfd7zXZ\x00")),
)
# A stream may expand a thousandfold: output comes in steps, so that memory does not follow it.
_STEP = 1 << 20
# Four bytes of zstd can say 128 KB.
_ZSTD_FEED = 1 << 11
# What `zstd --ultra --long=31` writes; a frame claims no more of it than it fills.
_ZSTD_WINDOW = 1 << 31
_XZ_MEMORY = 1 << 30


class _Decoder(Protocol):
    """The part of the standard library's decompressors that is used here."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def compression_of(head: bytes) -> str:
    """``gzip``, ``zstd``, ``bzip2`` or ``xz``; empty for anything else.

    ``head`` has ten bytes or all there are.
    """
    return next((name for name, magic in _MAGIC if magic.match(head)), "")


def decompressed(blocks: Iterable[bytes], kind: str, name: str) -> Iterator[bytes]:
    """The content of all members (frames, streams) of a compressed file, in blocks of bounded size.

    Zero bytes behind a member are padding (tapes, block devices) and are passed over; anything else there must be
    another member.

    Args:
        blocks: the stored bytes; about 64 KiB each is best.
        kind: as `compression_of` tells.
        name: what errors call the file.

    Raises:
        InputError: the file ends within a member, is damaged, or expands beyond what a file may.
    """
    decoder: _Decoder | None = None
    first = True
    inflation = Inflation(name, STREAM_RATIO)
    for block in blocks:
        data = block
        inflation.stored += len(block)
        while True:
            if decoder is None:
                data = data if first else data.lstrip(b"\0")
                if not data:
                    break
                decoder, first = _DECODERS[kind](), False
            out = _step(decoder, data, kind, name)
            if out:
                inflation.add(len(out))
                # Lines are cut out of whole blocks: of blank ones a zstd block of 64 MB holds 64 million.
                for at in range(0, len(out), _STEP):
                    yield out[at : at + _STEP]
            if decoder.eof:
                data, decoder = decoder.unused_data, None
            elif decoder.needs_input:
                break
            else:
                data = b""
    if decoder is not None:
        raise InputError(f"{name}: truncated, the {kind} data ends too early; copy or download the file again")


def _step(decoder: _Decoder, data: bytes, kind: str, name: str) -> bytes:
    try:
        return decoder.decompress(data, _STEP)
    except (zlib.error, zstandard.ZstdError, lzma.LZMAError, OSError, EOFError) as error:
        raise InputError(f"{name}: damaged {kind} data ({error}); copy or download the file again") from error


class _Gzip:
    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self._full = False

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._full and not self._stream.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._stream.decompress(data or self._stream.unconsumed_tail, max_length)
        self._full = len(out) == max_length
        return out


class _Zstd:
    """Frames are fed in small pieces: zstandard's object has no limit on its output."""

    def __init__(self) -> None:
        self._stream = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        self._data = b""
        self._at = 0

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data + self._data[self._at :]

    @property
    def needs_input(self) -> bool:
        return self._at >= len(self._data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if data:
            self._data, self._at = data, 0
        piece = self._data[self._at : self._at + _ZSTD_FEED]
        self._at += len(piece)
        return self._stream.decompress(piece)


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gzip": _Gzip,
    "zstd": _Zstd,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
}
