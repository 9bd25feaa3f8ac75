"""Lines are those of an editor, however the YAML is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recipe_files import BASE, problems, write

from curator.recipe.load import load_recipe
from curator.recipe.positions import NotYAML, parse_yaml


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_line_end_and_a_byte_order_mark(tmp_path: Path, newline: str, mark: str) -> None:
    text = "# ferry\n" + BASE.replace("tokens: 64", "tokens: 5%") + "export:\n  - jsonl\n  - csv\n"
    assert problems(write(tmp_path, mark + text.replace("\n", newline))) == [
        "r.yaml:3: size.tokens must be a whole number, not '5%'",
        "r.yaml:10: export.1 must be jsonl, parquet or datasets, not 'csv'",
    ]


def test_a_value_that_was_merged_has_the_line_that_it_was_written_at(tmp_path: Path) -> None:
    text = """\
name: harbour
size: &size
  samples: 4
  tokens: 64
target:
  tasks: {chat: 1}
sources:
  - &one
    files: rows.jsonl
    task: chat
    weight: -1
  - <<: *one
    files: other.jsonl
  - <<: [*one]
    weight: 2
    task: chad
"""
    assert problems(write(tmp_path, text)) == [
        "r.yaml:11: sources.0.weight must be more than 0, not -1",
        "r.yaml:11: sources.1.weight must be more than 0, not -1",
        "r.yaml:16: task 'chad' is not in target.tasks; did you mean chat?",
    ]


def test_an_alias_has_its_own_line_and_what_is_in_it_the_anchors(tmp_path: Path) -> None:
    text = BASE + "gates:\n  language: &g\n    allow:\n      - en\n      - xx\n  licence: *g\n"
    lines = [line.split(":")[1] for line in problems(write(tmp_path, text))]
    assert lines == ["10", "11", "11"]


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
def test_an_invisible_line_separator_is_refused(tmp_path: Path, separator: str) -> None:
    found = problems(write(tmp_path, BASE + f"# a comment{separator}name: other\n"))
    assert found == [
        f"r.yaml:7: an invisible line separator (U+{ord(separator):04X}); remove it or put a space there"
    ]


def test_flow_style_over_several_lines(tmp_path: Path) -> None:
    text = "{name: harbour,\nsize: {samples: 0,\n  tokens: 1}, target: {tasks:\n {chat: 1}},\n"
    assert problems(write(tmp_path, text + "sources: [\n{files: x,\ntask: caht,\nwight: 1}]}\n")) == [
        "r.yaml:2: size.samples must be 1 or more, not 0",
        "r.yaml:3: size.tokens must be 16 or more, not 1",
        "r.yaml:7: task 'caht' is not in target.tasks; did you mean chat?",
        "r.yaml:8: unknown key sources.0.wight; did you mean weight?",
    ]


KEYS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True)


@given(KEYS, st.lists(st.integers(0, 3), min_size=6, max_size=6), st.integers(0, 5))
def test_the_line_of_a_key_is_where_it_is(keys: list[str], gaps: list[int], pick: int) -> None:
    lines: list[str] = []
    at: dict[str, int] = {}
    for key, gap in zip(keys, gaps, strict=False):
        lines += ["# x"] * gap
        at[key] = len(lines) + 1
        lines += [f"{key}:", "  - 1", f"  - {{{key}: [0,", "     2]}"]
    parsed = parse_yaml("\n".join(lines) + "\n")
    key = keys[pick % len(keys)]
    assert parsed.line_of((key,)) == at[key]
    assert parsed.line_of((key, 1, key, 1)) == at[key] + 3
    assert parsed.line_of((key, 1, "other", 5)) == at[key] + 2


@given(st.data())
def test_a_repeated_key_is_found_at_any_depth(data: st.DataObject) -> None:
    depth = data.draw(st.integers(0, 6))
    keys = data.draw(KEYS)
    twice = data.draw(st.sampled_from(keys))
    body = [f"{'  ' * depth}{key}: {number}" for number, key in enumerate([*keys, twice])]
    above = [f"{'  ' * level}level{level}:" for level in range(depth)]
    with pytest.raises(NotYAML) as caught:
        parse_yaml("\n".join([*above, *body]))
    first, second = depth + keys.index(twice) + 1, depth + len(keys) + 1
    assert caught.value.problems == [
        (second, f"key '{twice}' is given twice (at lines {first} and {second}), keep one")
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb:\n\t- c\n", 3),
        ("a: 1\nb:\n  - c\n  \t- d\n", 4),
        ("\ta: 1\n", 1),
        ("a:\n  b:\n\t\tc: 1\n", 3),
        ("a: |\n\ttext\n", 2),
        ("a: 1\r\nb:\r\n\t- c\r\n", 3),
        ("- a\n-\tb\n", 2),
        ("a: 1\t# comment\n", 1),
        ("a:\t1\n", 1),
    ],
)
def test_a_tab_is_told_in_plain_words(tmp_path: Path, text: str, line: int) -> None:
    (found,) = problems(write(tmp_path, text))
    assert found.startswith(f"r.yaml:{line}: ")
    assert "tab" in found and "use spaces" in found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1E3", 1000.0),
        ("-1.5e+2", -150.0),
        (".5", 0.5),
        ("0o17", 15),
        ("0x1F", 31),
        ("+3", 3),
        ("12:30", "12:30"),
        ("1e", "1e"),
        ("5%", "5%"),
        ("1,000", "1,000"),
        ("no", "no"),
        ("On", "On"),
        ("Yes", "Yes"),
        ("TRUE", True),
        ("null", None),
        ('"1e3"', "1e3"),
    ],
)
def test_a_word_means_what_yaml_1_2_says(text: str, value: object) -> None:
    found = parse_yaml(f"a: {text}\n{text}: 1\n" if isinstance(value, str) else f"a: {text}\n").values
    assert found["a"] == value
    assert type(found["a"]) is type(value)
    assert not isinstance(value, str) or value in found


@pytest.mark.parametrize("text", ["1_000", "017", "-08", "0b11", "0x_1", "1_0.5", "._5"])
def test_numbers_that_programs_read_differently_are_refused(text: str) -> None:
    with pytest.raises(NotYAML) as caught:
        parse_yaml(f"a: 1\nb: {text}\n")
    assert caught.value.problems[0][0] == 2
    assert parse_yaml(f"a: '{text}'").values == {"a": text}


@pytest.mark.parametrize(
    "value",
    ["!!str 3", '!!int "3"', "!!bool yes", "!!null x", "! x", "!!seq [a]", "!!set {a}", "!x {a: 1}", "!!str"],
)
def test_a_tag_is_refused_wherever_it_stands(value: str) -> None:
    for text, line in ((f"a: 1\nb: {value}\n", 2), (f"a:\n  - 1\n  - {value}\n", 3), (f"a: [1,\n {value} ]", 2)):
        with pytest.raises(NotYAML) as caught:
            parse_yaml(text)
        assert caught.value.problems == [
            (line, f"the tag {value.split()[0]} is not allowed; write the plain value")
        ]
    assert parse_yaml("a: what!\nb: '!x'\n").values == {"a": "what!", "b": "!x"}


@pytest.mark.parametrize(
    ("word", "what"), [("=", "a mark of its own"), ("<<", "a mark of its own"), ("2026-01-02", "a date")]
)
def test_a_word_that_is_a_mark_of_yaml_must_be_in_quotes(word: str, what: str) -> None:
    for text in (f"a: {word}\n", f"- {word}\n"):
        with pytest.raises(NotYAML) as caught:
            parse_yaml(text)
        assert caught.value.problems == [(1, f"{word} is {what} in YAML; put it in quotes")]


def test_a_source_that_is_an_alias_stands_where_its_anchor_does(tmp_path: Path) -> None:
    text = BASE.replace("- {files", "- &s {files") + "  - *s\n  - <<: *s\n    weight: 3\n"
    assert [place.line for place in load_recipe(write(tmp_path, text)).places] == [6, 6, 8]
