"""Good text with many random strings in it, in the shapes that tools write: JSON, git logs, lock files, logs."""

from __future__ import annotations

import base64
import json
import random
import uuid
from functools import cache

from gate_bench.draw import clip
from gate_bench.hosts import sentences
from gate_bench.installed import site_packages
from gate_bench.names import days, hosts, people, stamp
from gate_bench.vocabulary import identifiers


def guid_json(draw: random.Random, half: int, length: int) -> str:
    """Records of a service, each with one GUID and fields of words and numbers, as JSON or JSON lines."""
    keys = draw.sample(identifiers(half), 3)
    id_key = draw.choice(["id", "guid", "uuid", "orderId", "requestId"])
    records: list[dict[str, object]] = []
    while len(json.dumps(records)) < length:
        name, mail = people(draw, half)
        record: dict[str, object] = {
            id_key: str(uuid.UUID(int=draw.getrandbits(128), version=4)),
            "name": name,
            "email": mail,
            "created": stamp(draw),
            "note": draw.choice(sentences(half))[:140],
            "tags": draw.sample(identifiers(half), draw.randint(1, 3)),
            "active": draw.random() < 0.5,
            keys[0]: {keys[1]: draw.randint(1, 9999), keys[2]: round(draw.uniform(0, 900), 2)},
        }
        chosen = draw.sample(list(record)[1:], draw.randint(4, 7))
        records.append({id_key: record[id_key], **{key: record[key] for key in record if key in chosen}})
    if draw.random() < 0.3:
        return clip("\n".join(json.dumps(record) for record in records), max(length, 260))
    return clip(json.dumps(records, indent=draw.choice([2, 4, None])), max(length, 260))


def git_log(draw: random.Random, half: int, length: int) -> str:
    """Commits with hash, author, date and message, long or in one line each."""
    short = draw.random() < 0.3
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        sha, (name, mail) = draw.randbytes(20).hex(), people(draw, half)
        subject = draw.choice(sentences(half)).rstrip(".")[: draw.randint(30, 72)]
        if short:
            parts.append(f"{sha[:7]} {subject}\n")
            continue
        merge = (
            f"Merge: {draw.randbytes(4).hex()[:7]} {draw.randbytes(4).hex()[:7]}\n" if draw.random() < 0.1 else ""
        )
        body = "".join(f"    {draw.choice(sentences(half))[:76]}\n" for _ in range(draw.randint(0, 3)))
        body = f"\n{body}" if body else ""
        parts.append(
            f"commit {sha}\n{merge}Author: {name} <{mail}>\nDate:   {days(draw)}\n\n    {subject}\n{body}\n"
        )
    return clip("".join(parts), length)


@cache
def _packages() -> tuple[tuple[str, str], ...]:
    found = sorted(path.name.removesuffix(".dist-info") for path in site_packages().glob("*.dist-info"))
    return tuple((name.rsplit("-", 1)[0].replace("_", "-"), name.rsplit("-", 1)[-1]) for name in found)


def lock_file(draw: random.Random, half: int, length: int) -> str:
    """Entries of Poetry, npm, Cargo, pip or Go lock files: names and versions of real packages, made digests."""
    style = draw.choice([_poetry, _npm, _cargo, _pip, _go])
    mine = [pair for number, pair in enumerate(_packages()) if number % 2 == half]
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts.append(style(draw, *draw.choice(mine), draw.choice(mine)[0]))
    return clip("".join(parts), length)


def _poetry(draw: random.Random, name: str, version: str, needs: str) -> str:
    wheel = f"{name.replace('-', '_')}-{version}"
    files = "".join(
        f'    {{file = "{wheel}{end}", hash = "sha256:{draw.randbytes(32).hex()}"}},\n'
        for end in ("-py3-none-any.whl", ".tar.gz")[: draw.randint(1, 2)]
    )
    return (
        f'[[package]]\nname = "{name}"\nversion = "{version}"\ndescription = "{needs} for {name}"\n'
        f'optional = false\npython-versions = ">=3.{draw.randint(8, 12)}"\nfiles = [\n{files}]\n\n'
        f'[package.dependencies]\n{needs} = "*"\n\n'
    )


