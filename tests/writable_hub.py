"""The loopback hub with the parts of the interface that publishing uses: make, preupload, LFS, commit, tag."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml
from loopback_hub import HubHandler, LoopbackHub, Repo, entry_of

FIRST = {".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}
SIGNED = "signature=secret-signature"


@dataclass
class WritableHub(LoopbackHub):
    """See `LoopbackHub`; ``owners`` are those that the token may write to."""

    owners: set[str] = field(default_factory=lambda: {"me"})
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    messages: list[tuple[str, str]] = field(default_factory=list)
    # Paths of commits that arrive, and are answered with nothing.
    lose_answers: int = 0

    def files(self, name: str) -> dict[str, bytes]:
        repo = self.repos[name]
        return repo.commits[repo.branches["main"]]


class WritableHandler(HubHandler):
    """Answers writes, and reads as before."""

    hub: WritableHub

    def do_POST(self) -> None:
        self._write()

    def do_PUT(self) -> None:
        self._write()

    def _write(self) -> None:
        body = self._body_sent()
        if self.noted(self.hub.take(self.path)):
            return None
        path = urlsplit(self.path).path
        if self.command == "PUT":
            return self._put(path.rpartition("/")[2], body)
        if self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            message = "Invalid credentials in Authorization header"
            return self.send_answer(401, b'{"error": "no"}', {"X-Error-Message": message})
        if path == "/api/validate-yaml":
            return self._validate(json.loads(body)["content"])
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        if batch := re.fullmatch(r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", path):
            return self._batch(json.loads(body)) if self._may_write(batch[1]) else None
        if call := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)/(preupload|commit|tag)/([^/]+)", path):
            return (
                getattr(self, f"_{call[2]}")(call[1], unquote(call[3]), body) if self._may_write(call[1]) else None
            )
        return self.send_answer(404, b'{"error": "no such page"}')

    def _body_sent(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _json(self, value: Any, status: int = 200) -> None:
        self.send_answer(status, json.dumps(value).encode())

    def _may_write(self, name: str) -> bool:
        if name.partition("/")[0] in self.hub.owners:
            return True
        self.send_answer(403, b'{"error": "Forbidden"}', {"X-Error-Message": "Forbidden: pass a write token"})
        return False

    def _validate(self, content: str) -> None:
        found = re.match(r"---\n(.*?)\n---\n", content, flags=re.DOTALL)
        head = yaml.safe_load(found[1]) if found else None
        if not isinstance(head, dict) or not re.fullmatch("[a-z0-9.-]+", str(head.get("license"))):
            return self._json({"errors": [{"message": '"license" must be one of [...]'}], "warnings": []}, 400)
        return self._json({"errors": [], "warnings": []})

    def _create(self, asked: dict[str, Any]) -> None:
        name = f"{asked['organization']}/{asked['name']}"
        if not self._may_write(name):
            return None
        if name in self.hub.repos:
            return self._json({"error": "You already created this dataset repo"}, 409)
        assert asked["type"] == "dataset"
        private = asked.get("visibility") == "private" or asked.get("private") is True
        self.hub.add(name, dict(FIRST), private=private)
        return self._json({"url": f"{self.hub.endpoint}/datasets/{name}"})

    def _preupload(self, name: str, revision: str, body: bytes) -> None:
        there = self.hub.files(name)
        told = []
        for file in json.loads(body)["files"]:
            # As a hub does by .gitattributes: tables and what is large go to the storage host.
            large = file["path"].endswith((".parquet", ".jsonl")) or file["size"] > 4096
            entry = entry_of(file["path"], there[file["path"]]) if file["path"] in there else {}
            told.append(
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if large else "regular",
                    "shouldIgnore": False,
                    "oid": entry.get("lfs", {}).get("oid", entry.get("oid")),
                }
            )
        self._json({"files": told})

    def _batch(self, asked: dict[str, Any]) -> None:
        assert asked["operation"] == "upload" and "basic" in asked["transfers"]
        objects = []
        for one in asked["objects"]:
            href = f"{self.hub.storage}/upload/{one['oid']}?{SIGNED}"
            actions = (
                {} if one["oid"] in self.hub.stored else {"actions": {"upload": {"href": href, "header": {}}}}
            )
            objects.append({"oid": one["oid"], "size": one["size"], **actions})
        self._json({"transfer": "basic", "objects": objects})

    def _put(self, oid: str, body: bytes) -> None:
        # The storage host checks the content, and knows nothing of the hub's token.
        if hashlib.sha256(body).hexdigest() != oid or SIGNED not in self.path or "Authorization" in self.headers:
            return self.send_answer(400, b"")
        self.hub.stored[oid] = body
        return self.send_answer(200, b"")

    def _commit(self, name: str, revision: str, body: bytes) -> None:
        lines = [json.loads(line) for line in body.splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        repo = self.hub.repos[name]
        if header.get("parentCommit", repo.branches[revision]) != repo.branches[revision]:
            return self._json({"error": "A commit has happened since"}, 412)
        files = dict(self.hub.files(name))
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.hub.stored[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        self.hub.messages.append((header["summary"], header["description"]))
        commit = self.hub.add(name, files)
        if self.hub.lose_answers:
            self.hub.lose_answers -= 1
            self.close_connection = True
            self.connection.close()
            return None
        return self._json(
            {"commitUrl": f"{self.hub.endpoint}/datasets/{name}/commit/{commit}", "commitOid": commit}
        )

    def _tag(self, name: str, revision: str, body: bytes) -> None:
        tags = self.hub.tags.setdefault(name, {})
        tag = json.loads(body)["tag"]
        if tag in tags:
            return self._json({"error": "Reference already exists"}, 409)
        repo: Repo = self.hub.repos[name]
        tags[tag] = repo.branches.get(revision, revision)
        return self._json({})
