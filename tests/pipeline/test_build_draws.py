"""From a recipe to sets: quotas, draws, shortfalls, one start a sequence, and the same ids every time."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from recipe_builds import build, pieces, rows, text
from toy_tokenizers import BOS, EOS, STRICT, save_tokenizer

from curator._errors import InputError, RecipeError
from curator.corpora import files
from curator.corpora.files import open_files
from curator.measure.heldout import Prompt
from curator.pipeline import open_source
from curator.pipeline.build import build_draws
from curator.pipeline.sources import open_sources
from curator.recipe.load import load_recipe
from curator.select import rounds, supply
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """Bytes; ``<s>`` is put in front of a text, and a template writes it too."""
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


SHORT = [
    "The ferry clerk writes the times on a slate before the first boat leaves, and wipes them off at night.",
    "Lift the pots out of the kiln one by one and look at every rim before you put them on the shelf.",
    "We trade seeds in March, and in October we tell each other honestly what has failed and why.",
    "Close the valve under the sink, turn the housing to the left, and catch the water in a bowl.",
    "The bridge fell twice, once to a flood and once to a driver who had misread the sign.",
    "A good map of the marsh shows the dry paths, both gates, and the hut that has a stove.",
    "She wrote the ledger in pencil since prices moved, and by spring its pages were grey.",
    "Wait ten minutes before you add flour, for the bran goes on drinking when you stop.",
    "The choir sings in the old cinema, where the seats fold up with a loud bang.",
    "The lamp on the pier burns oil in winter and nothing at all in summer.",
]


def test_ten_short_rows_give_one_set_and_a_word_about_the_rest(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", SHORT)
    source = {"files": "rows.jsonl", "task": "prose"}
    (made,) = build(tmp_path, tokenizer, size=(8, 512), tasks={"prose": 1}, sources=[source])
    # One EOS a row, one BOS a sequence.
    content = sum(len(row.encode()) + 1 for row in SHORT)
    assert 511 < content < 2 * 511
    assert [len(row) for row in made.rows] == [512, content - 511 + 1]
    assert made.tokens == content + 2
    assert [row[0] for row in made.rows] == [BOS, BOS]
    flat = [token for row in made.rows for token in row[1:]]
    assert flat.count(EOS) == 10
    texts = tokenizer.decode(flat).split("</s>")[:-1]
    assert sorted(texts) == sorted(SHORT)
    assert made.warnings == [
        f"task prose: asked {8 * 511} tokens, got {content}: all text is used up (rows.jsonl {content})",
        f"asked 8 sequences (4096 tokens), got 2 ({content + 2} tokens)",
    ]


def test_short_supply_is_told_by_task_and_never_filled_by_repeats(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "chat.jsonl", [text(f"chat{number}") for number in range(30)])
    rows(tmp_path / "code.jsonl", [text(f"code{number}") for number in range(4)])
    rows(tmp_path / "math.jsonl", ["", "1+1"])
    sources = [{"files": f"{task}.jsonl", "task": task} for task in ("chat", "code", "math")]
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(20, 100),
        tasks={"chat": 0.5, "code": 0.3, "math": 0.2},
        sources=sources,
        tokens={"bos": "never"},
    )
    assert [(source.asked, source.got, source.pieces) for source in made.sources] == [
        (1000, 1000, 10),
        (600, 400, 4),
        (400, 0, 0),
    ]
    assert made.warnings == [
        "task code: asked 600 tokens, got 400: all text is used up (code.jsonl 400)",
        "task math: asked 400 tokens, got 0: all text is used up (math.jsonl 0); refused: empty 1, short 1",
        "asked 20 sequences (2000 tokens), got 14 (1400 tokens)",
        "task chat: asked 50.0% of the tokens, got 71.4%",
        "task math: asked 20.0% of the tokens, got 0.0%",
    ]
    assert len(pieces(made)) == 14
    assert made.shares() == pytest.approx({"chat": 10 / 14, "code": 4 / 14, "math": 0})
    assert made.dropped == {"empty": 1, "short": 1}


def test_shares_are_exact_whatever_the_lengths_and_weights_split_a_task(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    for name, length in (("a", 333), ("b", 77), ("c", 150)):
        rows(tmp_path / f"{name}.jsonl", [text(f"{name}{number}", length) for number in range(60)])
    sources = [
        {"files": "a.jsonl", "task": "prose", "weight": 3},
        {"files": "b.jsonl", "task": "prose"},
        {"files": "c.jsonl", "task": "code"},
    ]
    (made,) = build(tmp_path, tokenizer, size=(16, 129), tasks={"prose": 2, "code": 1}, sources=sources)
    # 16 x 128 tokens without BOS: 1365.33 and 682.67; the larger remainder is code's.
    assert [source.asked for source in made.sources] == [1024, 341, 683]
    assert [source.got for source in made.sources] == [1024, 341, 683]
    assert made.shares() == {"prose": 1365 / 2048, "code": 683 / 2048}
    assert {len(row) for row in made.rows} == {129}
    assert made.warnings == ["target.tasks sum to 3, not 1: normalised to prose 0.667, code 0.333"]


def test_what_one_source_lacks_the_others_of_its_task_give(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "few.jsonl", [text("few")])
    rows(tmp_path / "many.jsonl", [text(f"many{number}") for number in range(20)])
    for order in (["few", "many"], ["many", "few"]):
        sources = [{"files": f"{name}.jsonl", "task": "prose"} for name in order]
        (made,) = build(tmp_path, tokenizer, size=(8, 101), tasks={"prose": 1}, sources=sources)
        assert {source.name: source.got for source in made.sources} == {"few.jsonl": 100, "many.jsonl": 700}
        assert made.warnings == []


def test_draws_are_disjoint_while_supply_lasts_and_overlap_is_told(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", [text(f"r{number}") for number in range(10)])
    made = build(
        tmp_path,
        tokenizer,
        size=(4, 101),
        tasks={"prose": 1},
        sources=[{"files": "rows.jsonl", "task": "prose"}],
        draws=4,
    )
    used = [pieces(one) for one in made]
    assert [len(one) for one in used] == [4, 4, 4, 4]
    assert not used[0] & used[1]
    assert used[0] | used[1] | used[2] == {f"rows.jsonl#{number}:0" for number in range(1, 11)}
    # Draw 2 takes the last two and two that are used; in draw 3 everything is.
    assert [one.overlap for one in made] == [0, 0, 0.5, 1]


def test_draw_0_is_the_same_however_many_are_built(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", [text(f"r{number}", 150) for number in range(40)])
    common: dict[str, Any] = {
        "size": (6, 101),
        "tasks": {"prose": 1, "uuid": 1},
        "sources": [{"files": "rows.jsonl", "task": "prose"}, {"generate": "uuid"}],
    }
    one = build(tmp_path, tokenizer, draws=1, **common)
    three = build(tmp_path, tokenizer, draws=3, **common)
    assert one[0].rows == three[0].rows
    assert len({json.dumps(made.rows) for made in three}) == 3
    assert [made.overlap for made in three] == [0, 0, 0]
    other = build(tmp_path, tokenizer, seed=1, **common)
    assert other[0].rows != one[0].rows


def test_the_ids_do_not_depend_on_pythons_hash_seed(tmp_path: Path) -> None:
    save_tokenizer(tmp_path / "toy")
    rows(tmp_path / "rows.jsonl", [*SHORT, *(text(f"r{number}", 180) for number in range(30))])
    recipe = {
        "name": "t",
        "size": {"samples": 6, "tokens": 1200},
        "target": {"tasks": {"prose": 0.1, "niah": 0.6, "words": 0.3}},
        "sources": [
            {"files": "rows.jsonl", "task": "prose"},
            {"generate": "niah"},
            {"generate": "random-words", "task": "words"},
        ],
        "gates": {"length": {"min_chars": 5}, "language": {"allow": ["en", "und"]}},
        "continuity": {"min": False},
    }
    (tmp_path / "recipe.yaml").write_text(json.dumps(recipe))
    code = (
        "import sys, json; from pathlib import Path; f = Path(sys.argv[1])\n"
        "from curator.pipeline.build import build_draws; from curator.recipe.load import load_recipe\n"
        "from curator.tokens.tokenizer import Tokenizer\n"
        "made = build_draws(load_recipe(f / 'recipe.yaml'), Tokenizer(f / 'toy'), 2, [])\n"
        "print(json.dumps([[one.rows, one.dropped] for one in made]))"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    ]
    assert found[0] == found[1]
    assert len(json.loads(found[0])[0][0]) == 6


def chat(number: int, *roles: str) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": text(f"{role}{number}", 40)} for role in roles]}


@pytest.mark.parametrize("bos", ["auto", "never"])
def test_every_sequence_has_one_start_also_when_the_template_writes_its_own(
    tmp_path: Path, tokenizer: Tokenizer, bos: str
) -> None:
    rows(tmp_path / "chat.jsonl", [chat(number, "user", "assistant") for number in range(20)])
    rows(tmp_path / "rows.jsonl", [text(f"r{number}") for number in range(20)])
    sources = [{"files": "chat.jsonl", "task": "chat"}, {"files": "rows.jsonl", "task": "prose"}]
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(12, 64),
        tasks={"chat": 1, "prose": 1},
        sources=sources,
        tokens={"bos": bos},
    )
    assert len(made.rows) == 12
    expected = 1 if bos == "auto" else 0
    for row in made.rows:
        assert row.count(BOS) == expected
        assert row[:expected] == [BOS] * expected
        assert len(row) == 64
    assert "[user]" in tokenizer.decode([token for row in made.rows for token in row])


def test_a_start_that_only_the_template_writes_stands_before_every_sequence_and_nowhere_else(
    tmp_path: Path,
) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path / "toy", marks_start=False))
    rows(tmp_path / "chat.jsonl", [chat(number, "user", "assistant") for number in range(20)])
    rows(tmp_path / "rows.jsonl", [text(f"r{number}") for number in range(20)])
    sources = [{"files": "chat.jsonl", "task": "chat"}, {"files": "rows.jsonl", "task": "prose"}]
    (made,) = build(tmp_path, tokenizer, size=(6, 64), tasks={"chat": 0.5, "prose": 0.5}, sources=sources)
    assert all(row[0] == BOS and row.count(BOS) == 1 for row in made.rows)
    (warning,) = made.warnings
    assert warning.startswith("the chat template writes <s> and the tokenizer does not")


def test_conversations_that_the_template_refuses_are_counted_with_its_words(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path / "toy", template=STRICT))
    rows(tmp_path / "chat.jsonl", [chat(1, "user"), chat(2, "system", "user"), chat(3, "user", "assistant")])
    source = {"files": "chat.jsonl", "task": "chat"}
    (made,) = build(tmp_path, tokenizer, size=(9, 64), tasks={"chat": 1}, sources=[source])
    assert pieces(made) == {"chat.jsonl#1:0", "chat.jsonl#3:0"}
    assert made.dropped == {"template": 1}
    (example,) = made.examples["template"]
    assert example["id"] == "chat.jsonl#2:0"
    assert "System role not supported" in example["detail"]


def test_conversations_without_any_template_stop_the_build(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path / "toy", template=None))
    rows(tmp_path / "chat.jsonl", [chat(1, "user")])
    with pytest.raises(InputError, match="no chat template"):
        build(
            tmp_path,
            tokenizer,
            size=(1, 64),
            tasks={"chat": 1},
            sources=[{"files": "chat.jsonl", "task": "chat"}],
        )


def test_files_of_one_name_in_two_folders_are_two_sources(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "a" / "rows.jsonl", ["", text("one")])
    rows(tmp_path / "b" / "rows.jsonl", [text("two"), text("three")])
    sources = [{"files": f"{folder}/rows.jsonl", "task": "prose"} for folder in ("a", "b")]
    (made,) = build(tmp_path, tokenizer, size=(9, 101), tasks={"prose": 1}, sources=sources)
    assert pieces(made) == {"a/rows.jsonl#2:0", "b/rows.jsonl#1:0", "b/rows.jsonl#2:0"}


def test_two_fields_of_one_file_are_two_texts_and_one_field_named_twice_is_one(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    rows(tmp_path / "rows.jsonl", [{"text": text("one"), "answer": text("two")}])
    plain, field = (
        {"files": "rows.jsonl", "task": "a"},
        {"files": "rows.jsonl", "task": "a", "columns": {"text": "answer"}},
    )
    (made,) = build(tmp_path, tokenizer, size=(9, 101), tasks={"a": 1}, sources=[plain, field])
    assert pieces(made) == {"rows.jsonl#1:0", "rows.jsonl#1.answer:0"}
    other = {"files": "rows.jsonl", "task": "b"}
    (made,) = build(tmp_path, tokenizer, size=(2, 101), tasks={"a": 1, "b": 1}, sources=[plain, other])
    assert [source.got for source in made.sources] == [100, 0]
    assert made.dropped == {"duplicate": 1}


def test_the_same_text_under_two_names_is_taken_once(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", [text("one"), text("one") + " \n", text("two")])
    source = {"files": "rows.jsonl", "task": "a"}
    made = build(tmp_path, tokenizer, size=(9, 101), tasks={"a": 1}, sources=[source], draws=2)
    assert [one.sources[0].pieces for one in made] == [2, 2]
    assert [one.dropped for one in made] == [{"duplicate": 1}] * 2


def test_text_of_the_held_out_prompts_is_refused(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", SHORT)
    prompt = Prompt("p", "prose", "c", "u", "en", "MIT", "It is said that " + SHORT[3])
    source = {"files": "rows.jsonl", "task": "prose"}
    (made,) = build(tmp_path, tokenizer, size=(8, 512), tasks={"prose": 1}, sources=[source], prompts=[prompt])
    assert made.dropped == {"leakage": 1}
    assert made.examples["leakage"][0]["text"] == SHORT[3]
    assert len(pieces(made)) == 9


def test_drops_are_counted_and_ten_examples_kept(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", ["", " ", "\u200b", *(f"n{number}" for number in range(15)), *SHORT])
    source = {"files": "rows.jsonl", "task": "prose"}
    (made,) = build(tmp_path, tokenizer, size=(8, 512), tasks={"prose": 1}, sources=[source])
    assert Counter(made.dropped) == {"blank": 1, "empty": 1, "zero-width": 1, "short": 15}
    assert made.examples["blank"] == [{"id": "rows.jsonl:2", "text": "", "detail": "column 'text' is blank"}]
    assert len(made.examples["short"]) == 10
    assert made.sources[0].documents == 10


def test_sources_without_any_text_are_named(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", ["", " ", {"text": None}])
    source = {"files": "rows.jsonl", "task": "prose"}
    reasons = r"rows\.jsonl: 0 of 3 rows can be used \(blank 1, empty 1, null 1\); the first: rows\.jsonl:1: "
    with pytest.raises(RecipeError, match=reasons):
        build(tmp_path, tokenizer, size=(1, 64), tasks={"prose": 1}, sources=[source])


def test_all_sources_that_cannot_be_opened_are_named_with_their_lines(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "recipe.yaml").write_text(
        "name: t\nsize: {samples: 1, tokens: 64}\ntarget: {tasks: {prose: 1}}\nsources:\n"
        "  - {files: none.jsonl, task: prose}\n  - {corpus: python-topicz}\n"
        "  - {generate: niah, task: prose, options: {needle: words}}\n  - {files: empty.jsonl, task: prose}\n"
    )
    with pytest.raises(RecipeError) as caught:
        build_draws(load_recipe(tmp_path / "recipe.yaml"), tokenizer, 1, [])
    problems = [problem.removeprefix(f"{tmp_path / 'recipe.yaml'}:") for problem in caught.value.problems]
    for problem, part in zip(
        problems, ["5: none.jsonl", "6: corpus 'python-topicz'", "7: generate niah", "8: empty.jsonl"], strict=True
    ):
        assert problem.startswith(part)


def test_a_long_document_gives_at_most_one_sequence_from_a_piece(tmp_path: Path, tokenizer: Tokenizer) -> None:
    rows(tmp_path / "rows.jsonl", ["The boat is late again today. " * 100])
    source = {"files": "rows.jsonl", "task": "prose"}
    (made,) = build(
        tmp_path, tokenizer, size=(2, 65), tasks={"prose": 1}, sources=[source], gates={"duplicates": False}
    )
    segments = {part.segment.piece: part.segment for sequence in made.sequences for part in sequence.parts}
    assert all(len(segment.ids) <= 65 for segment in segments.values())
    assert all(segment.cut > 0 for segment in segments.values())
    assert made.tokens == 130


def test_a_large_file_gives_the_same_set_for_any_number_of_workers(
    tmp_path: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [text(f"größe{number}", 60 + number % 50) for number in range(600)]
    lines = [json.dumps({"text": value}, ensure_ascii=number % 2 == 0) for number, value in enumerate(values)]
    lines[7:7] = ["", '{"text": 7}', "{"]
    (tmp_path / "rows.jsonl").write_bytes("\r\n".join(lines).encode())
    monkeypatch.setattr(rounds, "SMALL", 1_000)
    monkeypatch.setattr(rounds, "ROUND", 4_000)
    monkeypatch.setattr(supply, "SMALL", 1)
    monkeypatch.setattr(files, "_PART", 2_000)
    monkeypatch.setattr(open_source, "open_files", functools.partial(open_files, split_above=1_000))
    (one,) = build(
        tmp_path,
        tokenizer,
        size=(8, 512),
        tasks={"a": 1},
        sources=[{"files": "rows.jsonl", "task": "a"}],
    )
    path = tmp_path / "recipe.yaml"
    (two,) = build_draws(load_recipe(path), tokenizer, 1, [], sources=open_sources(load_recipe(path), 2))
    assert two.rows == one.rows
    assert two.dropped == one.dropped
    assert two.examples == one.examples
    # 4,088 tokens are some 50 texts of 600.
    assert 0 < one.sources[0].read < one.sources[0].size / 2
    assert one.sources[0].size == (tmp_path / "rows.jsonl").stat().st_size
