"""A small hub on this machine: the parts of the hub's interface that reading a data set uses, with faults."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep  # bound now: tests replace time.sleep
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

LFS_BYTES = 4096  # larger files are kept as LFS files, and served by the storage host


@dataclass
class Repo:
    """A data set: its commits (oldest first) and who may read it."""

    commits: dict[str, dict[str, bytes]]
    branches: dict[str, str]
    gated: bool = False
    private: bool = False


@dataclass
class Fault:
    """Something that goes wrong with the next ``times`` requests whose path has ``where`` in it.

    ``kind``: ``status`` (answer with ``value``), ``cut`` (close after ``value`` bytes of the body), ``slow``
    (wait ``value`` seconds first), ``no_range`` (ignore ranges), ``wrong_range`` (give the file's start),
    ``lie`` (other bytes of the same length), ``reset`` (close at once), ``html`` (a page instead of JSON).
    """

    where: str
    kind: str
    value: float = 0
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class LoopbackHub:
    """The hub's state, and what it was asked."""

    token: str = "hf_right"
    page: int = 1000
    repos: dict[str, Repo] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    stored: dict[str, bytes] = field(default_factory=dict)
    port: int = 0

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def storage(self) -> str:
        """Another host name of the same server: what a hub's storage is to its readers."""
        return f"http://localhost:{self.port}"

    def add(self, name: str, files: dict[str, bytes], **settings: Any) -> str:
        """Commit files to ``main``; returns the commit."""
        self.stored |= {hashlib.sha256(content).hexdigest(): content for content in files.values()}
        digest = hashlib.sha1(usedforsecurity=False)
        for path in sorted(files):
            digest.update(path.encode() + b"\0" + files[path] + b"\0")
        commit = digest.hexdigest()
        repo = self.repos.setdefault(name, Repo({}, {}, **settings))
        repo.commits[commit] = dict(files)
        repo.branches["main"] = commit
        return commit

    def fail(self, where: str, kind: str, value: float = 0, times: int = 1, **headers: str) -> None:
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        self.faults.append(Fault(where, kind, value, times, named))

    def paths(self, method: str | None = None) -> list[str]:
        return [path for verb, path, _ in self.asked if method in (None, verb)]

    def take(self, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.where in path and fault.times > 0:
                fault.times -= 1
                return fault
        return None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader that hangs up is part of the tests."""


@contextmanager
def serving(hub: LoopbackHub, kind: type[HubHandler] | None = None) -> Iterator[LoopbackHub]:
    handler = type("Handler", (kind or HubHandler,), {"hub": hub})
    server = _Server(("127.0.0.1", 0), handler)
    hub.port = server.server_address[1]
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class HubHandler(BaseHTTPRequestHandler):
    hub: LoopbackHub
    protocol_version = "HTTP/1.1"
    # Headers and body are two writes: without this each answer waits 40 ms for the other side's receipt.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        fault = self.hub.take(self.path)
        if self.noted(fault):
            return
        url = urlsplit(self.path)
        if stored := re.fullmatch(r"/storage/(\w+)", url.path):
            return self._stored(stored[1], fault)
        if api := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/(revision|tree)/([^/]+))?", url.path):
            return self._api(api[1], api[2] or "revision", unquote(api[3] or "main"), parse_qs(url.query))
        if resolve := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", url.path):
            return self._resolve(resolve[1], unquote(resolve[2]), unquote(resolve[3]), fault)
        self.send_answer(404, b'{"error": "no such page"}')

    def noted(self, fault: Fault | None) -> bool:
        """Note what is asked; whether a fault has answered it already."""
        headers = {key.lower(): value for key, value in self.headers.items()}
        self.hub.asked.append((self.command, self.path, headers))
        if fault is None:
            return False
        if fault.kind == "slow":
            sleep(fault.value)
        elif fault.kind == "reset":
            self.close_connection = True
            self.connection.close()
        elif fault.kind == "status":
            self.send_answer(int(fault.value), b'{"error": "made to fail"}', fault.headers)
        elif fault.kind == "html":
            self.send_answer(200, b"<html>sign in</html>", {"Content-Type": "text/html"})
        return fault.kind in ("reset", "status", "html")

    def _repo(self, name: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        repo = self.hub.repos.get(name)
        given = self.headers.get("Authorization", "")
        allowed = given == f"Bearer {self.hub.token}"
        if given and not allowed:
            message = "Invalid credentials in Authorization header"
            self.send_answer(401, b'{"error": "Invalid credentials"}', {"X-Error-Message": message})
        elif repo is None or (repo.private and not allowed):
            code = 404 if allowed else 401
            self.send_answer(code, b'{"error": "Repository not found"}', {"X-Error-Code": "RepoNotFound"})
        elif repo.gated and not allowed:
            self.send_answer(401, b'{"error": "gated"}', {"X-Error-Code": "GatedRepo"})
        else:
            commit = repo.branches.get(revision, revision)
            if commit in repo.commits:
                return commit, repo.commits[commit]
            self.send_answer(404, b'{"error": "Invalid rev id"}', {"X-Error-Code": "RevisionNotFound"})
        return None

    def _api(self, name: str, what: str, revision: str, query: dict[str, list[str]]) -> None:
        found = self._repo(name, revision)
        if found is None:
            return
        commit, files = found
        if what == "revision":
            info = {
                "_id": "1",
                "id": name,
                "sha": commit,
                "private": self.hub.repos[name].private,
                "downloads": 0,
                "likes": 0,
                "tags": [],
            }
            info["siblings"] = [{"rfilename": path} for path in files]
            return self.send_answer(200, json.dumps(info).encode())
        entries = [entry_of(path, content) for path, content in sorted(files.items())]
        entries += [
            {"type": "directory", "path": folder, "oid": "0" * 40, "size": 0} for folder in _folders(files)
        ]
        start = int(query.get("cursor", ["0"])[0])
        end = start + self.hub.page
        headers = {}
        if end < len(entries):
            headers["Link"] = (
                f'<http://elsewhere.invalid{urlsplit(self.path).path}?recursive=true&cursor={end}>; rel="next"'
            )
        self.send_answer(200, json.dumps(entries[start:end]).encode(), headers)

    def _resolve(self, name: str, revision: str, path: str, fault: Fault | None) -> None:
        found = self._repo(name, revision)
        if found is None:
            return
        commit, files = found
        if path not in files:
            return self.send_answer(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
        content = files[path]
        entry = entry_of(path, content)
        headers = {"X-Repo-Commit": commit, "X-Linked-Size": str(len(content))}
        if "lfs" in entry:
            headers |= {"X-Linked-ETag": f'"{entry["lfs"]["oid"]}"'}
            headers |= {"Location": f"{self.hub.storage}/storage/{entry['lfs']['oid']}?signature=secret-signature"}
            return self.send_answer(302, b"", headers)
        self._body(content, headers | {"ETag": f'"{entry["oid"]}"'}, fault)

    def _stored(self, digest: str, fault: Fault | None) -> None:
        if digest in self.hub.stored:
            return self._body(self.hub.stored[digest], {"ETag": '"storage-etag"'}, fault)
        self.send_answer(404, b"")

    def _body(self, content: bytes, headers: dict[str, str], fault: Fault | None) -> None:
        kind = fault.kind if fault is not None else ""
        if kind == "lie":
            content = bytes(byte ^ 1 for byte in content)
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted is None or kind == "no_range":
            return self.send_answer(200, content, headers, fault)
        first = int(wanted[1])
        last = min(int(wanted[2] or len(content) - 1), len(content) - 1)
        if kind == "wrong_range":
            first, last = 0, last - first
        told = headers | {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
        self.send_answer(206, b"" if kind == "empty" else content[first : last + 1], told, fault)

    def send_answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, fault: Fault | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault is not None and fault.kind == "cut":
            body = body[: int(fault.value)]
            self.close_connection = True
        self.wfile.write(body)


@functools.cache
def entry_of(path: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    entry: dict[str, Any] = {"type": "file", "path": path, "oid": blob, "size": len(content)}
    if len(content) > LFS_BYTES:
        oid = hashlib.sha256(content).hexdigest()
        entry["lfs"] = {"oid": oid, "size": len(content), "pointerSize": 134}
    return entry


def _folders(files: dict[str, bytes]) -> list[str]:
    return sorted({path.rpartition("/")[0] for path in files if "/" in path})
