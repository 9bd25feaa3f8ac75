"""200 measurements through a proxy that spoils a third of the answers: all are right or refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from client_of_stub import same
from fault_proxy import BROKEN, WRONG, FaultProxy

from curator._errors import ServerError
from curator.serve.interface import Scores

_RUNS = 200


@dataclass(frozen=True, slots=True)
class FaultRuns:
    """How they ended, and the faults that were done."""

    equal: int
    refused: int
    done: list[str]


def run_faults(
    target: str, client: Callable[[str], Callable[[], Iterable[Scores]]], clean: list[Scores]
) -> FaultRuns:
    """Measure again and again through one proxy; whatever is handed out must equal the clean results.

    Args:
        target: the server's address.
        client: gives, for the proxy's address, what measures once.
        clean: results without faults.
    """
    draw = random.Random(0)
    plan = {n: draw.choice((*BROKEN, *BROKEN, *WRONG)) for n in range(5_000) if draw.random() < 0.35}
    proxy = FaultProxy(target, plan.get)
    measure, equal, refused = client(proxy.url), 0, 0
    for _ in range(_RUNS):
        before, found = len(proxy.done), []
        try:
            for scores in measure():
                found.append(scores)
        except ServerError as error:
            refused += 1
            assert "\n" not in str(error)
            # Nothing was refused that another try could have mended, unless it failed to the end.
            assert "4 times" in str(error) or set(proxy.done[before:]) & set(WRONG), error
        # What came before a refusal is right too.
        assert same(found, clean[: len(found)])
        equal += len(found) == len(clean)
    proxy.stop()
    assert equal + refused == _RUNS
    assert set(proxy.done) == {*BROKEN, *WRONG}
    return FaultRuns(equal, refused, proxy.done)
