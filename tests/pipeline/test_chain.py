"""Many pieces at once have the outcomes that each has by itself."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.pipeline.steps.chain import Outcome, chain, run_chains, split_chain
from curator.pipeline.steps.leakage import watched
from curator.pipeline.steps.step import Measured, Step
from curator.recipe.schema import Recipe
from curator.scores.scorer import Scorer
from curator.scores.store import ScoreStore
from curator.select.pieces import Piece

WORDS = "harbour ferry island kiln letter garden winter market bridge teacher orchard lantern".split()  # noqa: SIM905
SENTENCES = [
    f"The {WORDS[n * 5 % 12]} was moved nearer to the old {WORDS[(n * 7 + n // 12) % 12]} in {1900 + n}."
    for n in range(60)
]
PROSE = [" ".join(SENTENCES[start : start + 12]) for start in range(0, 60, 12)]
UUIDS = "\n".join(f"{n * 2654435761 % 2**32:08x}-1a2b-4c3d-8e4f-{n:012x}" for n in range(1, 40))
TEXTS = [
    *PROSE,
    PROSE[0],
    PROSE[0].replace("1903", "2003"),
    PROSE[1].replace("old", "very old", 1),
    f"{PROSE[2]}  Write to jane.doe@bluewater-ferries.com.",
    UUIDS,
    f"{PROSE[3]}\n\n{UUIDS}\n\n{PROSE[4]}",
    "The ferry leaves at noon and nobody is on it.\n" * 30,
    "Der Hafen wurde im Winter von den Leuten der Stadt neu gebaut, und der Lehrer ging in den Garten, weil es "
    "dort warm war. Am Abend kamen die Boote zurück, und auf dem Markt wurde noch lange von der Insel erzählt.",
    "def total(values):\n    return sum(value for value in values)\n" * 3,
    "潮水每天涨落两次，渡口的人都知道时间。" * 3,
    "Too short.",
    "  \n ",
    "\ud800 half of one",
]  # fmt: skip


class Still:
    """An embedder whose vectors depend on a sentence's length alone."""

    banded = False
    fingerprint = "still"

    def encode(self, sentences: Sequence[str]) -> Any:
        vectors = np.array([[len(one), 50.0, len(one) % 7] for one in sentences], np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def truncated(self, _sentences: Sequence[str]) -> int:
        return 0


def steps(folder: Path) -> list[Step]:
    """Every gate that there is, with its memory empty."""
    recipe = Recipe.model_validate(
        {
            "name": "t",
            "size": {"samples": 1, "tokens": 64},
            "target": {"tasks": {"t": 1, "code": 1}},
            "sources": [{"corpus": "x"}],
            "gates": {
                "language": {"allow": ["en", "und"], "detector": "langdetect-rs"},
                "near_duplicates": {},
                "semantic_duplicates": {"cosine": 0.9999},
                "personal_data": {},
                "random_text": {"max_share": 0.5, "stretches": "cut"},
                "by_task": {"code": {"near_duplicates": False}},
            },
        }
    )
    scorer = Scorer(recipe.continuity, encoder=Still(), store=ScoreStore(pytest.fail, folder))
    return chain(recipe, watched(None, []), scorer)


def piece(number: int, text: str, task: str) -> Piece:
    return Piece(f"p{number}", Document(f"d{number}", "c", "u", task, "und", "MIT", text), 0, len(text))


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(["t", "t", "code"])), min_size=1, max_size=24),
    st.lists(st.integers(1, 9), min_size=24, max_size=24),
)
def test_batches_of_any_size_have_the_outcomes_of_single_pieces(
    tmp_path: Path, texts: list[tuple[str, str]], sizes: list[int]
) -> None:
    pieces = [piece(number, *text) for number, text in enumerate(texts)]
    one_by_one, together = steps(tmp_path), steps(tmp_path)
    alone = [run_chains(one_by_one, [Outcome(one)])[0] for one in pieces]
    bounds = list(itertools.accumulate(sizes, initial=0))
    batches = [pieces[start:end] for start, end in itertools.pairwise(bounds)]
    assert alone == [one for batch in batches for one in run_chains(together, list(map(Outcome, batch)))]


def test_the_texts_above_meet_every_gate(tmp_path: Path) -> None:
    found = run_chains(steps(tmp_path), [Outcome(piece(n, text, "t")) for n, text in enumerate(TEXTS)])
    reasons = {one.drop.reason for one in found if one.drop}
    gates = {"short", "empty", "random_text", "repetition", "language", "duplicate", "near_duplicate"}
    assert reasons >= gates
    assert any(one.drop is None for one in found)
    assert {name for one in found for name in one.scores} >= {"personal_data", "random_cut", "semantic_duplicate"}


def counting(name: str, most: int, seen: list[list[str]], *, remembers: bool = False) -> Step:
    """Refuses ids above ``most``, and notes what it was asked to measure."""

    def measure_all(pieces: Sequence[Piece]) -> list[Measured]:
        seen.append([one.id for one in pieces])
        return [(one, {name: int(one.id[1:])}) for one in pieces]

    def decide(_document: Document, scores: Mapping[str, Any]) -> Drop | None:
        return Drop(name, "") if scores[name] > most else None

    return Step(name, lambda document: document.task != "code", measure_all, decide, (name,), remembers)


def test_a_step_sees_in_order_what_no_step_refused_and_what_it_applies_to() -> None:
    first: list[list[str]] = []
    second: list[list[str]] = []
    pieces = [piece(n, "x", "code" if n == 1 else "t") for n in (3, 0, 1, 2)]
    found = run_chains([counting("a", 2, first), counting("b", 9, second)], list(map(Outcome, pieces)))
    assert (first, second) == ([["p3", "p0", "p2"]], [["p0", "p2"]])
    assert [one.scores for one in found] == [{"a": 3}, {"a": 0, "b": 0}, {}, {"a": 2, "b": 2}]
    assert [one.drop and one.drop.reason for one in found] == ["a", None, None, None]


def test_nothing_refused_asks_no_step() -> None:
    seen: list[list[str]] = []
    refused = dataclasses.replace(Outcome(piece(0, "x", "t")), drop=Drop("earlier", ""))
    assert run_chains([counting("a", 2, seen)], [refused]) == [refused]
    assert run_chains([counting("a", 2, seen)], []) == []
    assert seen == []


def test_what_may_be_asked_ahead_ends_before_the_first_step_that_remembers(tmp_path: Path) -> None:
    alone, rest = split_chain(steps(tmp_path))
    assert [step.name for step in alone] == [
        "personal_data", "length", "licence", "random_text", "repetition", "language", "leakage",
    ]  # fmt: skip
    assert [step.name for step in rest if step.remembers] == [
        "duplicates", "near_duplicates", "semantic_duplicates",
    ]  # fmt: skip
    assert split_chain(alone) == (alone, [])
