"""Word problems of units of measure; the first four are for calibration."""

from __future__ import annotations

import random

from curator.corpora.generators.mcq.story import Draw, Values


def _pace(rng: random.Random, _: str) -> Values:
    speed = 18 * rng.randint(2, 9)
    metres = speed * 1000
    return {
        "speed": speed, "metres": metres, "right": metres // 3600, "inverse": speed * 18 // 5,
        "minute": metres // 60, "sixty": speed // 6 * 10,
    }  # fmt: skip


def _clock(rng: random.Random, _: str) -> Values:
    hours, minutes = rng.randint(2, 9), rng.randint(5, 55)
    whole = hours * 60
    return {
        "hours": hours, "minutes": minutes, "whole": whole, "right": whole + minutes,
        "hundred": hours * 100 + minutes, "less": whole, "sum": hours + minutes,
    }  # fmt: skip


def _parcels(rng: random.Random, _: str) -> Values:
    kilos, grams, number = rng.randint(2, 6), 50 * rng.randint(2, 18), rng.randint(3, 8)
    one = 1000 * kilos + grams
    return {
        "kilos": kilos, "grams": grams, "n": number, "one": one, "right": number * one,
        "hundred": number * (100 * kilos + grams), "mixed": 1000 * number * kilos + grams,
    }  # fmt: skip


def _field(rng: random.Random, _: str) -> Values:
    length, half = 2 * rng.randint(2, 9), rng.randint(3, 9)
    width = 50 * half
    return {
        "length": length, "width": width, "raw": length * width, "right": length * half // 2,
        "tenth": length * width // 10, "rim": 2 * length + half,
    }  # fmt: skip


def _glasses(rng: random.Random, _: str) -> Values:
    glass, litres = rng.choice([125, 200, 250, 500]), rng.randint(3, 12)
    total = 1000 * litres
    return {
        "litres": litres, "glass": glass, "total": total, "right": total // glass,
        "hundred": total // 10 // glass, "half": total // 2 // glass, "product": litres * glass,
    }  # fmt: skip


def _wind(rng: random.Random, _: str) -> Values:
    speed = 5 * rng.randint(2, 9)
    hour = speed * 3600
    return {
        "speed": speed, "hour": hour, "right": hour // 1000, "minute": speed * 60, "six": speed * 6,
        "inverse": speed * 1000 // 3600,
    }  # fmt: skip


def _film(rng: random.Random, language: str) -> Values:
    minutes, seconds = rng.randint(3, 15), rng.randint(5, 55)
    total = 60 * minutes + seconds

    def told(whole: int, rest: int) -> str:
        return f"{whole} 分 {rest} 秒" if language == "zh" else f"{whole} min {rest} s"

    return {
        "total": total, "minutes": minutes, "seconds": seconds, "whole": 60 * minutes,
        "right": told(minutes, seconds), "hundred": told(*divmod(total, 100)),
        "more": told(minutes + 1, seconds), "less": told(minutes - 1, seconds),
    }  # fmt: skip


def _heat(rng: random.Random, _: str) -> Values:
    fifth = rng.randint(3, 20)
    celsius, scaled = 5 * fifth, 9 * fifth
    return {
        "celsius": celsius, "scaled": scaled, "right": scaled + 32, "forgot": scaled,
        "early": (celsius + 32) * 9 // 5, "plain": celsius + 32,
    }  # fmt: skip


STORIES: dict[str, Draw] = {
    "pace": _pace,
    "clock": _clock,
    "parcels": _parcels,
    "field": _field,
    "glasses": _glasses,
    "wind": _wind,
    "film": _film,
    "heat": _heat,
}
