from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.resolve import resolve_reading


def resolve(tmp_path: Path, content: str, name: str = "a.jsonl", **keys: Any) -> tuple[Reading, tuple[str, ...]]:
    path = tmp_path / name
    path.write_text(content)
    return resolve_reading(LocalFile(path, name), Reading.model_validate(keys))


def test_usual_names_and_columns_of_the_recipe_are_kept(tmp_path: Path) -> None:
    for content in ('{"text": "a"}\n', '{"id": 1}\n{"messages": []}\n', "", "not JSON\n"):
        assert resolve(tmp_path, content) == (Reading(), ())
    asked = Columns(text="body")
    assert resolve(tmp_path, '{"id": 1}\n{"body": null}\n', columns={"text": "body"}) == (
        Reading(columns=asked),
        (),
    )


def test_the_only_column_of_text_is_taken_with_a_note(tmp_path: Path) -> None:
    content = "n,ref,when,body\n1,,2024-01-01,\n2,,2024-01-02,A note.\n"
    reading, notes = resolve(tmp_path, content, "a.csv")
    assert reading.columns == Columns(text="body")
    assert notes == ("a.csv: text is column 'body'",)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            '{"a": "x", "b": "y"}\n',
            r"2 columns hold text \(a, b\); columns found: a, b\. .*columns: \{text: NAME\}$",
        ),
        ('{"a": "1", "b": 2}\n{"c": null}\n', r"no column holds text; columns found: a, b, c\."),
        ('{"question": "x", "reply": "y"}\n', r'response: reply\} or join: "\{question\}\\n\\n\{reply\}"$'),
    ],
)
def test_no_first_column_is_taken(tmp_path: Path, content: str, told: str) -> None:
    with pytest.raises(
        InputError, match=r"^a\.jsonl: no column 'text' or messages, and .*" + told.split("; col")[0]
    ):
        resolve(tmp_path, content)
    with pytest.raises(InputError, match=told):
        resolve(tmp_path, content)


@pytest.mark.parametrize(
    ("keys", "column", "fix"),
    [
        ({"columns": {"text": "text"}}, "text", ""),
        ({"columns": {"messages": "chat"}}, "chat", ""),
        ({"columns": {"prompt": "instruction", "response": "answer"}}, "answer", ""),
        ({"columns": {"text": "output.0"}}, "output.0", "Did you mean 'output'?"),
        ({"columns": {"prompt": "instuction", "response": "output"}}, "instuction", "Did you mean 'instruction'?"),
        ({"join": "{instruction} {body}"}, "body", ""),
        ({"columns": {"task": "nope"}}, "nope", "Say which to use, such as columns: {task: NAME}"),
        ({"columns": {"task": "outputs"}}, "outputs", "Did you mean 'output'?"),
    ],
)
def test_a_column_that_is_not_there_is_told_with_those_found(
    tmp_path: Path, keys: dict[str, Any], column: str, fix: str
) -> None:
    content = '{"instruction": "a", "output": "b"}\n'
    usual = 'columns: {prompt: instruction, response: output} or join: "{instruction}\\n\\n{output}"'
    fix = fix or f"Say which to use, such as {usual}"
    with pytest.raises(InputError) as caught:
        resolve(tmp_path, content, **keys)
    assert str(caught.value) == f"a.jsonl: no column {column!r}; columns found: instruction, output. {fix}"


def test_a_plain_text_has_one_column(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^a\.md: no column 'body'; columns found: text\. It is plain text"):
        resolve(tmp_path, "A note.", "a.md", columns={"text": "body"})


def test_a_column_with_another_meaning_is_not_the_text(tmp_path: Path) -> None:
    content = '{"license": "MIT", "kind": "note", "tongue": "en", "body": "A note."}\n'
    asked = {"task": "kind", "language": "tongue"}
    reading, notes = resolve(tmp_path, content, columns=asked)
    assert reading.columns == Columns(text="body", task="kind", language="tongue")
    assert notes == ("a.jsonl: text is column 'body'",)
    with pytest.raises(InputError, match=r"no column 'terms'"):
        resolve(tmp_path, content, columns={**asked, "licence": "terms"})


def test_a_side_column_that_is_not_there_is_noted(tmp_path: Path) -> None:
    _, notes = resolve(tmp_path, '{"text": "a", "id": 1}\n', columns={"text": "text", "language": "lang"})
    assert notes == ("a.jsonl: no column 'lang' in its first rows; columns found: text, id",)


def test_a_misspelt_column_of_licences_does_not_hand_the_rows_to_the_licence_of_the_source(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no column 'licens'.*text, license"):
        resolve(tmp_path, '{"text": "a", "license": "MIT"}\n', columns={"text": "text", "licence": "licens"})


def test_only_the_first_rows_count(tmp_path: Path) -> None:
    content = '{"a": "x", "b": 1}\n' * 100 + '{"a": "x", "b": "y"}\n'
    assert resolve(tmp_path, content)[0].columns == Columns(text="a")
