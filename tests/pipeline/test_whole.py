"""Sets of whole texts: no answer is cut from its context, the shares hold, and little is left empty."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from recipe_builds import build, rows, text
from toy_tokenizers import save_tokenizer

from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """One token a byte; ``<s>`` is put in front of a text."""
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


def test_samples_and_conversations_stay_whole_and_plain_text_fills_up(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    rows(tmp_path / "prose.jsonl", [text(f"p{number}", 300 + number * 37 % 1500) for number in range(120)])
    turns = [
        {"messages": [{"role": role, "content": text(f"{role}{number}", 150)} for role in ("user", "assistant")]}
        for number in range(60)
    ]
    rows(tmp_path / "chat.jsonl", turns)
    tasks = {"passkey": 0.35, "uuid": 0.15, "chat": 0.2, "prose": 0.3}
    sources = [
        {"generate": "passkey"},
        {"generate": "uuid"},
        {"files": "chat.jsonl", "task": "chat"},
        {"files": "prose.jsonl", "task": "prose"},
    ]
    (made,) = build(tmp_path, tokenizer, size=(12, 2048), tasks=tasks, sources=sources, tokens={"pack": "bfd"})
    parts = [part for sequence in made.sequences for part in sequence.parts]
    # Each text is in one place, and only plain text is cut: behind it nothing follows in its sequence.
    assert max(Counter(part.segment.piece for part in parts).values()) == 1
    cut = [part for part in parts if part.segment.cut]
    assert {part.segment.task for part in cut} <= {"prose"}
    last = {sequence.parts[-1].segment.piece for sequence in made.sequences}
    assert {part.segment.piece for part in cut} <= last
    assert min(part.end - part.start for part in parts) >= 16
    assert len(made.rows) == 12 and max(map(len, made.rows)) <= 2048
    assert made.unused < 0.02 * 12 * 2048
    assert made.shares() == pytest.approx(tasks, abs=0.02)
    assert not made.is_short() and made.shortfall == []


def test_a_quota_that_no_number_of_samples_has_gets_the_nearest(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "prose.jsonl", [text(f"p{number}", 400) for number in range(60)])
    sources = [{"generate": "passkey"}, {"files": "prose.jsonl", "task": "prose"}]
    tasks = {"passkey": 0.2, "prose": 0.8}
    (made,) = build(tmp_path, tokenizer, size=(6, 1024), tasks=tasks, sources=sources, tokens={"pack": "bfd"})
    sizes = [
        part.end - part.start
        for sequence in made.sequences
        for part in sequence.parts
        if part.segment.task == "passkey"
    ]
    # 1,228 tokens are asked in sequences of 1,024: one sample or two, none cut, and prose has the rest.
    assert len(sizes) in (1, 2) and abs(sum(sizes) - 1228) < 614
    assert made.tokens > 0.98 * 6 * 1024


def test_a_source_without_a_row_leaves_its_weight_to_the_others(tmp_path: Path, tokenizer: Tokenizer) -> None:
    values = [{"text": text(f"a{number}"), "task": "a"} for number in range(40)]
    rows(tmp_path / "mixed.jsonl", [*values, *({"text": text(f"b{n}"), "task": "b"} for n in range(2))])
    # These rows are all of task a, so as a source of b there is nothing in them.
    rows(tmp_path / "none.jsonl", values[:20])
    rows(tmp_path / "b.jsonl", [text(f"c{number}") for number in range(40)])
    sources: list[dict[str, Any]] = [
        {"files": "none.jsonl", "columns": {"task": "task"}},
        {"files": "b.jsonl", "task": "b", "weight": 3},
    ]
    (made,) = build(tmp_path, tokenizer, size=(4, 401), tasks={"a": 0.5, "b": 0.5}, sources=sources)
    asked = {(one.name, one.task): one.asked for one in made.sources}
    assert asked["none.jsonl", "b"] == 0
    assert sum(tokens for (_, task), tokens in asked.items() if task == "b") == 800
