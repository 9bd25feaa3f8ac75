"""Sets of a target with languages and lengths: every margin within two points where the sources allow it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from recipe_builds import build, pieces, rows
from toy_tokenizers import save_tokenizer

from curator.pipeline.calibration_set import CalibrationSet
from curator.pipeline.supply_check import check_supply
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer

COLUMNS = {"text": "text", "language": "language"}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """One token a byte; with the separator, a text has one token more."""
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


def texts(language: str, lengths: list[int], seed: int = 0) -> list[dict[str, Any]]:
    draw = random.Random(f"{language}{seed}")
    letters = "abcdefghij  "
    return [
        {"text": f"{language}{n} " + "".join(draw.choices(letters, k=length - 12)) + "end", "language": language}
        for n, length in enumerate(lengths)
    ]


def made(folder: Path, tokenizer: Tokenizer, target: dict[str, Any], **more: Any) -> CalibrationSet:
    tasks = target.pop("tasks")
    size = more.pop("size", (32, 256))
    return build(folder, tokenizer, size=size, tasks=tasks, target=target | {"tasks": tasks}, **more)[0]


def assert_margins(found: CalibrationSet, points: float = 2.0) -> None:
    for margin in found.margins:
        assert abs(margin.got - margin.asked) <= points / 100, margin


def test_tasks_languages_and_lengths_are_met_at_once(tmp_path: Path, tokenizer: Tokenizer) -> None:
    draw = random.Random(5)
    for task in ("qa", "prose"):
        mixed = [
            *texts("en", [draw.randrange(30, 250) for _ in range(300)], len(task)),
            *texts("zh", [draw.randrange(30, 250) for _ in range(90)], len(task)),
            *texts("fr", [100] * 50, len(task)),
        ]
        rows(tmp_path / f"{task}.jsonl", mixed)
    target = {
        "tasks": {"qa": 0.3, "prose": 0.7},
        "languages": {"en": 0.8, "zh": 0.2},
        "lengths": [{"upto": 80, "share": 0.25}, {"upto": 160, "share": 0.25}, {"share": 0.5}],
    }
    sources = [{"files": f"{task}.jsonl", "task": task, "columns": COLUMNS} for task in ("qa", "prose")]
    found = made(tmp_path, tokenizer, target, sources=sources)
    assert found.tokens == 32 * 256
    assert_margins(found)
    # Counted anew, from the sequences.
    parts = [part for sequence in found.sequences for part in sequence.parts]
    zh = sum(part.end - part.start for part in parts if part.segment.language == "zh")
    assert abs(zh / (32 * 255) - 0.2) <= 0.02
    short = sum(part.end - part.start for part in parts if len(part.segment.ids) <= 80)
    assert abs(short / (32 * 255) - 0.25) <= 0.02
    assert found.dropped["language_target"] > 0
    assert found.shortfall == []
    assert found.warnings == []


@settings(max_examples=8, phases=[Phase.generate])
@given(
    st.integers(0, 10**6),
    st.lists(st.floats(0.1, 1), min_size=1, max_size=3),
    st.lists(st.floats(0.1, 1), min_size=1, max_size=3),
    st.lists(st.floats(0.1, 1), min_size=1, max_size=3),
)
def test_margins_hold_for_any_shares_where_supply_allows(
    tmp_path_factory: pytest.TempPathFactory,
    tokenizer: Tokenizer,
    seed: int,
    tasks: list[float],
    languages: list[float],
    lengths: list[float],
) -> None:
    folder = tmp_path_factory.mktemp("any")
    draw = random.Random(seed)
    names = dict(zip(["en", "zh", "de"], languages, strict=False))
    sources = []
    for at in range(len(tasks)):
        # Enough of every language and length for the whole set.
        sizes = [
            draw.randrange(low + 1, 2 * low)
            for low in (30 * 2**bin_ for bin_ in range(len(lengths)))
            for _ in range(9_000 // low)
        ]
        every = [text for name in names for text in texts(name, sizes, at)]
        rows(folder / f"t{at}.jsonl", every)
        sources.append({"files": f"t{at}.jsonl", "task": f"t{at}", "columns": COLUMNS})
    target = {
        "tasks": {f"t{at}": share for at, share in enumerate(tasks)},
        "languages": names,
        "lengths": [{"upto": 60 * 2**at, "share": share} for at, share in enumerate(lengths)],
    }
    found = made(folder, tokenizer, target, sources=sources, seed=seed)
    assert_margins(found)
    assert found.tokens == 32 * 256


def test_long_texts_are_cut_to_the_lengths_that_are_asked(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "long.jsonl", texts("en", [4_000] * 20))
    target = {
        "tasks": {"a": 1},
        "lengths": [{"upto": 64, "share": 0.5}, {"upto": 128, "share": 0}, {"share": 0.5}],
    }
    found = made(tmp_path, tokenizer, target, sources=[{"files": "long.jsonl", "task": "a"}])
    assert_margins(found)
    sizes = {len(part.segment.ids) for sequence in found.sequences for part in sequence.parts}
    assert not [size for size in sizes if 64 < size <= 128]


def test_conversations_are_not_cut_to_fill_a_length(tmp_path: Path, tokenizer: Tokenizer) -> None:
    turns = [
        {"messages": [{"role": "user", "content": text["text"]}, {"role": "assistant", "content": f"yes {n}"}]}
        for n, text in enumerate(texts("en", [40 + 13 * (n % 14) for n in range(200)]))
    ]
    rows(tmp_path / "chat.jsonl", turns)
    rows(tmp_path / "prose.jsonl", texts("en", [40 + 17 * (n % 11) for n in range(200)]))
    target = {"tasks": {"chat": 0.5, "prose": 0.5}, "lengths": [{"upto": 120, "share": 0.4}, {"share": 0.6}]}
    sources = [{"files": f"{task}.jsonl", "task": task} for task in ("chat", "prose")]
    found = made(tmp_path, tokenizer, target, sources=sources, tokens={"template": "model"})
    assert_margins(found)
    assert found.tokens == 32 * 256
    segments = {part.segment.piece: part.segment for sequence in found.sequences for part in sequence.parts}
    assert all(segment.cut == 0 for segment in segments.values() if segment.task == "chat")


def test_what_one_task_lacks_of_a_language_others_give_and_what_none_has_is_told(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    rows(tmp_path / "qa.jsonl", [*texts("en", [100] * 80), *texts("zh", [100] * 10)])
    rows(tmp_path / "prose.jsonl", [*texts("en", [100] * 80, 1), *texts("zh", [100] * 80, 1)])
    target = {"tasks": {"qa": 0.5, "prose": 0.5}, "languages": {"en": 0.6, "zh": 0.4}}
    sources = [{"files": f"{task}.jsonl", "task": task, "columns": COLUMNS} for task in ("qa", "prose")]
    found = made(tmp_path, tokenizer, target, sources=sources)
    assert_margins(found)
    assert found.shortfall == []
    rows(tmp_path / "prose.jsonl", [*texts("en", [100] * 80, 1), *texts("zh", [100] * 5, 1)])
    found = made(tmp_path, tokenizer, target | {"tasks": {"qa": 0.5, "prose": 0.5}}, sources=sources)
    room = 32 * 255
    # 96 tokens each.
    assert [(one.cell, one.available, one.taken) for one in found.shortfall] == [
        ("qa, zh", 960, 960),
        ("prose, zh", 480, 480),
    ]
    assert all(one.why.startswith("all text is used up") for one in found.shortfall)
    # Nothing is given away: English has what was asked of it, and the set is smaller.
    english = next(margin for margin in found.margins if margin.name == "en")
    assert english.got * found.placed().total() == pytest.approx(0.6 * room, abs=2)
    assert found.is_short()


def test_a_language_without_any_source_is_told_by_the_check_and_by_the_set(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    rows(tmp_path / "qa.jsonl", [{"text": text["text"]} for text in texts("en", [100] * 90)])
    target = {"tasks": {"qa": 1}, "languages": {"en": 0.7, "de": 0.3}, "lengths": [{"upto": 200, "share": 1}]}
    sources = [{"files": "qa.jsonl", "task": "qa", "language": "en"}]
    found = made(tmp_path, tokenizer, target, sources=sources)
    (gap,) = found.shortfall
    assert (gap.cell, gap.taken, gap.why) == (
        "qa, de, 1 to 200 tokens",
        0,
        "no source of the task has texts in de",
    )
    # No card and no generator that ships is for questions in German.
    assert gap.suggestion == ""
    gaps = check_supply(load_recipe(tmp_path / "recipe.yaml"), 1).gaps
    # The language that no source has is the cause, and comes first.
    where, _, what = gaps[0].partition(": target: ")
    assert what == (
        "de has 30.0% of the tokens, and sources give 0.0% at most; add a source of qa in de, or lower its share"
    )
    path, _, line = where.rpartition(":")
    assert '"de"' in Path(path).read_text().splitlines()[int(line) - 1]


def test_what_ships_for_the_task_and_language_is_named(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "a.jsonl", [{"text": text["text"]} for text in texts("en", [100] * 30)])
    target = {"tasks": {"prose": 0.5, "qa": 0.5}, "languages": {"en": 0.5, "zh": 0.5}}
    sources = [{"files": "a.jsonl", "task": task, "language": "en"} for task in ("prose", "qa")]
    found = made(tmp_path, tokenizer, target, sources=sources, size=(4, 256), gates={"duplicates": False})
    suggested = {one.cell: one.suggestion for one in found.shortfall}
    assert "corpus: dataset-build-chinese" in suggested["prose, zh"]
    assert "generate: qa" in suggested["qa, zh"]


def test_generated_samples_have_the_language_and_length_of_their_cells(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    target = {
        "tasks": {"niah": 1},
        "languages": {"en": 0.6, "zh": 0.4},
        "lengths": [{"upto": 1200, "share": 0.5}, {"share": 0.5}],
    }
    found = made(tmp_path, tokenizer, target, sources=[{"generate": "niah"}], size=(16, 2400))
    assert_margins(found)
    segments = {part.segment.piece: part.segment for sequence in found.sequences for part in sequence.parts}
    assert {segment.language for segment in segments.values()} == {"en", "zh"}
    # The answer is the end of every sample: none is cut by a quota.
    assert all(segment.cut == 0 for segment in segments.values())


def test_draws_do_not_share_texts_and_the_first_is_the_same_however_many_there_are(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    draw = random.Random(1)
    rows(
        tmp_path / "a.jsonl",
        [t for n in ("en", "zh") for t in texts(n, [draw.randrange(30, 250) for _ in range(400)])],
    )
    target = {
        "tasks": {"a": 1},
        "languages": {"en": 0.7, "zh": 0.3},
        "lengths": [{"upto": 100, "share": 0.5}, {"share": 0.5}],
    }
    source = {"files": "a.jsonl", "task": "a", "columns": COLUMNS}
    common: dict[str, Any] = {"size": (8, 256), "tasks": {"a": 1}, "target": target, "sources": [source]}
    one = build(tmp_path, tokenizer, **common)
    three = build(tmp_path, tokenizer, draws=3, **common)
    assert one[0].rows == three[0].rows
    assert [found.overlap for found in three] == [0, 0, 0]
    assert not pieces(three[0]) & pieces(three[1]) | pieces(three[1]) & pieces(three[2])
    for found in three:
        assert_margins(found)


@pytest.mark.parametrize(("pack", "size"), [("bfd", (24, 600)), ("none", (64, 210))])
def test_whole_documents_keep_the_margins_too(
    tmp_path: Path, tokenizer: Tokenizer, pack: str, size: tuple[int, int]
) -> None:
    draw = random.Random(4)
    rows(
        tmp_path / "a.jsonl",
        [t for n in ("en", "zh") for t in texts(n, [draw.randrange(60, 200) for _ in range(400)])],
    )
    source = {"files": "a.jsonl", "task": "a", "columns": COLUMNS}
    target = {
        "tasks": {"a": 1},
        "languages": {"en": 0.7, "zh": 0.3},
        "lengths": [{"upto": 130, "share": 0.4}, {"share": 0.6}],
    }
    found = made(tmp_path, tokenizer, target, sources=[source], tokens={"pack": pack}, size=size)
    assert len(found.rows) == size[0]
    assert_margins(found)
