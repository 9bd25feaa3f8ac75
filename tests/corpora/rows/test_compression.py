import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from curator._errors import InputError
from curator.corpora.rows.compression import compression_of, decompressed


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=1).compress(data)


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zstd": zstd,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def unpacked(data: bytes, size: int = 1 << 16) -> bytes:
    return b"".join(decompressed(cut(data, size), compression_of(data), "f"))


@given(st.sampled_from(sorted(PACK)), st.lists(st.binary(max_size=40), min_size=1, max_size=4), st.integers(1, 50))
def test_all_members_are_read_wherever_blocks_end(kind: str, members: list[bytes], size: int) -> None:
    data = b"".join(map(PACK[kind], members))
    assert compression_of(data) == kind
    assert unpacked(data, size) == b"".join(members)


@given(st.sampled_from(sorted(PACK)), st.data())
def test_a_file_cut_anywhere_is_truncated_or_ends_with_a_member(kind: str, data: st.DataObject) -> None:
    first, second = PACK[kind](b"one line\n" * 20), PACK[kind](b"another\n")
    whole = first + second
    end = data.draw(st.integers(12, len(whole) - 1))
    if end == len(first):
        assert unpacked(whole[:end]) == b"one line\n" * 20
        return
    with pytest.raises(InputError, match=rf"^f: truncated, the {kind} data ends too early"):
        unpacked(whole[:end])


@pytest.mark.parametrize("kind", PACK)
def test_zero_padding_is_passed_over_and_other_bytes_are_not(kind: str) -> None:
    data = PACK[kind](b"text")
    assert unpacked(data + b"\0" * 512) == b"text"
    assert unpacked(data + b"\0" * 512, size=7) == b"text"
    assert unpacked(data + b"\0" * 4 + PACK[kind](b" more")) == b"text more"
    with pytest.raises(InputError, match=rf"^f: damaged {kind} data"):
        unpacked(data + b"what is this?" * 3)


@pytest.mark.parametrize("kind", PACK)
def test_a_changed_byte_does_not_pass(kind: str) -> None:
    checked = zstandard.ZstdCompressor(write_checksum=True).compress if kind == "zstd" else PACK[kind]
    data = bytearray(checked(bytes(range(256)) * 40))
    data[len(data) // 2] ^= 0x55
    with pytest.raises(InputError, match=r"^f: (damaged|truncated)"):
        unpacked(bytes(data))


@pytest.mark.parametrize("kind", PACK)
def test_output_comes_in_small_blocks(kind: str) -> None:
    data = PACK[kind](b"a" * 30_000_000)
    blocks = list(decompressed([data], kind, "f"))
    assert sum(map(len, blocks)) == 30_000_000
    # zstd has no limit of its own; what a few bytes of it may grow to depends on its block size.
    assert max(map(len, blocks)) <= (1 << 20 if kind != "zstd" else 30_000_000)


def test_zstd_of_unknown_size_with_a_long_window_and_a_skippable_frame() -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=28, enable_ldm=True)
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    text = b"a line of text\n" * 1000
    frame = stream.compress(text) + stream.flush()
    skippable = bytes([0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0]) + b"abc"
    assert compression_of(skippable) == "zstd"
    assert unpacked(skippable + frame) == text


@pytest.mark.parametrize("plain", [b"", b"\x1f", b'{"text": 1}', b"BZhello", b"BZh9 is a name", b"(\xb5/"])
def test_plain_bytes_are_not_compressed(plain: bytes) -> None:
    assert compression_of(plain) == ""
