from __future__ import annotations

from itertools import islice

import pytest
from select_shards import Held, documents, rule, split

from curator.corpora.document import Document
from curator.select import rounds
from curator.select import supply as supply_module
from curator.select.supply import FiniteSupply


def supply_of(given: list[Document], seed: int = 1) -> FiniteSupply:
    return FiniteSupply([Held(tuple(given))], rule(seed=seed))


def take(supply: FiniteSupply, count: int) -> list[str]:
    found = list(islice(supply.draw(), count))
    for piece in found:
        supply.took(piece)
    return [piece.id for piece in found]


def test_draws_share_nothing_until_the_pool_is_used_up() -> None:
    supply = supply_of(documents(10), seed=1)
    first, second, third = take(supply, 4), take(supply, 4), take(supply, 4)
    assert not set(first) & set(second)
    # Two are left; the other two come again in the order of the first draw.
    assert not set(third[:2]) & set(first + second)
    assert third[2:] == first[:2]


def test_a_draw_gives_no_piece_twice_and_ends() -> None:
    supply = supply_of(documents(6), seed=1)
    assert len(set(take(supply, 50))) == 6
    assert len(take(supply, 50)) == 6


def test_the_order_is_of_the_seed_and_not_of_the_source() -> None:
    forward = take(supply_of(documents(30), seed=1), 30)
    backward = take(supply_of(documents(30)[::-1], seed=1), 30)
    other = take(supply_of(documents(30), seed=2), 30)
    assert forward == backward
    assert other != forward
    assert sorted(other) == sorted(forward)


def test_a_draw_is_not_left_with_what_another_looked_at_and_did_not_want() -> None:
    whole = take(supply_of(documents(12)), 12)
    supply = supply_of(documents(12))
    looked_at = list(islice(supply.draw(), 5))
    supply.took(looked_at[0])
    second = take(supply, 12)
    # First what nobody saw, then what nobody took, then what was taken.
    assert second == [*whole[5:], *whole[1:5], whole[0]]


def test_what_was_only_fetched_is_the_next_draws_first() -> None:
    whole = take(supply_of(documents(9)), 9)
    supply = supply_of(documents(9))
    list(islice(supply.draw(), 6))
    supply.put_back(2)
    assert [piece.id for piece in islice(supply.draw(), 3)] == whole[4:7]


def test_nothing_is_put_back_of_what_came_again() -> None:
    supply = supply_of(documents(4))
    take(supply, 3)
    # One fresh piece, then two of the first draw again.
    again = list(islice(supply.draw(), 3))
    supply.put_back(3)
    assert [piece.id for piece in islice(supply.draw(), 1)] == [again[0].id]


def test_shards_do_not_change_the_draws() -> None:
    whole, parts = supply_of(documents(25)), FiniteSupply(split(documents(25), 3), rule())
    for count in (7, 7, 7, 7, 30):
        assert take(parts, count) == take(whole, count)


def test_what_comes_next_is_seen_without_being_drawn() -> None:
    whole = take(supply_of(documents(9)), 9)
    supply = supply_of(documents(9))
    draw = supply.draw()
    assert [piece.id for piece in supply.ahead(2)] == whole[:2]
    list(islice(draw, 3))
    assert [piece.id for piece in supply.ahead(4)] == whole[3:7]
    assert [piece.id for piece in supply.ahead(40)] == whole[3:]
    assert [piece.id for piece in draw] == whole[3:]
    assert supply.ahead(1) == []


def test_nothing_is_read_for_what_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    # Rounds of one part of three documents, of which the last read alone stays in memory.
    for name in ("SMALL", "ROUND", "FEWEST"):
        monkeypatch.setattr(rounds, name, 0 if name == "SMALL" else 1)
    monkeypatch.setattr(supply_module, "_HELD", 0)
    shards = [Held(part.given, size=1) for part in split(documents(12), 4)]
    whole = [piece.id for piece in FiniteSupply(shards, rule()).draw()]
    supply = FiniteSupply(shards, rule())
    draw = supply.draw()
    assert [piece.id for piece in supply.ahead(12)] == whole[:3]
    list(islice(draw, 4))
    assert [piece.id for piece in supply.ahead(12)] == whole[4:6]
    assert supply.found.documents == 6
