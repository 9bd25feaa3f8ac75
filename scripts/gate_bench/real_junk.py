"""Junk that no generator of ours made: certificates, digests, fonts and pictures in base64, compiled files."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from gate_bench.draw import draw_length, half_of, stream
from gate_bench.installed import SourceFile, library_files, package_files
from gate_bench.pieces import Piece

_BLOB = re.compile(r"[A-Za-z0-9+/]{160,}={0,2}")
_BINARY = (
    ("tzdata/zoneinfo", "[A-Z]*"), ("numpy", "*.npz"), ("scipy", "*.npz"), ("sklearn", "*.gz"), ("pandas", "*.so"),
    ("scipy", "*.so"), ("numpy", "*.so"), ("sklearn", "*.so"), ("humanize", "*.mo"), ("dateutil", "*.gz"),
    ("sklearn", "*.jpg"), ("pyarrow", "*.so"),
)  # fmt: skip
_WITH_BLOBS = (
    ("importlinter", "*.js"), ("pandas", "*.py"), ("*.dist-info", "*.json"), ("torch", "*.js"), ("PIL", "*.py"),
    ("sklearn", "*.css"), ("networkx", "*.py"), ("pip", "*.py"), ("fsspec", "*.py"),
)  # fmt: skip
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]+-----\n(.+?)\n-----END", re.S)
_HASH = re.compile(r"sha256=([\w-]{43})")
_HEX = re.compile(r"\b[0-9a-f]{64,}\b")


def certificates(half: int, count: int, seed: int) -> list[Piece]:
    """The bodies of certificates and keys: certifi's, and those of the standard library's tests."""
    files = [*package_files("certifi", "*.pem", 9), *package_files("pip/_vendor/certifi", "*.pem", 9)]
    files += [*library_files("test/*.pem"), *library_files("test/certdata/**/*.pem")]
    draw, found = stream(seed, "certificates", half), []
    bodies = sorted({(body, file.name) for file in files for body in _PEM.findall(file.text())})
    seen: set[str] = set()
    for body, name in bodies:
        if body in seen or half_of(body) != half or ":" in body:
            continue
        seen.add(body)
        lines = body.split("\n")
        start = draw.randrange(max(1, len(lines) - 3))
        text = "\n".join(lines[start:])[: draw_length(draw, 64)]
        if len(text) >= 60:
            found.append(Piece(text.strip(), name))
    draw.shuffle(found)
    return found[:count]


def record_digests(half: int, count: int, seed: int) -> list[Piece]:
    """The column of digests in installed packages' RECORD files."""
    draw, found = stream(seed, "record", half), []
    for file in package_files("*.dist-info", "RECORD", 1):
        digests = list(dict.fromkeys(_HASH.findall(file.text())))
        if file.half != half or len(digests) < 3:
            continue
        for _ in range(2):
            at, size = draw.randrange(len(digests)), max(1, draw_length(draw) // 44)
            text = draw.choice(["\n", "\n", " ", ", "]).join(digests[at : at + size])
            if len(text) >= 43:
                found.append(Piece(text[:4000], file.name))
    draw.shuffle(found)
    return found[:count]


def compiled(half: int, count: int, seed: int) -> list[Piece]:
    """Binary files read as Latin-1 or as UTF-8 with replacements: time zones, archives, libraries, pictures."""
    files: list[SourceFile] = []
    for package, pattern in _BINARY:
        files += package_files(package, pattern, 9)[:60]
    files += library_files("test/*.gz") + library_files("test/*.tar") + library_files("test/*/*.wav")
    draw, found = stream(seed, "compiled", half), []
    for file in files:
        if half_of(file.name) == half:
            found += [Piece(text, file.name) for text in decoded(file, draw_length(draw), draw.random())]
    draw.shuffle(found)
    return found[:count]


def decoded(file: SourceFile, length: int, where: float) -> Iterator[str]:
    """A stretch of a file's bytes as text, if it clearly is none; ``where`` draws the place and the encoding."""
    with file.path.open("rb") as handle:
        size = file.path.stat().st_size
        handle.seek(int(where * max(0, size - 2 * length)))
        raw = handle.read(length)
    text = raw.decode("latin-1") if where < 0.6 else raw.decode("utf-8", errors="replace")
    text = text.strip("\x00 \n")
    # A stretch of zeros, or of names in a table of symbols, is not clearly junk.
    strange = sum(not char.isprintable() or not char.isascii() for char in text)
    if len(text) >= 40 and strange > 0.3 * len(text) and text.count("\x00") < 0.5 * len(text):
        yield text


def blobs(half: int, count: int, seed: int) -> list[Piece]:
    """Long base64 and hexadecimal runs inside installed files: fonts, pictures, test vectors, digests."""
    files = [file for package, pattern in _WITH_BLOBS for file in package_files(package, pattern, 9)]
    files += [
        file for pattern in ("test/*.py", "test/*/*.py", "*.py", "idlelib/*.py") for file in library_files(pattern)
    ]
    draw, found, seen = stream(seed, "blobs", half), [], set()
    for file in files:
        text = file.text()
        digests = [run for run in _HEX.findall(text) if len(set(run)) > 8]
        runs = [run for run in _BLOB.findall(text) if sum(map(str.isdigit, run)) > 6 and len(set(run)) > 24]
        mine = [run for run in dict.fromkeys(digests) if half_of(run) == half and run not in seen]
        seen.update(mine)
        found += [
            Piece(run[: max(160, draw_length(draw))], file.name) for run in runs[:12] if half_of(run) == half
        ]
        found += [Piece(run, file.name) for run in _columns(mine, draw)]
    draw.shuffle(found)
    return found[:count]


def _columns(digests: list[str], draw: random.Random) -> Iterator[str]:
    """The digests in columns of drawn lengths; twenty columns at most."""
    at = 0
    for _ in range(20):
        size = max(1, draw_length(draw, 64, 2600) // 65)
        if at + size > len(digests):
            return
        yield "\n".join(digests[at : at + size])
        at += size
