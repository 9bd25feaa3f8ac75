"""Recipes are read as YAML 1.2, and every fault is named at its line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from curator._errors import InputError, RecipeError
from curator.recipe.faults import schema_faults
from curator.recipe.load import find_recipe, load_recipe
from curator.recipe.schema import Recipe

BASE = """\
name: harbour
size: {samples: 4, tokens: 64}
target:
  tasks: {chat: 1}
sources:
  - {files: rows.jsonl, task: chat}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "r.yaml"
    path.write_bytes(text.encode("utf-8"))
    return path


def faults(folder: Path, text: str) -> list[str]:
    """What is said about a recipe, without the file's name: ``line: what``."""
    path = write(folder, text)
    with pytest.raises(RecipeError) as caught:
        load_recipe(path)
    prefix = f"{path}:"
    assert all(problem.startswith(prefix) and "\n" not in problem for problem in caught.value.problems)
    return [problem.removeprefix(prefix) for problem in caught.value.problems]


def test_a_good_recipe_gives_its_values_and_the_lines_of_its_sources(tmp_path: Path) -> None:
    loaded = load_recipe(write(tmp_path, BASE + "  # a comment\n  - {corpus: python-topics, task: chat}\n"))
    assert (loaded.recipe.name, loaded.recipe.size.samples, loaded.recipe.size.tokens) == ("harbour", 4, 64)
    assert [place.line for place in loaded.places] == [6, 8]
    assert loaded.notes == ()


def test_all_faults_come_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    text = """\
name: a/b
sede: 3
size: {samples: 0, tokens: 5%}
target:
  tasks: {chat: -0.2, code: .nan}
sources:
  - {files: rows.jsonl, task: caht}
  - {files: rows.jsonl, taks: chat}
export: [jsonl, csv]
"""
    found = faults(tmp_path, text)
    assert [int(fault.split(":")[0]) for fault in found] == [1, 2, 3, 3, 5, 5, 7, 8, 9]
    joined = "\n".join(found)
    for part in (
        "unknown key sede; did you mean seed?",
        "size.tokens must be a whole number, not '5%'",
        "target.tasks.chat: a share is a positive number",
        "target.tasks.code: a share is a positive number up to 1,000,000, not nan",
        "task 'caht' is not in target.tasks; did you mean chat?",
        "unknown key sources.1.taks; did you mean task?",
        "export.1 must be jsonl, parquet or datasets, not 'csv'",
    ):
        assert part in joined


def test_no_word_of_the_validator_reaches_the_user(tmp_path: Path) -> None:
    text = BASE + "gates: {length: true, random_text: {max_shar: 0.1}}\ncontinuity: {min: automatic}\n"
    assert faults(tmp_path, text) == [
        "7: gates.length must be a mapping of keys or false, not true",
        "7: unknown key gates.random_text.max_shar; did you mean max_share?",
        "8: continuity.min must be a number or auto or false, not 'automatic'",
    ]


@pytest.mark.parametrize(
    ("text", "key", "lines"),
    [
        (BASE + "size: {samples: 1, tokens: 64}\n", "size", "2 and 7"),
        (BASE.replace("{chat: 1}", "\n    chat: 1\n    code: 1\n    chat: 2"), "chat", "5 and 7"),
        (BASE + "seed: 1\nseed: 2\nseed: 3\n", "seed", "7, 8 and 9"),
        ('name: x\n"name": y\n', "name", "1 and 2"),
    ],
    ids=["top", "deep", "three times", "quoted"],
)
def test_a_repeated_key_is_named_with_all_its_lines(tmp_path: Path, text: str, key: str, lines: str) -> None:
    second = lines.split(" and ")[0].split(", ")[-1] if lines.count(",") else lines.split(" and ")[1]
    assert faults(tmp_path, text) == [f"{second}: key {key!r} is given twice (at lines {lines}), keep one"]


def test_two_repeated_keys_are_both_named(tmp_path: Path) -> None:
    assert len(faults(tmp_path, "name: a\nname: b\nseed: 1\nseed: 2\n")) == 2


def test_merge_keys_work_and_a_fault_in_one_has_a_line(tmp_path: Path) -> None:
    text = BASE.replace("- {files", "- &s {files") + "  - <<: *s\n    weight: 2\n"
    sources = load_recipe(write(tmp_path, text)).recipe.sources
    assert [(source.task, source.weight) for source in sources] == [("chat", 1.0), ("chat", 2.0)]
    assert faults(tmp_path, text + "    wieght: 3\n") == ["9: unknown key sources.1.wieght; did you mean weight?"]


