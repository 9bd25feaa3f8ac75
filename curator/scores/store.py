"""Scores computed once and kept on disk, by the content they are of.

One SQLite file in the user's cache folder, shared by all processes (write-ahead log, waiting instead of failing).
Each row carries a checksum. A broken row or file is told once, and what it held is computed again; a disk that
cannot be written is told once, and all goes on without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curator.models.embedded import cache_folder

NAME = "scores-1.sqlite"
_WAIT_SECONDS = 30.0
_RETRY_SECONDS = 0.05
_TABLE = (
    "CREATE TABLE IF NOT EXISTS scores "
    "(key TEXT PRIMARY KEY, value BLOB NOT NULL, vector BLOB NOT NULL, checksum BLOB NOT NULL) WITHOUT ROWID"
)

Value = dict[str, Any]


def content_key(*parts: str) -> str:
    """A key of what a score depends on: sha256 of the parts, each with its length before it."""
    digest = hashlib.sha256()
    for part in parts:
        # Lone surrogates come in hostile text; they have to have a key too.
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


Entry = tuple[str, Value, bytes]
"""A key, and the value and the bytes that are kept under it."""


class ScoresInMemory:
    """Values of one process, to be sent to the one that keeps them."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Value, bytes]] = {}

    def get(self, key: str) -> tuple[Value, bytes] | None:
        """See `ScoreStore`."""
        return self._kept.get(key)

    def put(self, key: str, value: Value, vector: bytes = b"") -> None:
        """See `ScoreStore`."""
        self._kept[key] = (value, vector)

    def take(self) -> list[Entry]:
        """All that was put, which is then forgotten."""
        taken = [(key, *kept) for key, kept in self._kept.items()]
        self._kept.clear()
        return taken


class ScoreStore:
    """Values by key, each a flat or nested JSON object and some bytes.

    Floats are read back bit-equal: JSON is written with their shortest exact form.

    Args:
        tell: called with one line when the store is broken or cannot be written, at most once for each.
        folder: where the file is; ``None`` for the user's cache folder.
    """

    def __init__(self, tell: Callable[[str], None], folder: Path | None = None) -> None:
        self._path = (cache_folder() if folder is None else folder) / NAME
        self._tell = tell
        self._told: set[str] = set()
        self._connection: sqlite3.Connection | None = None
        self._usable = True

    def get(self, key: str) -> tuple[Value, bytes] | None:
        """What was put under the key, or ``None``."""
        rows = self._run("SELECT value, vector, checksum FROM scores WHERE key = ?", (key,))
        return self._checked(key, *rows[0]) if rows else None

    def put(self, key: str, value: Value, vector: bytes = b"") -> None:
        """Keep a value; one that is there already is replaced."""
        text = json.dumps(value, allow_nan=False).encode()
        self._run(
            "INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)", (key, text, vector, _checksum(key, text, vector))
        )

    def close(self) -> None:
        """Let go of the file; a later call opens it again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _checked(self, key: str, text: object, vector: object, checksum: object) -> tuple[Value, bytes] | None:
        # A damaged page may give back other types than were written.
        if isinstance(text, bytes) and isinstance(vector, bytes) and checksum == _checksum(key, text, vector):
            value: Value = json.loads(text)
            return value, vector
        self._tell_once("row", f"{self._path}: a stored score is damaged; it is computed again")
        return None

    def _run(self, statement: str, values: tuple[str | bytes, ...]) -> list[tuple[object, ...]]:
        """The rows of one statement; no failure of the file leaves this class."""
        try:
            connection = self._open()
            return [] if connection is None else connection.execute(statement, values).fetchall()
        # "Locked", "read-only", "disk is full", "unable to open": the file may be sound.
        except (sqlite3.OperationalError, OSError) as error:
            self.close()
            self._usable = False
            self._tell_once("disk", f"{self._path}: scores are not kept ({error}); they are computed each time")
        except sqlite3.DatabaseError as error:
            self._tell_once(
                "file", f"{self._path}: the stored scores are damaged ({error}); they are computed again"
            )
            self._begin_anew()
        return []

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is None and self._usable:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # isolation_level None: every statement is its own transaction, so no process holds the lock for long.
            connection = sqlite3.connect(
                self._path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection = connection
            _write_ahead(connection)
            # A power cut may lose the last scores, never the file.
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(_TABLE)
        return self._connection

    def _begin_anew(self) -> None:
        self.close()
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        except OSError:
            self._usable = False

    def _tell_once(self, kind: str, line: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            self._tell(line)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the file to a write-ahead log; of all statements this one does not wait while others switch it."""
    started = time.monotonic()
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() - started > _WAIT_SECONDS:
                raise
            time.sleep(_RETRY_SECONDS)


def _checksum(key: str, text: bytes, vector: bytes) -> bytes:
    return hashlib.sha256(b"%s %d %s%s" % (key.encode(), len(text), text, vector)).digest()
