"""Word problems of arithmetic, each of two steps or more; the first four are for calibration."""

from __future__ import annotations

import random

from curator.corpora.generators.mcq.story import Draw, Values


def _shop(rng: random.Random, _: str) -> Values:
    n, price = rng.randint(3, 9), rng.randint(12, 48)
    cost = n * price
    paid = (cost // 100 + 1) * 100
    return {
        "n": n,
        "price": price,
        "paid": paid,
        "cost": cost,
        "right": paid - cost,
        "one": paid - price,
        "fewer": paid - cost + price,
    }


def _bus(rng: random.Random, _: str) -> Values:
    stops, leave = rng.randint(3, 6), rng.randint(2, 5)
    board, first = leave + rng.randint(2, 6), rng.randint(8, 20)
    more = board - leave
    return {
        "first": first,
        "stops": stops,
        "board": board,
        "leave": leave,
        "more": more,
        "total": stops * more,
        "right": first + stops * more,
        "once": first + more,
        "empty": stops * more,
        "nobody": first + stops * board,
    }


def _tank(rng: random.Random, _: str) -> Values:
    leak, minutes = rng.randint(2, 6), rng.choice([12, 15, 18, 20, 24])
    net = rng.choice([4, 6, 8, 9, 12])
    volume = net * minutes
    rate = net + leak
    return {
        "volume": volume,
        "rate": rate,
        "leak": leak,
        "net": net,
        "right": minutes,
        "sealed": volume // rate,
        "both": volume // (rate + leak),
        "late": minutes + leak,
    }


def _discount(rng: random.Random, _: str) -> Values:
    price, percent, n = 20 * rng.randint(3, 12), rng.choice([5, 10, 15, 20, 25, 30]), rng.randint(2, 6)
    off = price * percent // 100
    each = price - off
    return {
        "price": price,
        "percent": percent,
        "n": n,
        "off": off,
        "each": each,
        "right": n * each,
        "full": n * price,
        "saved": n * off,
        "once": n * price - off,
    }


def _workers(rng: random.Random, _: str) -> Values:
    slow, fast = rng.choice([(2, 3), (3, 4), (4, 6), (6, 8), (5, 10), (3, 6), (4, 10), (6, 9)])
    days = fast * rng.randint(2, 6)
    work = slow * days
    return {
        "few": slow,
        "days": days,
        "many": fast,
        "work": work,
        "right": work // fast,
        "longer": days + fast - slow,
        "shorter": days - (fast - slow),
        "same": days,
    }


def _trip(rng: random.Random, _: str) -> Values:
    first = 5 * rng.randint(8, 14)
    second = first + 10 * rng.randint(1, 6)
    t1, t2 = rng.randint(2, 5), rng.randint(2, 5)
    one, two = first * t1, second * t2
    return {
        "first": first,
        "t1": t1,
        "second": second,
        "t2": t2,
        "one": one,
        "two": two,
        "right": one + two,
        "swapped": first * t2 + second * t1,
        "mean": (first + second) * (t1 + t2) // 2,
        "part": two,
    }


def _marks(rng: random.Random, _: str) -> Values:
    goal = rng.randint(70, 85)
    a, b, c = (goal + rng.randint(-8, 6) for _ in range(3))
    have, need = a + b + c, 4 * goal
    return {
        "a": a,
        "b": b,
        "c": c,
        "goal": goal,
        "have": have,
        "need": need,
        "right": need - have,
        "average": goal,
        "mean": have // 3,
        "three": abs(3 * goal - have),
    }


def _cards(rng: random.Random, _: str) -> Values:
    friends, each, boxes, rest = rng.randint(3, 7), rng.randint(6, 15), rng.randint(3, 8), rng.randint(9, 25)
    given, left = friends * each, boxes * rest
    return {
        "total": given + left,
        "friends": friends,
        "each": each,
        "boxes": boxes,
        "given": given,
        "left": left,
        "right": rest,
        "once": (given + left - each) // boxes,
        "all": (given + left) // boxes,
        "none": left,
    }


STORIES: dict[str, Draw] = {
    "shop": _shop,
    "bus": _bus,
    "tank": _tank,
    "discount": _discount,
    "workers": _workers,
    "trip": _trip,
    "marks": _marks,
    "cards": _cards,
}