@pytest.mark.parametrize("word", ["no", "yes", "on", "off", "y", "n", "NO", "True1", "Null_"])
def test_values_keep_their_yaml_1_2_meaning(tmp_path: Path, word: str) -> None:
    text = BASE.replace("{chat: 1}", f"{{chat: 0.5, {word}: 0.5}}") + f"  - {{files: b.jsonl, task: {word}}}\n"
    loaded = load_recipe(write(tmp_path, text + "gates: {language: {allow: [en, no, nb]}}\n"))
    assert list(loaded.recipe.target.tasks) == ["chat", word]
    assert loaded.recipe.gates.language
    assert loaded.recipe.gates.language.allow == ["en", "no", "nb"]


def test_an_old_version_directive_gives_no_filter_for_false(tmp_path: Path) -> None:
    text = "%YAML 1.1\n---\n" + BASE + "gates: {language: {allow: [en, no]}}\n"
    assert faults(tmp_path, text) == ["9: gates.language.allow.1 must be text, not false"]


def test_exponents_are_numbers(tmp_path: Path) -> None:
    text = BASE.replace("{chat: 1}", "{chat: 1e-3, code: 1e3}") + "  - {files: b.jsonl, task: code}\n"
    assert load_recipe(write(tmp_path, text)).recipe.target.tasks == {"chat": 0.001, "code": 1000.0}


@pytest.mark.parametrize(
    ("given", "shown"),
    [("1,000", "'1,000'"), ("5%", "'5%'"), ("1e3", "1000.0; write 1000"), ('"4"', "'4'"), ("true", "true")],
)
def test_a_count_must_be_a_whole_number(tmp_path: Path, given: str, shown: str) -> None:
    text = BASE.replace("{samples: 4, tokens: 64}", f"\n  samples: {given}\n  tokens: 64")
    assert faults(tmp_path, text) == [f"3: size.samples must be a whole number, not {shown}"]


@pytest.mark.parametrize("value", [".nan", ".inf", "-.inf", "0", "-1", "1e999"])
def test_weights_and_shares_are_finite_and_positive(tmp_path: Path, value: str) -> None:
    assert faults(tmp_path, BASE.replace("task: chat}", f"task: chat, weight: {value}}}"))[0].startswith("6:")
    assert faults(tmp_path, BASE.replace("{chat: 1}", f"{{chat: {value}}}"))[0].startswith("4:")


def test_no_number_of_a_recipe_may_be_nan(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE + "continuity: {min: .nan}\n") == [
        "7: continuity.min must be a finite number, not NaN"
    ]
    assert (
        "option needles is nan" in faults(tmp_path, BASE + "  - {generate: niah, options: {needles: .nan}}\n")[0]
    )


def test_shares_that_do_not_sum_to_one_are_normalised_and_told(tmp_path: Path) -> None:
    text = BASE.replace("{chat: 1}", "{chat: 0.5, code: 0.4}") + "  - {files: b.jsonl, task: code}\n"
    loaded = load_recipe(write(tmp_path, text))
    assert loaded.notes == ("target.tasks sum to 0.9, not 1: normalised to chat 0.556, code 0.444",)
    assert loaded.recipe.target.shares() == pytest.approx({"chat": 5 / 9, "code": 4 / 9})


def test_ten_tenths_are_one(tmp_path: Path) -> None:
    tasks = "{" + ", ".join(f"t{number}: 0.1" for number in range(10)) + "}"
    own = "\n  ".join(f"- {{files: rows.jsonl, task: t{number}}}" for number in range(10))
    loaded = load_recipe(
        write(tmp_path, BASE.replace("{chat: 1}", tasks).replace("- {files: rows.jsonl, task: chat}", own))
    )
    assert loaded.notes == ()


@pytest.mark.parametrize("text", ["", "# only a comment\n", "- a\n- b\n", "hello\n", "~\n", "[]\n"])
def test_what_is_no_mapping_is_said_so(tmp_path: Path, text: str) -> None:
    assert faults(tmp_path, text) == ["1: a recipe is a mapping of keys; see `curate ls` for examples"]


def test_a_tab_is_named_with_its_line(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE.replace("  tasks", "\ttasks")) == ["4: tab used for indentation, use spaces"]
    found = faults(
        tmp_path, BASE.replace("samples: 4", "samples: 4").replace("name: harbour", "name: harbour\t# x")
    )
    assert found == ["1: a tab where YAML wants a space, use spaces"]


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    plain = load_recipe(write(tmp_path, BASE))
    marked = load_recipe(write(tmp_path, "\ufeff" + BASE.replace("\n", "\r\n")))
    assert marked.recipe == plain.recipe
    assert marked.sha256 == plain.sha256


def test_bytes_that_are_no_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_bytes(BASE.encode() + b"title: caf\xe9\n")
    with pytest.raises(RecipeError, match=r"r\.yaml:7: not UTF-8"):
        load_recipe(path)


