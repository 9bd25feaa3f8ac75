"""What is sifted, built and ranked, and what must be equal afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from curation_bench.real_documents import docstrings, documents_of
from kill_runs.work import ranking_sha256

from curator._files import file_sha256

_FEWEST, _MOST = 500, 8000
_SIFTED = 4 << 20
_RECIPE = """\
name: {name}
size: {{samples: 32, tokens: 512}}
target: {{tasks: {{prose: 1}}}}
sources: [{{files: "texts.jsonl", task: prose, language: en, licence: MIT}}]
gates: {{language: {{allow: [en]}}}}
seed: {seed}
"""


@dataclass(frozen=True, slots=True)
class Work:
    """A command.

    Attributes:
        name: of it.
        arguments: of ``curate``, without those of an engine; its output is in ``out`` of its folder.
        result: of that folder: what must be equal.
    """

    name: str
    arguments: list[str]
    result: Callable[[Path], str]


def works(folder: Path, megabytes: int, workers: int, device: str) -> list[Work]:
    """Write texts and recipes into a folder; what to run, from any folder beside it."""
    texts = list(_texts(workers, megabytes << 20))
    _write(folder / "texts.jsonl", texts)
    few, size = 0, 0
    while size < _SIFTED:
        size, few = size + len(texts[few]), few + 1
    _write(folder / "few.jsonl", texts[:few])
    for seed, name in enumerate(("a", "b")):
        (folder / f"{name}.yaml").write_text(_RECIPE.format(name=name, seed=seed), encoding="utf-8")
    recipes = [str(folder / name) for name in ("a.yaml", "b.yaml")]
    measured = ["--draws", "2", "--null", "no-data", "--per-task", "4", "--tokens", "32", "--device", device]
    return [
        Work("sift", ["sift", str(folder / "few.jsonl"), "--keep", "out.jsonl", "--json"], _kept),
        Work("build", ["build", recipes[0], "--out", "out", "--json"], _set_hash),
        Work("rank", ["rank", *recipes, "--out", "out", *measured, "--json"], _ranking),
    ]


def _kept(folder: Path) -> str:
    return file_sha256(folder / "out.jsonl")


def _set_hash(folder: Path) -> str:
    return str(json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))["set_hash"])


def _ranking(folder: Path) -> str:
    return ranking_sha256(json.loads((folder / "out" / "ranking.json").read_text(encoding="utf-8")))


def _texts(workers: int, size: int) -> list[str]:
    """Docstrings of what is installed, cut at other places again and again, to so many characters."""
    blocks = [one.text for one in docstrings(workers)[0]]
    found: list[str] = []
    while size > 0:
        for text in documents_of(blocks, f"docstrings/{size}", _FEWEST, _MOST):
            found.append(text)
            size -= len(text)
            if size <= 0:
                break
    return found


def _write(path: Path, texts: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps({"id": f"d{at}", "text": text}) + "\n" for at, text in enumerate(texts))
    path.write_text("".join(lines), encoding="utf-8")
