"""What no text may share word runs with: held-out prompts and evaluation files, but for exempt phrases."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from curator.corpora.document import Document
from curator.pipeline.sift_recipe import default_recipe
from curator.pipeline.steps.chain import Outcome, run_chains
from curator.pipeline.steps.leakage import leakage_step, watched
from curator.select.pieces import Piece

PHRASE = "Brought to you by the friends of the marsh museum, open on the first Sunday of every month from ten"
PROMPT = f"{PHRASE}. The bittern nests where the reeds stand thick, far from any path or dog, and sings at night."


def leak_of(text: str, exempt: tuple[Path, ...]) -> float:
    loaded = dataclasses.replace(default_recipe([]), exempt=exempt)
    prompt: Any = SimpleNamespace(id="h", words=lambda: PROMPT)
    step = leakage_step(loaded.recipe.gates, watched(loaded, [prompt]))
    piece = Piece("p", Document("d", "c", "u", "t", "en", "MIT", text), 0, len(text))
    return float(run_chains([step], [Outcome(piece)])[0].scores["leakage"])


def test_exempt_phrases_count_in_held_out_prompts_as_little_as_in_evaluation_files(tmp_path: Path) -> None:
    phrases = tmp_path / "phrases.txt"
    phrases.write_text(PHRASE, encoding="utf-8")
    form = f"{PHRASE} The orchard is older than the mill, and nobody has asked the teacher why that is so."
    assert leak_of(form, ()) > 0
    assert leak_of(form, (phrases,)) == 0
    assert leak_of(f"Told again: {PROMPT}", (phrases,)) > 0