@pytest.mark.parametrize(
    ("value", "tag"),
    [
        ("!!python/object/apply:pathlib.Path.touch ['{marker}']", "!!python/object/apply:pathlib.Path.touch"),
        ("!!python/name:os.system", "!!python/name:os.system"),
        ("!mine x", "!mine"),
        ("!!binary aGk=", "!!binary"),
    ],
)
def test_tags_are_refused_and_run_nothing(tmp_path: Path, value: str, tag: str) -> None:
    marker = tmp_path / "marker"
    found = faults(tmp_path, BASE + "title: " + value.format(marker=marker) + "\n")
    assert found == [f"7: the tag {tag} is not allowed; write the plain value"]
    assert not marker.exists()


def test_a_date_is_no_title(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE + "title: 2026-01-02\n") == ["7: 2026-01-02 is a date in YAML; put it in quotes"]


def bomb(kind: str) -> str:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]" if kind == "list" else "a: &a {x: 1}"]
    for level in range(1, 9):
        old, new = chr(96 + level), chr(97 + level)
        inner = ", ".join([f"*{old}"] * 10)
        lines.append(f"{new}: &{new} " + (f"[{inner}]" if kind == "list" else f"{{<<: [{inner}]}}"))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "extra",
    [
        bomb("list"),
        bomb("merge"),
        "loop: &x [*x]\n",
        "loop: &x {a: *x}\n",
        "deep: " + "[" * 5000 + "]" * 5000 + "\n",
        "deep: " + "{a: " * 3000 + "1" + "}" * 3000 + "\n",
        "deep: " + "[" * 55 + "]" * 55 + "\n",
        "big: " + "9" * 5000 + "\n",
    ],
    ids=[
        "bomb",
        "merge bomb",
        "list in itself",
        "mapping in itself",
        "deep",
        "deep maps",
        "fairly deep",
        "big number",
    ],
)
def test_hostile_yaml_is_refused_quickly(tmp_path: Path, extra: str) -> None:
    begin = time.perf_counter()
    assert len(faults(tmp_path, BASE + extra)) == 1
    assert time.perf_counter() - begin < 5


def test_a_file_too_large_for_a_recipe_is_not_parsed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="more than the 262,144 that a recipe may have"):
        load_recipe(write(tmp_path, BASE + "#" * 300_000))


def test_a_second_document_is_refused(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE + "---\n" + BASE) == ["7: a second document starts here; keep one recipe a file"]


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE + 'title: "\\ud83d"\n') == [
        "7: a control character or half a character; remove it"
    ]


@pytest.mark.parametrize("key", ["1", "~", "true", '""'])
def test_a_task_is_a_word(tmp_path: Path, key: str) -> None:
    found = faults(tmp_path, BASE.replace("{chat: 1}", f"{{{key}: 1}}"))
    assert found[0].startswith("4: target.tasks")
    assert "a key must be a word" in found[0]


def test_a_source_says_what_it_is(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE.replace("{files: rows.jsonl, task: chat}", "{path: rows.jsonl}")) == [
        "6: sources.0: a source needs one of the keys corpus, files, dataset, generate"
    ]
    assert faults(tmp_path, BASE.replace("{files: rows", "{corpus: x, files: rows")) == [
        "6: sources.0.files: a source has corpus or files, not both; make two sources of it"
    ]
    assert faults(tmp_path, BASE.replace("{files: rows", "{fles: rows")) == [
        "6: sources.0: a source needs one of the keys corpus, files, dataset, generate; did you mean files?"
    ]


def test_keys_of_earlier_versions_are_told_their_new_names(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE.replace("{files: rows", "{text: body, jsonl: rows")) == [
        "6: sources.0: jsonl is now files; write files instead (and columns: {text: NAME} instead of text)"
    ]
    assert faults(tmp_path, BASE.replace("{files: rows", "{text: body, files: rows")) == [
        "6: unknown key sources.0.text; write columns: {text: NAME}"
    ]
    assert faults(tmp_path, BASE.replace("{files: rows", "{jsonl: rows, files: rows")) == [
        "6: unknown key sources.0.jsonl; jsonl is now files"
    ]


def test_the_hash_follows_what_can_change_the_set(tmp_path: Path) -> None:
    plain = load_recipe(write(tmp_path, BASE)).sha256
    same = [BASE + "title: other words\n", BASE + "export: [jsonl]\n", "# note\n" + BASE, BASE + "seed: 0\n"]
    assert {load_recipe(write(tmp_path, text)).sha256 for text in same} == {plain}
    other = [BASE + "seed: 1\n", BASE.replace("64", "65"), BASE + "continuity: {min: false}\n"]
    assert len({load_recipe(write(tmp_path, text)).sha256 for text in other} | {plain}) == 4


