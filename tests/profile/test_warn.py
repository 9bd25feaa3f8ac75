"""What a reader of a profile is told."""

from __future__ import annotations

from curator.profile.schema import Counted, Outputs
from curator.profile.warn import warnings_of
from tests.profile.made_profiles import CONTEST, Some, made


def told(*some: Some, outputs: Outputs | None = None, has_task: bool = True, embedder: str = "e") -> str:
    profile = made(*some)
    found = warnings_of(profile.items, profile.tasks, outputs, has_task=has_task, embedder=embedder)
    return " / ".join(found)


def counted(told: int, ours: int) -> Outputs:
    counts = {"qa": Counted(items=10, told=told, ours=ours)}
    return Outputs(name="run.jsonl", sha256="", items=10, missing=0, input_tokens=counts, output_tokens={})


def test_lengths_that_short_sequences_do_not_see() -> None:
    text = told(*CONTEST)
    # niah, qa, fwe and cwe; mcq, fwe and cwe answer at length.
    assert "120 of 150 prompts are longer than 32,768 tokens" in text
    assert "90 of 150 answers are longer than 4,096 tokens" in text
    assert told(Some("qa", 30, 32_768, 4_096)) == ""


def test_few_items_and_no_task() -> None:
    text = told(Some("all", 3, 10), has_task=False)
    assert "no column names a task" in text and "few items, so that their figures say little: all 3" in text


def test_other_languages_want_another_embedder() -> None:
    some = (Some("qa", 10, 10, language="zh"), Some("qa", 10, 10), Some("qa", 10, 10, language="zh", low=True))
    assert "10 items in other languages than English" in told(*some, embedder="all-MiniLM-L6-v2")
    assert told(*some, embedder="multilingual") == ""
    # What is in no language that could be told reads no better by another embedder.
    unknown = (Some("qa", 10, 10, language="und"), Some("qa", 10, 10))
    assert told(*unknown, embedder="all-MiniLM-L6-v2") == ""
    one = (Some("qa", 1, 10, language="zh"), Some("qa", 10, 10))
    assert "1 item in other languages" in told(*one, embedder="all-MiniLM-L6-v2")


def test_counts_that_are_far_apart_are_of_another_tokenizer() -> None:
    assert told(Some("qa", 10, 1_000), outputs=counted(10_100, 10_000)) == ""
    text = told(Some("qa", 10, 1_000), outputs=counted(14_000, 10_000))
    assert "run.jsonl tells 14,000 input tokens where ours are 10,000" in text and "--model" in text