def _npm(draw: random.Random, name: str, version: str, needs: str) -> str:
    digest = base64.b64encode(draw.randbytes(64)).decode()
    return (
        f'    "node_modules/{name}": {{\n      "version": "{version}",\n'
        f'      "resolved": "https://registry.example.org/{name}/-/{name}-{version}.tgz",\n'
        f'      "integrity": "sha512-{digest}",\n      "dev": true,\n      "license": "MIT",\n'
        f'      "dependencies": {{\n        "{needs}": "^{draw.randint(1, 9)}.2.0"\n      }},\n'
        f'      "engines": {{\n        "node": ">={draw.randint(10, 22)}"\n      }}\n    }},\n'
    )


def _cargo(draw: random.Random, name: str, version: str, needs: str) -> str:
    return (
        f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = "registry+https://index.example.org"\n'
        f'checksum = "{draw.randbytes(32).hex()}"\ndependencies = [\n "{needs}",\n]\n\n'
    )


def _pip(draw: random.Random, name: str, version: str, needs: str) -> str:
    hashes = " \\\n".join(f"    --hash=sha256:{draw.randbytes(32).hex()}" for _ in range(draw.randint(1, 3)))
    return f"{name}=={version} \\\n{hashes}\n    # via {needs}\n"


def _go(draw: random.Random, name: str, version: str, needs: str) -> str:
    place = f"git.example.org/{needs}/{name} v{version}"
    one, two = (base64.b64encode(draw.randbytes(32)).decode() for _ in range(2))
    return f"{place} h1:{one}\n{place}/go.mod h1:{two}\n"


def access_log(draw: random.Random, half: int, length: int) -> str:
    """Lines of a web server's log: address, time, request, status, agent, some with a request id."""
    with_id = draw.random() < 0.4
    verbs, agents = (
        ("GET", "GET", "GET", "POST", "PUT", "HEAD"),
        ("curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64)", "-"),
    )
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        path = "/".join(draw.sample(identifiers(half), draw.randint(1, 3)))
        address = ".".join(str(draw.randint(1, 254)) for _ in range(4))
        answer = f"{draw.choice([200, 200, 200, 304, 404, 500])} {draw.randint(80, 90000)}"
        tail = f" rid={uuid.UUID(int=draw.getrandbits(128), version=4)}" if with_id else ""
        parts.append(
            f'{address} - - [{stamp(draw, "%d/%b/%Y:%H:%M:%S +0000")}] "{draw.choice(verbs)} /{path} HTTP/1.1" '
            f'{answer} "-" "{draw.choice(agents)}"{tail}\n'
        )
    return clip("".join(parts), length)


def system_log(draw: random.Random, half: int, length: int) -> str:
    """Lines of a system's or a program's log: time, host, program, level, message."""
    style, machine = draw.choice(["syslog", "levels", "json"]), draw.choice(hosts(half))
    programs = draw.sample(identifiers(half), 5)
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        program, message = draw.choice(programs), draw.choice(sentences(half))[:100]
        level = draw.choice(["INFO", "INFO", "DEBUG", "WARNING", "ERROR"])
        if draw.random() < 0.4:
            message = f"{draw.choice(identifiers(half))}={draw.randint(0, 9999)} {message[:50]}"
        if style == "syslog":
            parts.append(
                f"{stamp(draw, '%b %d %H:%M:%S')} {machine} {program}[{draw.randint(200, 32000)}]: {message}\n"
            )
        elif style == "levels":
            parts.append(
                f"{stamp(draw, '%Y-%m-%d %H:%M:%S')},{draw.randint(100, 999)} {level:<8}{program}: {message}\n"
            )
        else:
            line = {"ts": stamp(draw), "level": level.lower(), "logger": program, "msg": message}
            parts.append(json.dumps(line) + "\n")
    return clip("".join(parts), length)
