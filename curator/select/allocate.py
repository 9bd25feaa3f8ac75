"""How many tokens each cell gives, so that as little as possible is missing of every margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from curator.select.cells import Bin, Cell, Margin

Numbers = NDArray[np.float64]
# One token too many in a margin weighs as much as so many too few: what one cell lacks is not given to others. A
# token that one cell lacks and another gives relieves two margins at most.
OVER = 4.0
# Small enough that it never outweighs a whole token of a margin.
_NEAR = 1e-3
# The search for whole numbers of texts ends here at the latest, with the best found, on every machine alike.
_NODES = 200
# Parts of the tokens by which the margins together may miss the optimum of that search: a tenth of a point.
_GAP = 1e-3


def allocate(
    margins: Sequence[Margin],
    wanted: Mapping[Cell, float],
    supply: Mapping[Cell, int],
    lengths: Mapping[Cell, Bin],
) -> dict[Cell, int]:
    """Tokens of each cell, by linear programming.

    Of all divisions that keep to the supply, one with the least sum of what margins lack, where a token too many
    counts as four too few; among these, one that is nearest to what is wanted of the cells. Where a cell's part is
    no sum of texts of its length, a second search finds whole numbers of texts (mixed-integer programming) that
    miss what the first reached by as little as can be, to a tenth of a point.

    Args:
        margins: what is asked.
        wanted: tokens of the cells if all could be had; gives the cells and their order.
        supply: the most tokens of a cell, where it is known.
        lengths: the lengths of each cell's texts.

    Returns:
        Whole numbers, within one token of the optimum for each cell.
    """
    cells = list(wanted)
    if _is_plain(margins, cells):
        # One cell a margin: nothing to weigh.
        pairs = [(cell, margin.tokens) for margin in margins for cell in margin.cells]
        return {cell: min(tokens, supply.get(cell, tokens)) for cell, tokens in pairs}
    found = _Problem(margins, cells, wanted, supply, lengths).solve()
    # Nothing of every cell is a solution, and a linear program has no search that could end too early.
    assert found is not None
    if all(lengths[cell].fits(tokens) for cell, tokens in found.items()):
        return found
    reached = [Margin(margin.name, margin.cells, sum(found[cell] for cell in margin.cells)) for margin in margins]
    # A set that is too small is worse than a share that is.
    reached.append(Margin("all", frozenset(cells), sum(found.values())))
    nearest = {cell: float(tokens) for cell, tokens in found.items()}
    whole = _Problem(reached, cells, nearest, supply, lengths).solve([*(1.0 for _ in margins), OVER])
    return found if whole is None else whole


def _is_plain(margins: Sequence[Margin], cells: Sequence[Cell]) -> bool:
    return all(len(margin.cells) == 1 for margin in margins) and len(margins) == len(cells)


class _Problem:
    """A problem of mixed-integer programming.

    Its variables: tokens of each cell; of each margin those missing, and those too many; of each cell those above
    what is wanted, and those below; the number of its texts.
    """

    def __init__(
        self,
        margins: Sequence[Margin],
        cells: Sequence[Cell],
        wanted: Mapping[Cell, float],
        supply: Mapping[Cell, int],
        lengths: Mapping[Cell, Bin],
    ) -> None:
        self._cells = cells
        self._margins = margins
        self._wanted = wanted
        self._lengths = lengths
        self._most = [float(supply.get(cell, np.inf)) for cell in cells]

    def solve(self, weights: Sequence[float] = ()) -> dict[Cell, int] | None:
        """A cheapest division; with weights, those of the margins, one into whole texts, if one is found."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        c, m = len(self._cells), len(self._margins)
        missing, over = (weights, weights) if weights else ([1.0] * m, [OVER] * m)
        # The last variable is 1, and costs what is asked: the search may end when it is that close to the optimum.
        cost = np.array([*[0.0] * c, *missing, *over, *[_NEAR] * 2 * c, *[0.0] * c, sum(self._wanted.values())])
        low, high = np.zeros(len(cost)), np.full(len(cost), np.inf)
        high[:c], low[-1], high[-1] = self._most, 1, 1
        equal, target = self._balances()
        constraints = [LinearConstraint(equal, target, target)]
        if weights:
            constraints.append(LinearConstraint(self._texts(), np.zeros(2 * c), np.inf))
        integrality = np.zeros(len(cost), dtype=np.int64)
        integrality[-c - 1 : -1] = bool(weights)
        found = milp(
            cost,
            integrality=integrality,
            bounds=Bounds(low, high),
            constraints=constraints,
            options={"node_limit": _NODES, "mip_rel_gap": _GAP},
        )
        return None if found.x is None else self._rounded(found.x[:c])

    def _balances(self) -> tuple[Numbers, Numbers]:
        """Margins: tokens + missing - too many = asked. Cells: tokens - above + below = wanted."""
        c, m = len(self._cells), len(self._margins)
        places = {cell: at for at, cell in enumerate(self._cells)}
        rows = np.zeros((m + c, 4 * c + 2 * m + 1))
        for number, margin in enumerate(self._margins):
            rows[number, [places[cell] for cell in margin.cells]] = 1
            rows[number, c + number], rows[number, c + m + number] = 1, -1
        for at in range(c):
            rows[m + at, [at, c + 2 * m + at, 2 * c + 2 * m + at]] = 1, -1, 1
        asked = [float(margin.tokens) for margin in self._margins]
        return rows, np.array([*asked, *(self._wanted[cell] for cell in self._cells)])

    def _texts(self) -> Numbers:
        """Between the fewest and the most tokens that a number of texts has."""
        c, m = len(self._cells), len(self._margins)
        rows = np.zeros((2 * c, 4 * c + 2 * m + 1))
        for at, cell in enumerate(self._cells):
            rows[2 * at, [at, 3 * c + 2 * m + at]] = 1, -self._lengths[cell].low
            rows[2 * at + 1, [at, 3 * c + 2 * m + at]] = -1, self._lengths[cell].high
        return rows

    def _rounded(self, values: Numbers) -> dict[Cell, int]:
        """Whole tokens; the last digits of a solver are noise, and each task keeps its sum."""
        exact = {cell: max(round(float(value), 4), 0.0) for cell, value in zip(self._cells, values, strict=True)}
        found = {cell: int(value) for cell, value in exact.items()}
        for task in dict.fromkeys(cell.task for cell in self._cells):
            own = [cell for cell in self._cells if cell.task == task]
            missing = round(sum(exact[cell] for cell in own)) - sum(found[cell] for cell in own)
            for cell in sorted(own, key=lambda one: found[one] - exact[one])[: max(missing, 0)]:
                found[cell] += 1
        return found
