"""Texts without continuous meaning, as sentences: what the score must rank below prose."""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable, Sequence

LINES = 24
_CWE_SUBJECTS = (
    "Input", "Output", "Memory Buffer", "Pathname", "Pointer", "Session", "Credentials", "Certificate", "Resource",
    "Privileges", "Log File", "Query", "Command", "Cookie", "Password", "Integer", "Array Index", "Lock", "Thread",
)  # fmt: skip
_CWE_FAULTS = (
    "Improper Neutralization of", "Insufficient Validation of", "Uncontrolled Consumption of",
    "Missing Release of", "Incorrect Comparison of",
    "Exposure of Sensitive", "Use of Uninitialized", "Improper Restriction of",
    "Incorrect Calculation of", "Unprotected Storage of", "Race Condition in", "Out-of-bounds Read of",
)  # fmt: skip
_CWE_ENDS = (
    "",
    " During Web Page Generation",
    " in an Application",
    " to an Unauthorized Actor",
    " ('Injection')",
)


def junk(words: Sequence[str], sentences: Sequence[str]) -> dict[str, Callable[[random.Random], list[str]]]:
    """Makers of one text of 24 lines each.

    Args:
        words: a vocabulary.
        sentences: good ones, for what is good only in parts.
    """
    return {
        "uuid": _lines(lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4))),
        "hex": _lines(lambda rng: f"{rng.getrandbits(192):048x}"),
        "base64": _lines(lambda rng: base64.b64encode(rng.randbytes(45)).decode()),
        "letters": _lines(lambda rng: " ".join(_letters(rng, rng.randint(2, 9)) for _ in range(14))),
        "dictionary words": _lines(lambda rng: " ".join(rng.choice(words) for _ in range(14))),
        "digits": _lines(lambda rng: " ".join(str(rng.randint(0, 10**6)) for _ in range(9))),
        "needles": _lines(_needle),
        "repeats": lambda rng: [rng.choice(sentences)] * LINES,
        "niah noise": _niah_noise,
        "cwe list": _cwe_list,
        "numbered list": lambda rng: [f"{at}. {line}" for at, line in enumerate(rng.sample(sentences, LINES), 1)],
        "sorted words": lambda rng: _sorted_words(rng, words),
        "sorted names": lambda rng: sorted(
            f"{rng.choice(words).title()}, {_letters(rng, 6)}" for _ in range(LINES)
        ),
        "random documents": lambda rng: rng.sample(sentences, LINES),
        "logs": lambda rng: _log(rng, words),
    }


def _log(rng: random.Random, words: Sequence[str]) -> list[str]:
    """A server's log: continuous in its way, but not in sentences."""
    seconds, lines = rng.randint(0, 10**4), []
    for _ in range(LINES):
        seconds += rng.randint(0, 30)
        clock = f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        level, where = rng.choice(["INFO", "INFO", "WARN", "DEBUG"]), rng.choice(words[:12])
        lines.append(f"2026-03-04 {clock} {level} {where}.{rng.choice(words[:9])}: took {rng.randint(1, 900)} ms")
    return lines


def _lines(line: Callable[[random.Random], str]) -> Callable[[random.Random], list[str]]:
    return lambda rng: [line(rng) for _ in range(LINES)]


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(string.ascii_lowercase, k=count))


def _needle(rng: random.Random) -> str:
    key, value = _letters(rng, 6), rng.randint(10**6, 10**7)
    return f"One of the special magic numbers for {key}-{_letters(rng, 5)} is: {value}."


def _niah_noise(rng: random.Random) -> list[str]:
    noise = [
        "The grass is green.",
        "The sky is blue.",
        "The sun is yellow.",
        "Here we go.",
        "There and back again.",
    ]
    lines = (noise * LINES)[:LINES]
    lines[rng.randrange(LINES)] = _needle(rng)
    return lines


def _cwe_list(rng: random.Random) -> list[str]:
    numbers = sorted(rng.sample(range(5, 1400), LINES))
    titles = [f"{rng.choice(_CWE_FAULTS)} {rng.choice(_CWE_SUBJECTS)}{rng.choice(_CWE_ENDS)}" for _ in numbers]
    return [f"CWE-{number}: {title}" for number, title in zip(numbers, titles, strict=True)]


def _sorted_words(rng: random.Random, words: Sequence[str]) -> list[str]:
    chosen = sorted(rng.sample(list(words), min(LINES * 3, len(words))))
    return [" ".join(chosen[at : at + 3]) for at in range(0, len(chosen) - 2, 3)][:LINES]
