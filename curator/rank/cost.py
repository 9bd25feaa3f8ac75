"""How long a run may take: from the steps of it that were timed, else by a rule.

The rule: a forward pass costs 2 operations a parameter and token; quantising runs a set through each layer twice
(once to calibrate it, once to hand on what it gives), AWQ once more a scale that it tries; a decoded token costs
as much as 4 that are read, since each reads all weights; a core makes 35 thousand million operations a second; and
a quantiser takes 10 s to start. A server reads as fast as this process does, but is started anew for each
checkpoint and scheme, which takes a minute, and a token that it decodes costs as much as 20 that it reads.
It is from SmolLM2-135M on two EPYC cores (65 s of GPTQ with 8,192 tokens, 45 s of scoring 48 prompts under both
schemes), and for servers from the same model in SGLang on two cores with much other work (56 s to start; 12 ms a
token that is read, where this process took 13 to 21 ms, and 220 ms one that is decoded). On another machine, and
most of all where there is a GPU, it can be off by several times. Once a step was timed, its own times are taken,
and the rule only says how steps that were not timed compare with it.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from curator._durations import duration
from curator.engine.local import usable_cores
from curator.rank.arms import planned_arms, planned_draws
from curator.rank.ledger import Kind, Ledger
from curator.rank.plan import FLOOR_BATCH, Plan
from curator.rank.planned_prompts import PlannedPrompts
from curator.recipe.quantize_methods import Scheme
from curator.recipe.quantize_settings import QuantizeSettings

_A_SECOND = 35e9
_DECODED = 4
# Loading and writing the model, as tokens that are read.
_OVERHEAD = 1500
_START_SECONDS = 10.0
_SERVER_SECONDS = 60.0
# Without it a small model, whose first step is all loading, would make the machine seem thousands of times slower.
_LOAD_SECONDS = 3.0
_DECODED_BY_SERVER = 20


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run may take.

    Attributes:
        seconds: in all, what was done before included.
        timed: number of timed steps that it is from; 0 when it is by the rule alone.
        left_out: what nothing is known of, in words.
    """

    seconds: float
    timed: int
    left_out: tuple[str, ...]

    def words(self) -> str:
        """The estimate, said to be one, and what it is from."""
        basis = (
            f"from {self.timed} timed steps"
            if self.timed
            else "by a rule of thumb for CPUs, can be several times off"
        )
        without = f"; without {' and '.join(self.left_out)}" if self.left_out else ""
        return f"about {duration(self.seconds)} (an estimate, {basis}{without})"


class Costs:
    """Seconds that each kind of step takes, as far as can be told.

    Args:
        plan: what is run.
        prompts: that it is measured on.
    """

    def __init__(self, plan: Plan, prompts: PlannedPrompts) -> None:
        self._plan, self._prompts = plan, prompts
        sizes = (file.stat().st_size for file in plan.model.glob("*.safetensors"))
        # Seconds that reading a token takes. BF16 has two bytes a parameter: as many operations as bytes.
        self._a_token = sum(sizes) / (_A_SECOND * usable_cores())
        self._timed: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for line in Ledger(plan.out).steps():
            self._timed[line["step"], _key(line)].append(line["seconds"] / line.get("draws", 1))
        self._factor = self._machine()

    @property
    def timed(self) -> int:
        """Number of pieces' steps that were timed."""
        return sum(len(seconds) for (step, _), seconds in self._timed.items() if step in ("quantise", "score"))

    def knows(self, settings: QuantizeSettings) -> bool:
        """Whether a set was quantised like this and scored."""
        scored = all(("score", scheme) in self._timed for scheme in self._plan.schemes)
        return scored and ("quantise", settings.method) in self._timed

    def baseline(self) -> float:
        """What BF16 says to the prompts."""
        return self._of("baseline", "", self._rule_baseline() * self._factor)

    def piece(self, settings: QuantizeSettings) -> float:
        """Quantising one set and scoring what it gives under every scheme."""
        return self._quantise(settings) + sum(self._score(scheme) for scheme in self._plan.schemes)

    def floors(self, settings: QuantizeSettings) -> float:
        """Repeating the first piece of a method."""
        other_size = self._plan.batch_size != FLOOR_BATCH
        if self._served:
            # One more start gives both: the same again, and the other batch size.
            again = self._score(self._plan.scheme) + other_size * self._a_token * self._read() * self._factor
        else:
            again = other_size * self._score(self._plan.scheme)
        return self._of("floors", settings.method, self._quantise(settings) + again)

    def whole(self) -> Estimate:
        """The whole run, with all draws that it may come to."""
        plan, left_out = self._plan, []
        seconds = self.baseline()
        for loaded in plan.recipes:
            name = loaded.recipe.name
            if ("build", name) not in self._timed:
                left_out.append("building sets")
            # At each look draws are built behind the earlier ones, which are gone through again.
            seconds += (sum(plan.looks) or plan.draws) * self._of("build", name, 0.0)
        for arm in planned_arms(plan):
            seconds += planned_draws(plan, arm) * self.piece(arm.quantize)
        seconds += sum(self.floors(settings) for settings in plan.quantize)
        return Estimate(seconds, self.timed, tuple(dict.fromkeys(left_out)))

    def _of(self, step: Kind, key: str, otherwise: float) -> float:
        seconds = self._timed.get((step, key))
        return statistics.median(seconds) if seconds else otherwise

    def _quantise(self, settings: QuantizeSettings) -> float:
        return self._of("quantise", settings.method, self._rule_quantise(settings) * self._factor)

    def _score(self, scheme: Scheme) -> float:
        return self._of("score", scheme, self._rule_score() * self._factor)

    def _machine(self) -> float:
        """How many times longer the timed steps took than the rule says."""
        rules: dict[tuple[str, str], float] = {("baseline", ""): self._rule_baseline()}
        rules |= {("score", scheme): self._rule_score() for scheme in self._plan.schemes}
        rules |= {("quantise", one.method): self._rule_quantise(one) for one in self._plan.quantize}
        known = [key for key, rule in rules.items() if rule and key in self._timed]
        took = sum(statistics.median(self._timed[key]) for key in known)
        return took / sum(rules[key] for key in known) if known else 1.0

    def _rule_quantise(self, settings: QuantizeSettings) -> float:
        passes = 0
        if settings.needs_set:
            passes = 2 + (settings.option("grid") or 0)
        tokens = self._plan.recipes[0].recipe.size.total
        return _START_SECONDS + self._a_token * (passes * tokens + _OVERHEAD)

    def _rule_score(self) -> float:
        return self._start + self._a_token * self._read()

    def _rule_baseline(self) -> float:
        sizes = len({self._plan.batch_size, FLOOR_BATCH})
        decoded = (_DECODED_BY_SERVER if self._served else _DECODED) * self._prompts.count * self._plan.tokens
        return self._start + self._a_token * (sizes * self._read() + decoded)

    @property
    def _served(self) -> bool:
        return self._plan.serving.starts

    @property
    def _start(self) -> float:
        return _SERVER_SECONDS if self._served else _LOAD_SECONDS

    def _read(self) -> int:
        return self._prompts.tokens + self._prompts.count * self._plan.tokens


def _key(line: dict[str, Any]) -> str:
    """What steps of a kind are alike in."""
    return str(line.get("method") or line.get("scheme") or (line["of"] if line["step"] == "build" else ""))
