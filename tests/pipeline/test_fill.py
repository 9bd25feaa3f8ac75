"""Filling sets by other ways of packing, of mixed lengths, and what is said when there is too little."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from recipe_builds import build, pieces, rows, text
from toy_tokenizers import BOS, EOS, STRICT, save_tokenizer

from curator._errors import InputError, RecipeError
from curator.pipeline.sources import open_sources
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """One token a byte; ``<s>`` is put in front of a text."""
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


def sources(folder: Path, **counts: int) -> list[dict[str, Any]]:
    """A file of each task with texts of 99 bytes: 100 tokens each, with the separator."""
    for task, count in counts.items():
        rows(folder / f"{task}.jsonl", [text(f"{task}{number}") for number in range(count)])
    return [{"files": f"{task}.jsonl", "task": task} for task in counts]


def test_one_document_a_sequence_keeps_the_shares_of_the_tokens(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "long.jsonl", [text(f"l{number}", 299) for number in range(40)])
    given = [*sources(tmp_path, short=80), {"files": "long.jsonl", "task": "long"}]
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(40, 512),
        tasks={"short": 0.5, "long": 0.5},
        sources=given,
        tokens={"pack": "none"},
    )
    assert len(made.rows) == 40
    assert all(row[0] == BOS and row.count(BOS) == 1 and row[-1] == EOS for row in made.rows)
    assert {len(row) for row in made.rows} == {101, 301}
    # Half of the tokens each: three short sequences for a long one.
    assert [len(row) for row in made.rows].count(301) == 10
    assert made.shares() == {"short": 0.5, "long": 0.5}
    assert made.warnings == []


def test_one_document_a_sequence_is_cut_and_counted(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "chat.jsonl", [{"messages": [{"role": "user", "content": text("x", 500)}]}])
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(1, 128),
        tasks={"chat": 1},
        sources=[{"files": "chat.jsonl", "task": "chat"}],
        tokens={"pack": "none"},
    )
    # "[user]", the text and </s> are 507 tokens, of which 127 follow the start.
    assert (len(made.rows[0]), made.cut_pieces, made.cut_tokens) == (128, 1, 380)


def test_an_exhausted_task_leaves_its_sequences_out_instead_of_giving_them_away(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(40, 101),
        tasks={"a": 0.5, "b": 0.5},
        sources=sources(tmp_path, a=60, b=5),
        tokens={"pack": "none"},
    )
    by_task = [part.segment.task for sequence in made.sequences for part in sequence.parts]
    assert (by_task.count("a"), by_task.count("b")) == (20, 5)
    assert made.is_short()
    assert any("asked 40 sequences" in warning and "got 25" in warning for warning in made.warnings)
    assert any(warning.startswith("task b: asked 2000 tokens, got 500") for warning in made.warnings)
    assert "task a: asked 50.0% of the tokens, got 80.0%" in made.warnings


def test_best_fit_keeps_documents_whole(tmp_path: Path, tokenizer: Tokenizer) -> None:
    values = [text(f"d{number}", 30 + number * 7 % 90) for number in range(200)]
    rows(tmp_path / "rows.jsonl", values)
    given = [{"files": "rows.jsonl", "task": "prose"}]
    (made,) = build(tmp_path, tokenizer, size=(8, 512), tasks={"prose": 1}, sources=given, tokens={"pack": "bfd"})
    assert len(made.rows) == 8
    assert all(len(row) <= 512 and row[0] == BOS for row in made.rows)
    parts = [part for sequence in made.sequences for part in sequence.parts]
    whole = [part for part in parts if part.end - part.start == len(part.segment.ids)]
    assert len({part.segment.piece for part in parts}) == len(parts)
    # The quota's end waits for a document that fits; only one that the gaps have half the room for may be cut.
    assert all(2 * (part.end - part.start) >= len(part.segment.ids) for part in parts)
    assert len(parts) - len(whole) <= 2
    assert made.unused == 8 * 512 - made.tokens <= 80
    assert not made.is_short()
    assert made.warnings == []


def test_one_document_a_sequence_of_mixed_lengths_gives_the_longest_the_longest_room(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    rows(tmp_path / "rows.jsonl", [text(f"d{number}", 40 + 40 * number) for number in range(12)])
    (made,) = build(
        tmp_path,
        tokenizer,
        size={"mix": [{"samples": 2, "tokens": 512}, {"samples": 6, "tokens": 128}]},
        tasks={"prose": 1},
        sources=[{"files": "rows.jsonl", "task": "prose"}],
        tokens={"pack": "none"},
    )
    sizes = [len(sequence.parts[0].segment.ids) for sequence in made.sequences]
    assert len(sizes) == 8
    assert sizes == sorted(sizes, reverse=True)
    assert [len(row) for row in made.rows] == [
        size + 1 if size < 127 else min(size + 1, limit)
        for size, limit in zip(sizes, [512, 512, *[128] * 6], strict=True)
    ]
    assert not any("used up" in warning for warning in made.warnings)


def test_mixed_lengths_are_all_there_longest_first(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", [text(f"d{number}", 199) for number in range(60)])
    (made,) = build(
        tmp_path,
        tokenizer,
        size={"mix": [{"samples": 3, "tokens": 64}, {"samples": 2, "tokens": 1024}]},
        tasks={"prose": 1},
        sources=[{"files": "rows.jsonl", "task": "prose"}],
    )
    assert [len(row) for row in made.rows] == [1024, 1024, 64, 64, 64]
    assert made.warnings == []


@pytest.mark.parametrize(("bos", "expected"), [("document", 1), ("never", 0)])
def test_a_start_before_every_document_or_none(
    tmp_path: Path, tokenizer: Tokenizer, bos: str, expected: int
) -> None:
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(4, 505),
        tasks={"a": 1},
        sources=sources(tmp_path, a=60),
        tokens={"bos": bos},
    )
    for sequence in made.sequences:
        whole = [part for part in sequence.parts if part.end - part.start == len(part.segment.ids)]
        assert len(whole) >= 3
        for part in whole:
            ids = sequence.ids[part.start : part.end]
            assert ids.count(BOS) == expected
            assert ids[:expected] == (BOS,) * expected
    # What ends the set is cut, all else has its separator.
    flat = [token for row in made.rows for token in row]
    assert flat.count(EOS) in (pieces_taken := len(pieces(made)), pieces_taken - 1)


def test_refused_conversations_stop_the_build_when_the_recipe_says_so(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path / "toy", template=STRICT))
    turns = [{"role": role, "content": text(role, 40)} for role in ("system", "user")]
    rows(tmp_path / "chat.jsonl", [{"messages": turns}])
    with pytest.raises(InputError, match=r"chat\.jsonl#1: .*System role not supported.*tokens\.refused: skip"):
        build(
            tmp_path,
            tokenizer,
            size=(1, 64),
            tasks={"chat": 1},
            sources=[{"files": "chat.jsonl", "task": "chat"}],
            tokens={"refused": "stop"},
        )


def test_a_template_of_the_recipe_is_used(tmp_path: Path) -> None:
    folder = save_tokenizer(tmp_path / "toy", template=None)
    (tmp_path / "mine.jinja").write_text("{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}")
    rows(tmp_path / "chat.jsonl", [{"messages": [{"role": "user", "content": text("q", 40)}]}])
    (made,) = build(
        tmp_path,
        Tokenizer(folder, tmp_path / "mine.jinja"),
        size=(1, 64),
        tasks={"chat": 1},
        sources=[{"files": "chat.jsonl", "task": "chat"}],
        tokens={"template": "mine.jinja"},
    )
    assert Tokenizer(folder).decode(made.rows[0]).startswith("<s><user>q ")


def test_licences_are_summed_and_those_not_wanted_refused(tmp_path: Path, tokenizer: Tokenizer) -> None:
    kinds = ["MIT", "CC-BY-4.0", "GPL-3.0-only", "MIT OR GPL-3.0-only"]
    values = [{"text": text(f"{kind}{n}"), "licence": kind} for kind in kinds for n in range(3)]
    rows(tmp_path / "rows.jsonl", values)
    source = {"files": "rows.jsonl", "task": "a", "columns": {"text": "text", "licence": "licence"}}
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(1, 2000),
        tasks={"a": 1},
        sources=[source],
        gates={"length": {"min_chars": 5}, "licence": {"forbid": ["GPL-3.0-only"]}},
    )
    assert made.dropped == {"licence": 3}
    assert made.licences() == {"CC-BY-4.0": 300, "MIT": 300, "MIT OR GPL-3.0-only": 300}


def test_the_language_that_was_looked_for_is_kept_with_the_document(tmp_path: Path, tokenizer: Tokenizer) -> None:
    german = "Der alte Leuchtturm steht seit hundert Jahren auf der Klippe und weist den Schiffen den Weg."
    english = "The old lighthouse has stood on the cliff for a hundred years and shows the ships their way."
    rows(tmp_path / "rows.jsonl", [german, english])
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(1, 512),
        tasks={"a": 1},
        sources=[{"files": "rows.jsonl", "task": "a"}],
        gates={"length": {"min_chars": 5}, "language": {"allow": ["de", "en"]}},
    )
    found = {part.segment.piece: part.segment.language for part in made.sequences[0].parts}
    assert found == {"rows.jsonl#1:0": "de", "rows.jsonl#2:0": "en"}
    assert pieces(made) == set(found)


def test_rows_that_say_their_task_themselves_are_shared_out_by_it(tmp_path: Path, tokenizer: Tokenizer) -> None:
    counts = {"chat": 30, "code": 4, "riddle": 3}
    values = [
        {"text": text(f"{task}{number}"), "task": task}
        for task, count in counts.items()
        for number in range(count)
    ]
    rows(tmp_path / "rows.jsonl", [*values, {"text": None, "task": "chat"}])
    source = {"files": "rows.jsonl", "columns": {"task": "task"}}
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(20, 100),
        tasks={"chat": 0.5, "code": 0.3, "math": 0.2},
        sources=[source],
        tokens={"bos": "never", "pack": "none"},
    )
    assert [(one.task, one.asked, one.got) for one in made.sources] == [
        ("chat", 1000, 1000),
        ("code", 600, 400),
        ("math", 400, 0),
    ]
    assert len(made.rows) == len(pieces(made)) == 14
    assert made.dropped == {"null": 1}
    assert "rows.jsonl: rows of tasks that are not in target.tasks are left out (riddle 3)" in made.warnings


def test_mended_rows_are_kept_and_counted(tmp_path: Path, tokenizer: Tokenizer) -> None:
    half = json.dumps(text("half "))[:-1] + '\\ud83d"'
    (tmp_path / "rows.jsonl").write_text(f'{{"text": {half}}}\n{{"text": {json.dumps(text("whole"))}}}\n')
    source = {"files": "rows.jsonl", "task": "a"}
    (made,) = build(tmp_path, tokenizer, size=(1, 512), tasks={"a": 1}, sources=[source])
    assert len(pieces(made)) == 2
    assert "\ufffd" in tokenizer.decode(made.rows[0])
    assert made.dropped == {}
    assert any("1 rows were mended and kept" in warning for warning in made.warnings)


def test_a_refused_conversation_is_told_by_its_own_id(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path / "toy", template=STRICT))
    good, bad = ([{"role": role, "content": text(role, 40)}] for role in ("user", "system"))
    rows(tmp_path / "chat.jsonl", [{"id": "ok", "messages": good}, {"id": "sys", "messages": bad}])
    source = {"files": "chat.jsonl", "task": "chat"}
    (made,) = build(tmp_path, tokenizer, size=(1, 64), tasks={"chat": 1}, sources=[source])
    (example,) = made.examples["template"]
    assert example["id"] == "chat.jsonl#2:0"
    assert example["detail"].startswith("row id sys: ")


def test_tokens_without_a_licence_are_told_where_licences_matter(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", [{"text": text("a"), "licence": "MIT"}, {"text": text("b")}])
    source = {"files": "rows.jsonl", "task": "a", "columns": {"text": "text", "licence": "licence"}}
    gates = {"length": {"min_chars": 5}, "licence": {"forbid": ["GPL-3.0-only"]}}
    (made,) = build(tmp_path, tokenizer, size=(1, 512), tasks={"a": 1}, sources=[source], gates=gates)
    assert made.warnings[0].startswith("100 tokens are of documents that tell no licence")
    assert made.sources[0].licence == "per-document"


def test_code_of_the_users_own_is_not_judged_by_language_or_continuity(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    lines = [f"def area_{n}(width, height):\n    return width * height + {n}\n" for n in range(12)]
    rows(tmp_path / "rows.jsonl", ["".join(lines)])
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(1, 1024),
        tasks={"code": 1},
        sources=[{"files": "rows.jsonl", "task": "code"}],
        gates={"length": {"min_chars": 5}, "language": {"allow": ["zh"]}},
        continuity={"min": "auto"},
    )
    assert made.dropped == {}
    assert {part.segment.language for part in made.sequences[0].parts} == {"zxx"}


def test_licences_are_summed_as_spdx_spells_them(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", [{"text": text(kind), "licence": kind} for kind in ("mit", "MIT", "our own")])
    source = {"files": "rows.jsonl", "task": "a", "columns": {"text": "text", "licence": "licence"}}
    (made,) = build(tmp_path, tokenizer, size=(1, 512), tasks={"a": 1}, sources=[source])
    assert made.licences() == {"MIT": 200, "our own": 100}


def test_best_fit_of_mixed_lengths_leaves_no_sequence_out(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", [text(f"d{number}", 90 + number % 60) for number in range(90)])
    (made,) = build(
        tmp_path,
        tokenizer,
        size={"mix": [{"samples": 3, "tokens": 256}, {"samples": 12, "tokens": 48}]},
        tasks={"prose": 1},
        sources=[{"files": "rows.jsonl", "task": "prose"}],
        tokens={"pack": "bfd"},
    )
    placed = made.placed().total()
    assert made.sources[0].got == placed == sum(made.licences().values())
    assert len(made.rows) == 15
    assert made.tokens == placed + 15
    assert made.unused <= 60


def test_two_files_of_one_name_in_two_places_are_refused(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / "base").mkdir()
    rows(tmp_path / "base" / "rows.jsonl", [text("one")])
    rows(tmp_path / "rows.jsonl", [text("two")])
    base = {
        "name": "base",
        "size": {"samples": 1, "tokens": 64},
        "target": {"tasks": {"a": 1}},
        "sources": [{"files": "rows.jsonl", "task": "a"}],
    }
    (tmp_path / "base" / "base.yaml").write_text(json.dumps(base))
    loaded = load_recipe(tmp_path / "base" / "base.yaml")
    here = dataclasses.replace(loaded.places[0], file=tmp_path / "r.yaml", folder=tmp_path)
    recipe = loaded.recipe.model_copy(update={"sources": loaded.recipe.sources * 2})
    both = dataclasses.replace(loaded, recipe=recipe, places=(*loaded.places, here))
    with pytest.raises(RecipeError, match=r"two sources have a file called rows\.jsonl with other content"):
        open_sources(both)
