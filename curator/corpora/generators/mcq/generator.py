"""Multiple-choice questions with four choices, whose answers can be worked out, and a derivation that does it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from curator._seed import rng as seeded
from curator.corpora.document import Message
from curator.corpora.generators.contract import LANGUAGES, Draft, Generator, Options, Request, Sample
from curator.corpora.generators.mcq import (
    arithmetic,
    code,
    counting,
    dates,
    ordering,
    reading,
    sequences,
    units,
)
from curator.corpora.generators.mcq.problem import Problem, Slip, of_side
from curator.corpora.generators.mcq.story import tell, texts
from curator.corpora.generators.qa.passages import LICENCES, has_passages

LETTERS = "ABCD"
KINDS: Mapping[str, Callable[..., Problem]] = {
    "arithmetic": partial(tell, "arithmetic", arithmetic.STORIES),
    "ordering": ordering.make,
    "dates": partial(tell, "dates", dates.STORIES),
    "code": code.make,
    "units": partial(tell, "units", units.STORIES),
    "counting": partial(tell, "counting", counting.STORIES),
    "sequences": partial(tell, "sequences", sequences.STORIES),
    "reading": reading.make,
}
_COMPUTED = [kind for kind in KINDS if kind != "reading"]
_SPARE = 1.15
"""Problems of one kind differ in length more than the samples that the floor is measured by."""
_FULL = 6
"""Steps of size that a worked example grows through, from a bare result to a full derivation."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A problem with its choices in place.

    Attributes:
        problem: the problem.
        choices: the right choice (no slip) and the wrong ones, in the order of the letters.
        right: place of the right choice.
    """

    problem: Problem
    choices: tuple[Slip | None, ...]
    right: int

    @property
    def letter(self) -> str:
        """The letter of the right choice."""
        return LETTERS[self.right]

    def listed(self, frame: Mapping[str, str]) -> str:
        """The four choices, one a line."""
        values = [slip.value if slip else self.problem.right for slip in self.choices]
        rows = zip(LETTERS, values, strict=True)
        return "\n".join(frame["option"].format(letter=letter, choice=value) for letter, value in rows)

    def derived(self, frame: Mapping[str, str], gap: str, wrong: int) -> str:
        """The way to the answer, and why ``wrong`` of the wrong choices are wrong."""
        rows = zip(LETTERS, self.choices, strict=True)
        against = [frame["wrong"].format(letter=letter, why=slip.why) for letter, slip in rows if slip][:wrong]
        parts = [gap.join(self.problem.steps), *against, frame["verdict"].format(letter=self.letter)]
        return "\n".join(parts)


def _plan(request: Request, rng: random.Random) -> Draft:
    frame = rng.choice(of_side(texts(request.language)["frames"], heldout=request.heldout))
    posed = _pose(request, _kind(request), _letter(request), rng)
    key = rng.getrandbits(63)
    fills = request.options["fill"] == "examples"
    spare = _SPARE if request.options["kind"] in _COMPUTED else 1.03
    known: list[Posed] = []

    def examples(size: int) -> list[str]:
        while len(known) * _FULL < size:
            number = len(known) + 1
            own = seeded("mcq-example", key, number)
            known.append(_pose(request, _example_kind(request, number), own.randrange(len(LETTERS)), own))
        # The one that still grows comes first: what stands next to the question is whole.
        levels = [min(_FULL, size - _FULL * place) for place in range(-(-size // _FULL))]
        rows = enumerate(zip(reversed(known[: len(levels)]), reversed(levels), strict=True), start=1)
        return [_example(request, frame, number, *row) for number, row in rows]

    def render(size: int) -> Sample:
        before = [frame["solved"], *examples(size), frame["now"]] if size else []
        closing = frame["plain" if request.options["reasoning"] == "none" else "worked"]
        user = "\n\n".join([*before, posed.problem.question, posed.listed(frame), closing])
        answer = _answer(request, frame, posed)
        return Sample(messages=(Message("user", user), Message("assistant", answer)), gold=(posed.letter,))

    return Draft(render, least=0, most=None if fills else 0, may_be_short=not fills, spare=spare)


def _pose(request: Request, kind: str, right: int, rng: random.Random) -> Posed:
    problem = KINDS[kind](rng, request.language, heldout=request.heldout)
    choices: list[Slip | None] = rng.sample(problem.slips, len(problem.slips))
    choices.insert(right, None)
    return Posed(problem, tuple(choices), right)


def _kind(request: Request) -> str:
    asked = str(request.options["kind"])
    if asked != "any":
        return asked
    kinds = list(KINDS) if has_passages(request.language, heldout=request.heldout) else _COMPUTED
    return kinds[request.index % len(kinds)]


def _example_kind(request: Request, number: int) -> str:
    """Of the kind that is asked for, but no texts to read: one of them is more than a small gap can take."""
    asked = str(request.options["kind"])
    return asked if asked in _COMPUTED else _COMPUTED[(request.index + number) % len(_COMPUTED)]


def _letter(request: Request) -> int:
    """Place of the right choice: each of the four once in every block of four samples."""
    block, within = divmod(request.index, len(LETTERS))
    places = list(range(len(LETTERS)))
    seeded(request.seed, "mcq-letter", request.side, block).shuffle(places)
    return places[within]


def _answer(request: Request, frame: Mapping[str, str], posed: Posed) -> str:
    reasoning = request.options["reasoning"]
    last = f"ANSWER: {posed.letter}"
    if reasoning == "none":
        return last
    wrong = len(posed.choices) if reasoning == "long" else 0
    return f"{posed.derived(frame, _gap(request), wrong)}\n\n{last}"


def _example(request: Request, frame: Mapping[str, str], number: int, posed: Posed, level: int) -> str:
    """A problem with its solution, told at a level from 1 (the result) to `_FULL` (everything)."""
    head = f"{frame['example'].format(number=number)} {posed.problem.question}"
    if level == 1:
        return f"{head}\n{frame['bare'].format(right=posed.problem.right)}"
    derived = [posed.derived(frame, _gap(request), level - 3)] if level > 2 else []
    return "\n".join([head, posed.listed(frame), *derived, f"ANSWER: {posed.letter}"])


def _gap(request: Request) -> str:
    return "" if request.language == "zh" else " "


def _licence(options: Options) -> str:
    if options["kind"] in ("any", "reading"):
        return " AND ".join(LICENCES[options["language"]])
    return "CC0-1.0"


GENERATOR = Generator(
    title="multiple choice: problems to be worked out and short texts, with derivations that end in ANSWER: X",
    low_continuity="never",
    licence=_licence,
    choices={
        "kind": ("any", *KINDS),
        "reasoning": ("long", "short", "none"),
        "fill": ("none", "examples"),
        "language": LANGUAGES,
    },
    defaults={"kind": "any", "reasoning": "long", "fill": "none", "language": "en"},
    is_low=lambda _: False,
    plan=_plan,
)
