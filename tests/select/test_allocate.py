"""Allocations against the margins, against a search of all of them, and against what supply allows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.recipe.target import Target
from curator.select.allocate import OVER, allocate
from curator.select.cells import Bin, Cell, Cells, Margin

EN, ZH = Cell("qa", "en"), Cell("qa", "zh")


def cost(margins: Sequence[Margin], found: Mapping[Cell, int], over: float = OVER) -> float:
    """What the margins lack, and what they have too much of."""
    gaps = [margin.tokens - sum(found[cell] for cell in margin.cells) for margin in margins]
    return sum(gap if gap > 0 else -over * gap for gap in gaps)


def asked(
    target: Target, room: int, longest: int = 1000
) -> tuple[list[Margin], dict[Cell, float], dict[Cell, Bin]]:
    cells = Cells(target, longest)
    quotas = {task: round(room * share) for task, share in target.shares().items()}
    wanted = cells.wanted(quotas, {})
    return cells.margins(quotas, {}), wanted, {cell: cells.span(cell) for cell in wanted}


def test_one_cell_a_task_gives_what_is_asked_as_far_as_it_goes() -> None:
    margins, wanted, lengths = asked(Target(tasks={"a": 0.3, "b": 0.7}), 1000)
    assert allocate(margins, wanted, {}, lengths) == {Cell("a"): 300, Cell("b"): 700}
    assert allocate(margins, wanted, {Cell("b"): 12}, lengths) == {Cell("a"): 300, Cell("b"): 12}


def test_what_one_task_lacks_of_a_language_another_gives() -> None:
    target = Target.model_validate({"tasks": {"qa": 1, "prose": 1}, "languages": {"en": 0.5, "zh": 0.5}})
    margins, wanted, lengths = asked(target, 1000)
    found = allocate(margins, wanted, {Cell("prose", "zh"): 0}, lengths)
    # Prose can only be English, so that questions must all be Chinese.
    assert {cell: tokens for cell, tokens in found.items() if tokens} == {ZH: 500, Cell("prose", "en"): 500}


def test_what_no_task_has_is_not_given_to_others() -> None:
    target = Target.model_validate({"tasks": {"qa": 1}, "languages": {"en": 0.5, "zh": 0.5}})
    margins, wanted, lengths = asked(target, 1000)
    found = allocate(margins, wanted, {ZH: 40}, lengths)
    assert (found[EN], found[ZH]) == (500, 40)


def test_a_length_that_cannot_be_met_in_parts_is_rounded_to_whole_texts() -> None:
    lengths = [{"upto": 100, "share": 0.7}, {"share": 0.3}]
    target = Target.model_validate({"tasks": {"qa": 1}, "lengths": lengths})
    margins, wanted, spans = asked(target, 1000, longest=500)
    found = allocate(margins, wanted, {}, spans)
    assert found == {Cell("qa", "", 0): 700, Cell("qa", "", 1): 300}
    margins, wanted, spans = asked(target, 300, longest=500)
    found = allocate(margins, wanted, {}, spans)
    # A text of 101 tokens is the shortest long one, and 90 are asked.
    assert found == {Cell("qa", "", 0): 199, Cell("qa", "", 1): 101}


@settings(max_examples=60)
@given(
    st.integers(0, 9), st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=4, max_size=4), st.integers(1, 3)
)
def test_no_other_allocation_is_cheaper(room: int, supply: list[int | None], part: int) -> None:
    target = Target.model_validate({"tasks": {"qa": 1, "prose": 1}, "languages": {"en": float(part), "zh": 2.0}})
    margins, wanted, lengths = asked(target, room)
    known = {cell: most for cell, most in zip(wanted, supply, strict=False) if most is not None}
    known |= {cell: 0 for cell in wanted if cell.language == "zxx"}
    found = allocate(margins, wanted, known, lengths)
    assert all(found[cell] <= most for cell, most in known.items())
    free = [cell for cell in wanted if cell.language != "zxx"]
    tried = itertools.product(*(range(min(known.get(cell, room), room) + 1) for cell in free))
    best = min(cost(margins, dict.fromkeys(wanted, 0) | dict(zip(free, one, strict=True))) for one in tried)
    # Whole tokens of a fractional optimum: half a token in each of the cells at most.
    assert cost(margins, found) <= best + OVER * len(free)


shares = st.floats(0.05, 1)


@settings(max_examples=25)
@given(
    st.lists(shares, min_size=1, max_size=5),
    st.lists(shares, min_size=1, max_size=4),
    st.lists(shares, min_size=1, max_size=4),
    st.integers(50_000, 5_000_000),
)
def test_every_margin_is_met_within_two_points_where_supply_allows(
    tasks: list[float], languages: list[float], lengths: list[float], room: int
) -> None:
    bins = [{"upto": 256 * 2**at, "share": share} for at, share in enumerate(lengths)]
    target = Target.model_validate(
        {
            "tasks": {f"t{at}": share for at, share in enumerate(tasks)},
            "languages": dict(zip(["en", "zh", "de", "fr"], languages, strict=False)),
            "lengths": bins,
        }
    )
    margins, wanted, spans = asked(target, room, longest=256 * 2 ** (len(lengths) - 1))
    found = allocate(margins, wanted, {cell: 0 for cell in wanted if cell.language == "zxx"}, spans)
    for margin in margins:
        assert abs(sum(found[cell] for cell in margin.cells) - margin.tokens) <= 0.02 * room, margin.name
    # Where a part is no sum of whole texts, the search ends a tenth of a point from the best.
    assert sum(found.values()) == pytest.approx(room, abs=0.001 * room + len(wanted) + 2)
    assert all(spans[cell].fits(tokens) or tokens < 3 for cell, tokens in found.items())


@settings(max_examples=60)
@given(st.lists(st.integers(0, 60_000), min_size=6, max_size=6), st.integers(20_000, 60_000))
def test_nothing_is_missing_that_supply_could_give(supply: list[int], room: int) -> None:
    """Against the largest flow from tasks through cells to languages, which is the smallest cut."""
    tasks = ["a", "b", "c"]
    target = Target.model_validate({"tasks": dict.fromkeys(tasks, 1.0), "languages": {"en": 0.7, "zh": 0.3}})
    margins, wanted, lengths = asked(target, room)
    free = [cell for cell in wanted if cell.language != "zxx"]
    known = dict(zip(free, supply, strict=True)) | {cell: 0 for cell in wanted if cell.language == "zxx"}
    found = allocate(margins, wanted, known, lengths)
    by_name = {margin.name: margin.tokens for margin in margins}
    # Max flow = min cut: over all sides that the tasks and the languages can be on.
    cuts = []
    for left in itertools.product([False, True], repeat=5):
        side = dict(zip([*tasks, "en", "zh"], left, strict=True))
        cut = sum(by_name[f"task {task}"] for task in tasks if not side[task])
        cut += sum(by_name[language] for language in ("en", "zh") if side[language])
        cut += sum(known[cell] for cell in free if side[cell.task] and not side[cell.language])
        cuts.append(cut)
    assert sum(found.values()) == pytest.approx(min(cuts), abs=4)