def test_a_recipe_is_found_by_path_or_name(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)
    assert find_recipe(str(path)) == path
    assert find_recipe("prose-only").name == "prose-only.yaml"
    with pytest.raises(InputError, match="did you mean prose-only"):
        find_recipe("prose-onyl")
    with pytest.raises(InputError, match="no such file"):
        find_recipe(str(tmp_path / "none.yaml"))
    for name in ("rows.jsonl", "rows.csv.gz", "Notes.TXT"):
        (tmp_path / name).write_text('{"text": "a"}\n')
        with pytest.raises(InputError, match=f"{name}: a file of texts by its name, no recipe; .*curate init"):
            find_recipe(str(tmp_path / name))
    (tmp_path / "r.json").write_text("{}")
    assert find_recipe(str(tmp_path / "r.json")).name == "r.json"


def test_a_folder_is_no_recipe(tmp_path: Path) -> None:
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    for attempt in (lambda: find_recipe(str(folder)), lambda: load_recipe(folder)):
        with pytest.raises(InputError, match="is a folder"):
            attempt()
    with pytest.raises(InputError, match="no such file"):
        load_recipe(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("", "seed: HUGE\n", 7),
        ("samples: 4", "samples: HUGE", 2),
        ("{chat: 1}", "{chat: HUGE}", 4),
        ("task: chat}", "task: chat, weight: HUGE}", 6),
        ("{files: rows.jsonl, task: chat}", "{generate: niah, options: {n: [HUGE]}}", 6),
        ("", "gates: {length: {min_chars: HUGE}}\n", 7),
    ],
)
@pytest.mark.parametrize("huge", ["0x" + "f" * 6000, "9" * 5000])
def test_a_number_too_long_to_print_is_named_at_its_line(
    tmp_path: Path, old: str, new: str, line: int, huge: str
) -> None:
    new = new.replace("HUGE", huge)
    text = BASE.replace(old, new) if old else BASE + new
    assert text != BASE
    (found,) = faults(tmp_path, text)
    assert found.startswith(f"{line}: a whole number of {len(huge):,} characters; no number")


def test_a_seed_fits_in_64_bits(tmp_path: Path) -> None:
    assert load_recipe(write(tmp_path, BASE + f"seed: {2**63 - 1}\n")).recipe.seed == 2**63 - 1
    (found,) = faults(tmp_path, BASE + f"seed: {2**63}\n")
    assert found.startswith("7: seed must be 9,223,372,036,854,775,807 or less")


def test_a_number_that_python_will_not_print_is_still_shown() -> None:
    with pytest.raises(ValidationError) as caught:
        Recipe.model_validate({"size": {"samples": 16**6000, "tokens": -(16**6000)}})
    values = {"size": {"samples": 16**6000, "tokens": -(16**6000)}}
    words = [what for _, what in schema_faults(values, caught.value)]
    assert any(what.endswith("not a far larger number") for what in words)
    assert any(what.endswith("not a far smaller number") for what in words)


def test_empty_and_overlong_texts_in_our_words(tmp_path: Path) -> None:
    assert faults(tmp_path, BASE + 'model: ""\n') == ["7: model is empty; give at least one character"]
    name = next(text for text in BASE.split("\n") if text.startswith("name:"))
    assert faults(tmp_path, BASE.replace(name, "name: " + "n" * 65)) == [
        f"{BASE.split(chr(10)).index(name) + 1}: name may have 64 characters at most, not 65"
    ]


def test_the_hash_is_that_of_the_template_too(tmp_path: Path) -> None:
    plain = load_recipe(write(tmp_path, BASE)).sha256
    path = write(tmp_path, BASE + "tokens: {template: chat.jinja}\n")
    hashes = []
    for content in ("{{ messages }}", "{{ messages }} ", "{{ messages }}"):
        (tmp_path / "chat.jinja").write_text(content)
        hashes.append(load_recipe(path).sha256)
    assert hashes[0] == hashes[2] and len({plain, *hashes}) == 3
    (tmp_path / "chat.jinja").unlink()
    with pytest.raises(InputError, match=r"chat\.jinja: no such file"):
        _ = load_recipe(path).sha256


def test_languages_and_lengths_that_do_not_sum_to_one_are_told_too(tmp_path: Path) -> None:
    own = "languages: {en: 3, zh: 1}, lengths: [{upto: 32, share: 0.3}, {share: 0.3}]"
    text = BASE.replace(
        "tasks: {chat: 1}", "tasks: {chat: 1}\n  by_task: {chat: {" + own + "}}\n  languages: {en: 0.5}"
    )
    assert load_recipe(write(tmp_path, text)).notes == (
        "target.languages sum to 0.5, not 1: normalised to en 1.000",
        "target.by_task.chat.languages sum to 4, not 1: normalised to en 0.750, zh 0.250",
        "target.by_task.chat.lengths sum to 0.6, not 1: normalised to up to 32 0.500, longer 0.500",
    )
