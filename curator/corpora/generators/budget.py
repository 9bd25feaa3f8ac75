"""The size at which a sample uses its token budget: never over it, and within 2 % under."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from curator._errors import InputError
from curator.corpora.document import Message
from curator.corpora.generators.contract import Draft, Request, Sample
from curator.corpora.generators.wordings.remarks import REMARKS, SPACE

USED = 0.98
"""The least share of the budget that a sample uses."""
_AIM = 0.993
"""The share that the search aims at: near the middle of what is good enough, on the safe side of too much."""
_PILOT = 2000
"""From this many tokens on a sample of an eighth is measured first: the rough guess may be wrong by half."""
_STEADY = 6
"""After so many steps every other one halves the interval, so that no tokenizer can keep the search busy."""
_STEPS_A_TOKEN = 8
"""More steps than this for a token are made by no tokenizer but one that has none for the text."""
_NEAR = 3
"""The floor is asked for budgets below so many times what the smallest sample of this number has."""
_FILLS = 8


def rough_count(content: str | tuple[Message, ...]) -> int:
    """Tokens where no tokenizer is at hand: one for 4 ASCII characters, and one for any other character."""
    texts = [content] if isinstance(content, str) else [message.content for message in content]
    plain = sum(len(text.encode("ascii", "ignore")) for text in texts)
    return math.ceil(plain / 4) + sum(map(len, texts)) - plain


def fit(name: str, request: Request, draft: Draft, floor: Callable[[], int]) -> Sample:
    """The sample of a draft that uses `USED` to all of ``request.tokens``.

    Args:
        name: the generator's, for messages.
        request: what is wanted.
        draft: the sample of open size.
        floor: the least tokens with which every sample of these options can be made; asked only where the
            budget is near it.

    Raises:
        InputError: the budget is below the floor (named), or beyond the material (its end is named).
    """
    search = _Search(request, draft)
    least = search.measure(draft.least)
    # Samples differ in length: that one fits must not depend on its number.
    if request.tokens < _NEAR * least.tokens and request.tokens < (needed := max(floor(), least.tokens)):
        raise InputError(
            f"generate {name}: {request.tokens:,} tokens are too few for these options; "
            f"ask for {needed} tokens or more"
        )
    best = search.run(least)
    if best.tokens >= search.enough or (draft.may_be_short and best.size == search.most):
        return best.sample
    if best.size == search.most:
        why = "this tokenizer has no tokens for it" if draft.most is None else "its material ends there"
        raise InputError(
            f"generate {name}: {request.tokens:,} tokens asked, {best.tokens:,} made: {why}; "
            f"ask for {best.tokens:,} tokens or fewer"
        )
    if draft.finer is not None:
        words = Draft(partial(draft.finer, best.size), 0)
        best = _Search(request, words).run(replace(best, size=0))
    return best.sample if best.tokens >= search.enough else _filled(request, best, search.enough)


@dataclass(frozen=True, slots=True)
class _Measured:
    size: int
    tokens: int
    sample: Sample


class _Search:
    """Interpolates between measured sizes; every sample that is measured costs a tokenisation."""

    def __init__(self, request: Request, draft: Draft) -> None:
        self._request = request
        self._draft = draft
        self._aim = _AIM * request.tokens
        self.enough = math.ceil(USED * request.tokens)
        # A tokenizer that has no token for a text would be fed for ever.
        self.most = draft.least + _STEPS_A_TOKEN * request.tokens if draft.most is None else draft.most

    def measure(self, size: int) -> _Measured:
        sample = self._draft.render(size)
        return _Measured(size, self._request.count(sample.content), sample)

    def run(self, least: _Measured) -> _Measured:
        """The largest sample found within the budget."""
        below, before, above = least, None, None
        size = self._first(least)
        steps = 0
        while below.tokens < self.enough and below.size < (above.size - 1 if above else self.most):
            highest = above.size - 1 if above else self.most
            got = self.measure(max(below.size + 1, min(size, highest)))
            if got.tokens > self._request.tokens:
                above = got
            else:
                below, before = got, below
            steps += 1
            size = self._next(below, above or before or least, halve=bool(above and steps > _STEADY and steps % 2))
        return below

    def _first(self, least: _Measured) -> int:
        """A guess by rough counts, whose ratio to true ones is not known yet."""
        step = 64
        more = self._draft.render(min(least.size + step, self.most))
        slope = max((rough_count(more.content) - rough_count(least.sample.content)) / step, 1e-3)
        wanted = self._aim / 8 if self._request.tokens >= _PILOT else 0.9 * self._aim
        return least.size + max(1, int((wanted - least.tokens) / slope))

    def _next(self, below: _Measured, other: _Measured, *, halve: bool) -> int:
        if halve:
            return (below.size + other.size) // 2
        slope = (other.tokens - below.tokens) / (other.size - below.size) if other.size != below.size else 0.0
        if slope <= 0:
            return 2 * below.size + 1
        return below.size + int((self._aim - below.tokens) / slope)


def _filled(request: Request, best: _Measured, enough: int) -> Sample:
    """``best`` with remarks before its question, where one step of its size is more than what is left."""
    if best.sample.messages is None:
        return best.sample
    known = REMARKS[request.language, request.side]
    first = request.index % len(known)
    remarks = [*known[first:], *known[:first]]
    # A count may add a few tokens to every text that it is given, which only the first remark would cost.
    longest, space = max(remarks, key=len), SPACE[request.language]
    added = 2 * request.count(longest) - request.count(f"{longest}{space}{longest}")
    costs = [max(1, request.count(remark) - max(0, added)) for remark in remarks]
    room = request.tokens - best.tokens
    filled = best
    for _ in range(_FILLS):
        chosen = _fewest(costs, enough - best.tokens, room)
        if not chosen:
            break
        sample = _with_remarks(request, best.sample, [remarks[place] for place in chosen])
        tokens = request.count(sample.content)
        if filled.tokens < tokens <= request.tokens:
            filled = _Measured(best.size, tokens, sample)
        if filled.tokens >= enough:
            break
        # Together they have some tokens more or fewer than one by one.
        room = (
            sum(costs[place] for place in chosen)
            + (request.tokens if tokens > request.tokens else enough)
            - tokens
        )
    return filled.sample


def _fewest(costs: list[int], least: int, most: int) -> tuple[int, ...]:
    """The fewest places of ``costs`` whose sum is ``least`` to ``most``, or as near below it as can be."""
    sums: dict[int, tuple[int, ...]] = {0: ()}
    for place, cost in enumerate(costs):
        for total, places in sorted(sums.items(), reverse=True):
            known = sums.get(total + cost)
            if total + cost <= most and (known is None or len(places) + 1 < len(known)):
                sums[total + cost] = (*places, place)
    good = [total for total in sums if total >= least] or [max(sums)]
    return sums[min(good, key=lambda total: (len(sums[total]), -total))]


def _with_remarks(request: Request, sample: Sample, remarks: list[str]) -> Sample:
    assert sample.messages is not None
    user, *rest = sample.messages
    content = f"{SPACE[request.language].join(remarks)}\n\n{user.content}"
    return replace(sample, messages=(replace(user, content=content), *rest))
