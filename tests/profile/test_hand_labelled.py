"""A small file of which every number was counted by hand: one token is one word."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from curator.profile.figures import Bin
from curator.profile.schema import Profile
from tests.profile.profile_files import profiled, write_rows

TIDE = "The tide turned at noon and the two ferries left for the island with the mail on board"  # 18 words
IDS = "Which one? 7c9e6679-7425-40de-944b-e07fc1f90ae7 1b4e28ba-2fa1-11d2-883f-0016d3cca427"  # 4 words
ROWS = (
    {"task": "mcq", "question": "Which sum is right, A or B or C?", "gold": "B"},  # 9 words, gold 1
    {"task": "mcq", "question": "Which sum is right, C or D or E?", "gold": "(D)"},  # 9, 1
    {"task": "qa", "question": TIDE, "gold": ["at noon", "noon"]},  # 18, 3
    {"task": "qa", "question": TIDE, "gold": []},  # 18 and a copy, 0
    {"task": "count", "question": "How many boats?", "gold": 12},  # 3, 1
    {"task": "count", "question": "How many masts are there in all?", "gold": "1,204"},  # 7, 1
    {"task": "count", "question": "", "gold": "two boats"},  # 0, 2
    {"task": "ids", "question": IDS},  # 4, none
)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profile]:
    path = write_rows(tmp_path_factory.mktemp("hand") / "eval.jsonl", ROWS)
    with pytest.MonkeyPatch.context() as patch:
        yield profiled(path, patch)


def test_tasks_in_the_order_of_the_file(profile: Profile) -> None:
    assert {task: group.items for task, group in profile.tasks.items()} == {
        "mcq": 2, "qa": 2, "count": 3, "ids": 1,
    }  # fmt: skip
    assert list(profile.tasks) == ["mcq", "qa", "count", "ids"]
    assert profile.overall.items == 8


def test_tokens_of_prompts_and_golds(profile: Profile) -> None:
    assert [item.prompt_tokens for item in profile.items] == [9, 9, 18, 18, 3, 7, 0, 4]
    assert [item.gold_tokens for item in profile.items] == [1, 1, 3, 0, 1, 1, 2, 0]
    spread = profile.overall.prompt_tokens
    assert (spread.n, spread.sum, spread.least, spread.most) == (8, 68, 0, 18)
    # Sorted: 0 3 4 7 9 9 18 18; places 0.7, 3.5 and 6.3 of 0 to 7.
    assert (spread.p10, spread.median, spread.p90) == (2.1, 8.0, 18.0)
    bins = {0: 1, 4: 2, 8: 1, 16: 2, 32: 2}
    assert spread.histogram == [Bin(upto=end, count=count) for end, count in bins.items()]
    # Sorted: 0 0 1 1 1 1 2 3.
    assert profile.overall.gold_tokens.sum == 9
    assert profile.overall.gold_tokens.median == 1.0


def test_kinds_of_gold(profile: Profile) -> None:
    assert [item.gold_type for item in profile.items] == [
        "letter", "letter", "list", "none", "number", "number", "string", "none",
    ]  # fmt: skip
    assert profile.overall.gold_types == {"letter": 2, "none": 2, "number": 2, "list": 1, "string": 1}


def test_shares_of_items_and_tokens(profile: Profile) -> None:
    shares = {task: group.shares for task, group in profile.tasks.items()}
    assert shares["qa"].items == 2 / 8
    assert shares["qa"].input_tokens == 36 / 68
    assert shares["count"].input_tokens == 10 / 68
    assert shares["qa"].output_tokens is None and shares["qa"].total_tokens is None
    assert sum(one.input_tokens for one in shares.values()) == pytest.approx(1)


def test_an_exact_copy_is_told_with_the_row_of_the_first(profile: Profile) -> None:
    assert [item.duplicate_of for item in profile.items] == [None, None, None, 3, None, None, None, None]
    assert profile.tasks["qa"].duplicates == 1 and profile.overall.duplicates == 1
    assert profile.overall.near_duplicates == 0


def test_ids_are_random_and_low(profile: Profile) -> None:
    item = profile.items[-1]
    # Two ids of 36 characters, and eight of words without the spaces between ("Whichone?" is 9).
    assert item.random == round(72 / 81, 4)
    assert next(iter(item.random_kinds)) == "uuid"
    assert sum(item.random_kinds.values()) == pytest.approx(item.random, abs=1e-3)
    assert item.low_continuity
    assert [one.low_continuity for one in profile.items[:-1]] == [False] * 7
    low = profile.overall.low_continuity
    # Of its tokens the two ids alone are without continuity.
    assert item.low_share == 2 / 4
    assert (low.items, low.item_share, low.token_share) == (1, 1 / 8, round(2 / 68, 4))


def test_cells_add_up(profile: Profile) -> None:
    assert sum(cell.items for cell in profile.cells) == 8
    assert sum(cell.prompt_tokens for cell in profile.cells) == 68
    mcq = [cell for cell in profile.cells if cell.task == "mcq"]
    assert [(cell.prompt_upto, cell.items, cell.prompt_tokens) for cell in mcq] == [(16, 2, 18)]
    assert all(cell.output_upto is None and cell.output_tokens is None for cell in profile.cells)


def test_languages_need_evidence(profile: Profile) -> None:
    assert profile.tasks["qa"].languages == {"en": 2}


def test_what_to_know(profile: Profile) -> None:
    told = " / ".join(profile.warnings)
    assert "1 of 8 prompts have no token (the first is row 7)" in told
    assert "2 of 8 items have no gold" in told
    assert "few items" in told


def test_the_template_is_measured(profile: Profile) -> None:
    # <|turn|> user ... <|end|> <|turn|> assistant
    assert profile.tokenizer.template_tokens == 5
