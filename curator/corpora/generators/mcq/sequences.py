"""Number sequences to go on with; the first four rules are for calibration."""

from __future__ import annotations

import random
from collections.abc import Sequence

from curator.corpora.generators.mcq.story import Draw, Values


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _steady(rng: random.Random, _: str) -> Values:
    first, step = rng.randint(2, 40), rng.randint(3, 17)
    terms = [first + step * place for place in range(5)]
    return {"terms": _listed(terms), "first": first, "second": terms[1], "step": step, "last": terms[-1],
            "right": terms[-1] + step, "two": terms[-1] + 2 * step, "more": terms[-1] + step + 1,
            "repeat": terms[-1] + step - 1}  # fmt: skip


def _ratio(rng: random.Random, _: str) -> Values:
    first, ratio = rng.randint(2, 9), rng.randint(2, 4)
    terms = [first * ratio**place for place in range(5)]
    last = terms[-1]
    return {"terms": _listed(terms), "first": first, "second": terms[1], "ratio": ratio, "last": last,
            "right": last * ratio, "added": last + last - terms[-2], "next": last * (ratio + 1),
            "plus": last + ratio}  # fmt: skip


def _growing(rng: random.Random, _: str) -> Values:
    first, step, more = rng.randint(1, 20), rng.randint(2, 6), rng.randint(2, 5)
    steps = [step + more * place for place in range(5)]
    terms = [first + sum(steps[:place]) for place in range(5)]
    last = terms[-1]
    return {"terms": _listed(terms), "steps": _listed(steps[:4]), "more": more, "last": last, "step": steps[3],
            "next": steps[4], "right": last + steps[4], "same": last + steps[3],
            "far": last + steps[4] + more, "plus": last + more}  # fmt: skip


def _sums(rng: random.Random, _: str) -> Values:
    a, b = rng.randint(1, 8), rng.randint(2, 9)
    terms = [a, b]
    while len(terms) < 6:
        terms.append(terms[-1] + terms[-2])
    last, before = terms[-1], terms[-2]
    return {"terms": _listed(terms), "a": a, "b": b, "c": terms[2], "before": before, "last": last,
            "right": last + before, "step": last + last - before, "double": 2 * last,
            "old": last + terms[-4]}  # fmt: skip


def _alternating(rng: random.Random, _: str) -> Values:
    back = rng.randint(2, 6)
    ahead, first = back + rng.randint(2, 9), rng.randint(5, 30)
    terms = [first]
    while len(terms) < 6:
        terms.append(terms[-1] + (ahead if len(terms) % 2 else -back))
    last = terms[-1]
    return {"terms": _listed(terms), "ahead": ahead, "back": back, "last": last, "right": last - back,
            "up": last + ahead, "wrong": last - ahead, "plus": last + back}  # fmt: skip


def _doubling(rng: random.Random, _: str) -> Values:
    first, plus = rng.randint(2, 7), rng.randint(1, 5)
    terms = [first]
    while len(terms) < 5:
        terms.append(2 * terms[-1] + plus)
    last, before = terms[-1], terms[-2]
    return {"terms": _listed(terms), "first": first, "second": terms[1], "third": terms[2], "plus": plus,
            "last": last, "right": 2 * last + plus, "double": 2 * last, "minus": 2 * last - plus,
            "same": 2 * last - before}  # fmt: skip


def _squares(rng: random.Random, _: str) -> Values:
    start, plus = rng.randint(1, 6), rng.randint(1, 9)
    terms = [(start + place) ** 2 + plus for place in range(5)]
    root = start + 5
    return {"terms": _listed(terms), "start": start, "end": start + 4, "plus": plus, "root": root,
            "square": root**2, "right": root**2 + plus, "bare": root**2, "same": 2 * terms[-1] - terms[-2],
            "later": (root + 1) ** 2 + plus}  # fmt: skip


def _interleaved(rng: random.Random, _: str) -> Values:
    a, b, up, down = rng.randint(2, 12), rng.randint(40, 90), rng.randint(2, 7), rng.randint(2, 7)
    terms = [a, b, a + up, b - down, a + 2 * up, b - 2 * down]
    return {"terms": _listed(terms), "odd": _listed(terms[::2]), "even": _listed(terms[1::2]), "up": up,
            "down": down, "last": terms[4], "right": a + 3 * up, "other": b - 3 * down,
            "mixed": terms[5] + up, "back": terms[4] - down}  # fmt: skip


STORIES: dict[str, Draw] = {
    "steady": _steady,
    "ratio": _ratio,
    "growing": _growing,
    "sums": _sums,
    "alternating": _alternating,
    "doubling": _doubling,
    "squares": _squares,
    "interleaved": _interleaved,
}
