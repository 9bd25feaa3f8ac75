"""Where an arm departs from BF16's text, token by token."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from curator.rank.departures import departure, worst_prompts
from curator.rank.statistical_design import ArmKL
from curator.serve.interface import Window

# Ids are bytes: a character of three bytes is three tokens, as in a byte-level vocabulary.


def decode(ids: list[int]) -> str:
    return bytes(ids).decode(errors="replace")


def rows(choices: list[int], prompt: str = "p") -> pd.DataFrame:
    return pd.DataFrame(
        {"prompt": prompt, "position": range(len(choices)), "choice": choices, "kl": np.arange(len(choices)) / 10}
    )


def test_the_first_other_token_is_told_with_what_stands_around_it() -> None:
    text = list(b"the ferry leaves")
    choices = list(b"the fast leavez")[:9] + list(b" leavez")
    found = departure(text, 0, rows(choices), decode)
    assert (found["departs"], found["before"], found["reference"], found["choice"]) == (6, "the f", "e", "a")
    assert found["after"] == "rry leaves"
    assert found["kl_there"] == 0.5
    assert (found["scored"], found["differ"]) == (16, sum(a != b for a, b in zip(text, choices, strict=True)))


def test_tokens_before_the_first_scored_one_are_no_departure() -> None:
    found = departure(list(b"abcdef"), 4, rows(list(b"eX")).sample(frac=1, random_state=0), decode)
    assert (found["departs"], found["before"], found["reference"], found["choice"]) == (6, "abcde", "f", "X")


def test_an_arm_that_never_departs_says_so() -> None:
    assert departure(list(b"abc"), 0, rows(list(b"abc")), decode) == {"scored": 3, "differ": 0, "departs": None}


def test_a_character_that_a_token_only_begins_is_the_tokens() -> None:
    text = list("a€".encode())
    found = departure(text, 0, rows([*text[:2], 0xAC, text[3]]), decode)
    # BF16 goes on with the second byte of the sign, the arm with another one.
    assert found["departs"] == 3
    assert (found["before"], found["reference"]) == ("a\ufffd", "")
    found = departure(text, 0, rows([ord("a"), ord("b"), text[2], text[3]]), decode)
    assert (found["before"], found["choice"], found["after"]) == ("a", "b", "€")


def test_the_worst_prompts_come_first_then_those_that_the_arms_differ_on() -> None:
    best = np.array([[0.9, 0.1, 0.2, 0.8, 0.3, 0.7, 0.6, 0.1]])
    worst = best + np.array([[0.0, 0.3, 0.0, 0.0, 0.1, 0.0, 0.0, -0.1]])
    count = best.shape[1]
    windows = [Window((*b"say", *b"yes"), 3) for _ in range(count)]
    prompts = [{"id": f"p{n}", "task": "t"} for n in range(count)]
    base = cast(Any, SimpleNamespace(prompts=prompts, windows=windows))
    tables = {
        name: pd.concat([rows(list(choice), prompt["id"]) for prompt in prompts], ignore_index=True)
        for name, choice in (("best", b"yes"), ("worst", b"yet"))
    }
    arms = [ArmKL(name, kl, True, False) for name, kl in (("best", best), ("worst", worst))]
    found = worst_prompts(base, arms, tables, decode)
    assert [(one["id"], one["why"]) for one in found] == [
        *((f"p{n}", "highest KL") for n in (0, 3, 5, 6)),
        ("p1", "largest difference"),
        ("p4", "largest difference"),
    ]
    assert (found[0]["prompt"], found[0]["text"]) == ("say", "yes")
    mine, theirs = found[4]["arms"]
    assert (mine["arm"], mine["kl"], mine["departs"]) == ("best", pytest.approx(0.1), None)
    assert (theirs["departs"], theirs["reference"], theirs["choice"]) == (3, "s", "t")
    # Tables of an older version do not tell the choice: no texts, no fault.
    assert (
        worst_prompts(base, arms, {name: one.drop(columns="choice") for name, one in tables.items()}, decode) == []
    )
