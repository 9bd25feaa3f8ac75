"""Text of the held-out prompts and of the recipe's evaluation files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.leakage import EvalItem, Leak, Leakage, LeakageReport, check_leakage, read_evaluation
from curator.measure.heldout import Prompt
from curator.pipeline.steps.step import Measured, Scores, Step, each
from curator.recipe.gate_settings import Gates
from curator.recipe.load import LoadedRecipe
from curator.select.pieces import Piece

_NAMES = ("leakage", "leakage_of", "leakage_run", "leakage_unit", "leakage_words", "leakage_from")
_TOLD = 5
_HELD_OUT, _EVALUATION = "held-out prompts", "evaluation"


@dataclass(frozen=True, slots=True)
class Watched:
    """What no text of a set may share word runs with.

    Attributes:
        held_out: the prompts that the set's effect is measured on.
        evaluation: word runs of the recipe's evaluation files; ``None`` without any.
        items: what is in these.
    """

    held_out: Leakage
    evaluation: Leakage | None = None
    items: tuple[EvalItem, ...] = ()


def watched(loaded: LoadedRecipe | None, prompts: Sequence[Prompt]) -> Watched:
    """Read the recipe's evaluation files, and the phrases that count in neither.

    Raises:
        InputError: one cannot be read.
    """
    exempt = [_phrases(path) for path in loaded.exempt] if loaded else []
    held_out = Leakage((EvalItem(prompt.id, prompt.words()) for prompt in prompts), exempt)
    if loaded is None or not loaded.evaluation:
        return Watched(held_out)
    items = tuple(item for path in loaded.evaluation for item in read_evaluation(path))
    return Watched(held_out, Leakage(items, exempt), items)


def leakage_step(gates: Gates, against: Watched) -> Step:
    """Scores of the leak that was found, if any; see `Leak`."""

    def measure(piece: Piece) -> Measured:
        for leakage, name in ((against.held_out, _HELD_OUT), (against.evaluation, _EVALUATION)):
            leak = leakage.measure(piece.text) if leakage is not None else None
            if leak is not None and leak.run:
                values = (round(leak.ratio, 4), leak.item, leak.run, leak.unit, leak.words, name)
                return piece, dict(zip(_NAMES, values, strict=True))
        return piece, {"leakage": 0.0}

    def decide(_document: Document, scores: Mapping[str, Any]) -> Drop | None:
        reported = gates.leakage and gates.leakage.action == "report"
        if reported and scores.get("leakage_from") == _EVALUATION:
            return None
        return check_leakage(_leak(scores))

    return Step("leakage", lambda _: True, each(measure), decide, _NAMES)


@dataclass(frozen=True, slots=True)
class LeakageFound:
    """What shares text with the recipe's evaluation files.

    Attributes:
        hits: texts that do, by the item's id; the most first.
        examples: of each item, the first few texts with what they share, in words.
        looked_at: number of texts that were looked at.
        too_short: ids of items with too little text of their own to be found.
        warnings: what the user should look at.
    """

    hits: dict[str, int]
    examples: dict[str, list[str]]
    looked_at: int
    too_short: tuple[str, ...]
    warnings: tuple[str, ...]


def leakage_found(texts: Iterable[tuple[str, Scores]], against: Watched) -> LeakageFound:
    """Sum up the leaks of texts, each given by its name and scores."""
    report = LeakageReport()
    looked_at = 0
    for name, scores in texts:
        looked_at += 1
        if scores.get("leakage_from") == _EVALUATION:
            report.add(name, _leak(scores))
    shown = {
        item: [f"{name}: {leak.run} {leak.unit} in a row, {leak.words!r}" for name, leak in examples]
        for item, examples in report.examples.items()
    }
    too_short = against.evaluation.too_short if against.evaluation else ()
    first = ", ".join([*too_short[:_TOLD], *(["…"] if len(too_short) > _TOLD else [])])
    untold = [f"{len(too_short)} evaluation items are too short for leakage to be found ({first})"]
    hits = dict(sorted(report.hits.items(), key=lambda hit: (-hit[1], hit[0])))
    return LeakageFound(hits, shown, looked_at, too_short, (*report.warnings(), *(untold if too_short else ())))


def _leak(scores: Mapping[str, Any]) -> Leak:
    if not scores.get("leakage_run"):
        return Leak()
    ratio, item, run, unit, words, _ = (scores[name] for name in _NAMES)
    return Leak(ratio, item, int(run), unit, (0, 0), words)


def _phrases(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the exempt phrases cannot be read ({error}); give UTF-8 text") from error
