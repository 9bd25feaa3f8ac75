"""Functions of a task, for the tests of every engine: workers import them by name."""

from __future__ import annotations

from curator._errors import InputError


def square(number: int) -> int:
    return number * number


def refuse_seven(number: int) -> int:
    if number >= 7:
        raise InputError(f"rows.jsonl:{number}: no")
    return number
