from __future__ import annotations

from itertools import islice

from select_shards import Held, documents, rule, split

from curator.corpora.document import Document
from curator.select.supply import EndlessSupply, FiniteSupply


def supply_of(given: list[Document], seed: int = 1, window: int = 10**6) -> FiniteSupply:
    return FiniteSupply([Held(tuple(given))], rule(seed=seed, window=window))


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


def test_generated_documents_are_numbered_on_from_draw_to_draw() -> None:
    supply = EndlessSupply(lambda number: Document(f"g#{number}", "g", "g", "t", "und", "CC0-1.0", "x"))
    assert [piece.document.id for piece in islice(supply.draw(), 3)] == ["g#0", "g#1", "g#2"]
    assert [piece.document.id for piece in islice(supply.draw(), 2)] == ["g#3", "g#4"]


def test_an_endless_supply_ends_when_nothing_of_it_is_taken() -> None:
    def make(number: int) -> Document:
        return Document(f"g#{number}", "generate:x", "u", "t", "en", "CC0-1.0", "text")

    supply = EndlessSupply(make)
    refused = [piece.document.id for piece in supply.draw()]
    assert refused == [f"g#{number}" for number in range(100)]
    taken = []
    for piece in supply.draw():
        taken.append(piece.document.id)
        supply.took(piece)
        if len(taken) == 300:
            break
    assert taken == [f"g#{number}" for number in range(100, 400)]


def test_a_small_window_changes_neither_the_draws_nor_their_order() -> None:
    for window in (8, 20, 55, 300):
        large, small = supply_of(documents(25)), FiniteSupply(split(documents(25), 3), rule(window=window))
        for count in (7, 7, 7, 7, 7, 30):
            assert take(small, count) == take(large, count), window
