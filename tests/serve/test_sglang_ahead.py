from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from curator.serve.sglang.ahead import one_ahead


def test_the_next_step_begins_when_the_server_is_free_and_results_stay_in_order() -> None:
    second_began = threading.Event()

    def first(free: Callable[[], None]) -> str:
        free()
        # Reading an answer, while the next request is in the server.
        assert second_began.wait(10)
        return "first"

    def second(_free: Callable[[], None]) -> str:
        second_began.set()
        return "second"

    assert list(one_ahead([first, second])) == ["first", "second"]


def test_never_two_steps_before_the_server_is_free() -> None:
    inside, most = 0, 0

    def step(_free: Callable[[], None]) -> int:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        inside -= 1
        return most

    assert list(one_ahead([step] * 20)) == [1] * 20


def test_a_fault_is_raised_in_its_turn_and_nothing_is_begun_after_it() -> None:
    begun = []

    def step(number: int) -> Callable[[Callable[[], None]], int]:
        def run(_free: Callable[[], None]) -> int:
            begun.append(number)
            if number == 2:
                raise ValueError(number)
            return number

        return run

    given = []
    with pytest.raises(ValueError, match="2"):
        for result in one_ahead(map(step, range(5))):
            given.append(result)
    assert given == [0, 1]
    assert begun == [0, 1, 2]


def test_nothing_to_do() -> None:
    assert list(one_ahead([])) == []
