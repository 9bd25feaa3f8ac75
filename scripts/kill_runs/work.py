"""What is run and killed: a build and a ranking of seconds on a random model, and the same on a small real one."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._files import file_sha256, json_sha256

_WORDS = [
    "boat",
    "harbour",
    "tide",
    "noon",
    "gull",
    "rope",
    "stone",
    "lamp",
    "storm",
    "captain",
    "letter",
    "bridge",
    "winter",
    "market",
]
_RECIPE = """\
name: {name}
size: {{samples: {samples}, tokens: {tokens}}}
target: {{tasks: {{prose: 1, uuid: 1}}}}
sources:
  - {{files: "texts.jsonl", task: prose, language: en, licence: MIT}}
  - {{generate: uuid, task: uuid}}
gates: {{length: {{min_chars: 50}}}}
seed: {seed}
"""
# Times and places differ between any two runs.
_TIMES = ("cost", "quantize_seconds", "reproduce", "checksum")


@dataclass(frozen=True, slots=True)
class Work:
    """Something to run.

    Attributes:
        name: of it.
        model: what ``--model`` is given; a folder for the random one.
        arguments: of ``curate``, with its output in ``out``.
    """

    name: str
    model: str
    arguments: Sequence[str]


def works(folder: Path, model: str) -> dict[str, Work]:
    """Write recipes, texts and prompts, and the random model for ``tiny``; what to run, by verb."""
    folder.mkdir(parents=True, exist_ok=True)
    tiny = model == "tiny"
    if tiny and not (folder / "tiny").is_dir():
        # Here: torch takes seconds, and no other part of these needs it.
        from tiny_llama import save_tiny_llama

        save_tiny_llama(folder / "tiny")
    named = str(folder / "tiny") if tiny else model
    _write_texts(folder)
    size: dict[str, Any] = {"samples": 4, "tokens": 64 if tiny else 256}
    for seed, name in enumerate(("a", "b")):
        (folder / f"{name}.yaml").write_text(_RECIPE.format(name=name, seed=seed, **size))
    common = ["--model", named, "--heldout", str(folder / "prompts.jsonl")]
    build = ["build", str(folder / "a.yaml"), "--out", "out/set", *common]
    measured = ["--tokens", "4", "--batch-size", "2", "--null", "no-data", "--draws", "2", "--device", "cpu"]
    recipes = [str(folder / "a.yaml"), str(folder / "b.yaml")]
    rank = ["rank", *recipes, "--out", "out", *common, *measured]
    return {"build": Work("build", named, build), "rank": Work("rank", named, rank)}


def result(work: Work, folder: Path) -> str:
    """What must be the same: the set's tokens and manifest, or the ranking without its times."""
    out = folder / "out"
    if work.name == "build":
        manifest = json.loads((out / "set" / "manifest.json").read_text())
        return f"{manifest['set_hash']} {file_sha256(out / 'set' / 'samples.jsonl')}"
    return ranking_sha256(json.loads((out / "ranking.json").read_text()))


def ranking_sha256(ranking: dict[str, Any]) -> str:
    """Hash of a ranking without times and places."""
    for holder in (ranking, *ranking["arms"]):
        for name in _TIMES:
            holder.pop(name, None)
    return json_sha256(ranking)


def _write_texts(folder: Path) -> None:
    chance = random.Random(0)
    rows = []
    for number in range(60):
        sentences = [
            "The {} near the {} waited for the {}, and the {} came back".format(*chance.sample(_WORDS, 4))
            + f" after {chance.randint(2, 90)} days."
            for _ in range(6)
        ]
        rows.append({"text": f"Story {number}. " + " ".join(sentences)})
    (folder / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    keys = {"corpus": "c", "unit": "u", "language": "en", "licence": "MIT"}
    prompts = [
        {"id": f"p{n}", "task": f"t{n % 2}", **keys, "text": f"The {word} is"} for n, word in enumerate(_WORDS)
    ]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in prompts[:8]))
