"""What the gates cost a document, each alone and all in a chain: the processor's time, and the clock's."""

from __future__ import annotations

import dataclasses
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.pipeline.sift_recipe import ANY_TASK, default_recipe
from curator.pipeline.sift_workers import AHEAD
from curator.pipeline.steps.chain import BATCH, Outcome, chain, run_chains, split_chain
from curator.pipeline.steps.leakage import watched
from curator.pipeline.steps.step import Step
from curator.scores.scorer import Scorer
from curator.select.pieces import Piece
from gate_bench import real_good
from gate_bench.draw import stream
from gate_bench.vocabulary import LANGUAGES, half_text

CHARS, DOCUMENTS = 2000, 1500
TARGET, AIM = 2000, 5000
"""Documents a second of one core, of the chain with the fast identifier."""
FAST, OTHER, PLAIN = "langdetect-rs", "py3langid", "langdetect"
_ROUNDS = 3
_EMBEDS = ("continuity", "semantic_duplicates")


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """What a document costs, on average.

    Attributes:
        cpu: microseconds of one core.
        wall: microseconds on the clock: more than that where other work took the core.
    """

    cpu: float
    wall: float

    @property
    def per_second(self) -> float:
        """Documents that a second of one core is enough for."""
        return 1e6 / max(self.cpu, 1e-3)

    def as_json(self) -> dict[str, Any]:
        """For a result file."""
        return {"cpu_us": round(self.cpu, 1), "wall_us": round(self.wall, 1), "per_second": round(self.per_second)}


@dataclass(frozen=True, slots=True)
class GateCost:
    """What documents of 2,000 characters cost.

    Attributes:
        gates: by gate, alone.
        chains: the chain without embeddings, by the language detector in it.
    """

    gates: dict[str, Cost]
    chains: dict[str, Cost]

    def failures(self) -> list[str]:
        """The target, where it is missed."""
        found = self.chains[FAST].per_second
        missed = found < TARGET
        return [f"the chain takes {found:,.0f} documents a second, under {TARGET:,}"] if missed else []

    def as_json(self) -> dict[str, Any]:
        """For a result file."""
        return {
            "chars": CHARS,
            "documents": DOCUMENTS,
            "gates": {name: cost.as_json() for name, cost in self.gates.items()},
            "chain": {name: cost.as_json() for name, cost in self.chains.items()},
            "missed_targets": self.failures(),
        }


def cost_documents(seed: int) -> list[Document]:
    """Real documents of 2,000 characters: half English prose and program texts, the rest other languages."""
    draw = stream(seed, "cost")
    pools = [pool for pool in real_good.POOLS if pool.kind in ("code:python", "code:c", "readme", "numpy-docs")]
    files = [file.text() for pool in pools for file in list(pool.files())[:150]]
    long = [text for text in files if len(text) > CHARS]
    texts = [half_text("eng", 1)] * 3 + [half_text(name, 1) for name in LANGUAGES]
    out = []
    for number in range(DOCUMENTS):
        source = draw.choice(long) if number % 4 == 0 else texts[0] if number % 4 == 1 else draw.choice(texts)
        out.append(Document(f"d{number}", "bench", "bench", ANY_TASK, "und", "unknown", _stretch(source, draw)))
    return out


def _stretch(source: str, draw: random.Random) -> str:
    start = draw.randrange(len(source) - CHARS)
    return source[start : start + CHARS]


def measure_gates(documents: Sequence[Document]) -> GateCost:
    """Measure on one core with one thread, in the processor's time."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    threadpool_limits(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pieces = [Piece(one.id, one, 0, len(one.text)) for one in documents]
    gates = {step.name: _best(partial(_alone, step.name, pieces, FAST)) for step in _steps(FAST)}
    for detector in (OTHER, PLAIN):
        gates[f"language, {detector}"] = _alone("language", pieces, detector)
    chains = {name: _best(partial(_whole, pieces, name)) for name in (FAST, OTHER)}
    return GateCost(gates, {**chains, PLAIN: _whole(pieces, PLAIN)})


def _best(measure: Callable[[], Cost]) -> Cost:
    """The best of a few rounds: what else the machine does only ever slows."""
    return min(measure() for _ in range(_ROUNDS))


def _steps(detector: str) -> list[Step]:
    """The chain with every gate that embeds nothing; see `_measure` for what is refused."""
    wanted = [
        f"gates.language={{allow: [en, und], detector: {detector}}}",
        "gates.near_duplicates={}",
        "gates.personal_data={}",
    ]
    loaded = default_recipe(wanted)
    steps = chain(loaded.recipe, watched(None, []), Scorer(loaded.recipe.continuity))
    return [step for step in steps if step.name not in _EMBEDS]


def _alone(name: str, pieces: Sequence[Piece], detector: str) -> Cost:
    return _cost(lambda: [step for step in _steps(detector) if step.name == name], pieces)


def _measure(steps: Sequence[Step], pieces: Sequence[Piece]) -> None:
    """In batches, as `curate sift` asks a chain, but with nothing refused: what a set of good texts costs."""
    alone, rest = split_chain([dataclasses.replace(step, decide=_never(step)) for step in steps])
    for start in range(0, len(pieces), AHEAD):
        outcomes = run_chains(alone, list(map(Outcome, pieces[start : start + AHEAD])))
        for at in range(0, len(outcomes), BATCH):
            run_chains(rest, outcomes[at : at + BATCH])


def _never(step: Step) -> Callable[[Document, Mapping[str, Any]], Drop | None]:
    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        step.decide(document, scores)
        return None

    return decide


def _whole(pieces: Sequence[Piece], detector: str) -> Cost:
    return _cost(lambda: _steps(detector), pieces)


def _cost(steps: Callable[[], Sequence[Step]], pieces: Sequence[Piece]) -> Cost:
    _measure(steps(), pieces[:50])
    # Afresh: gates that look for duplicates remember.
    again = steps()
    cpu, wall = time.process_time(), time.perf_counter()
    _measure(again, pieces)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Cost(cpu / len(pieces) * 1e6, wall / len(pieces) * 1e6)
