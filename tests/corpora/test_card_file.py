from pathlib import Path

import pytest

from curator._errors import InputError, RecipeError
from curator.corpora.card_file import read_card

CARD = "id: here\ntitle: t\ntask: qa\nlanguage: en\nlicence: MIT\norigin: o\n"


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "here.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems(folder: Path, text: str | bytes) -> list[str]:
    path = write(folder, text)
    with pytest.raises(RecipeError) as caught:
        read_card(path)
    return [problem.removeprefix(f"{path}:") for problem in caught.value.problems]


def test_the_three_kinds(tmp_path: Path) -> None:
    assert read_card(write(tmp_path, CARD + "reader: python_qa\n")).reader == "python_qa"
    card = read_card(write(tmp_path, CARD + "files: [a.txt]\nreading: {unit: line}\nchars_per_token: 3\n"))
    assert (card.files, card.reading.unit, card.chars_per_token, card.folder) == (["a.txt"], "line", 3.0, tmp_path)
    card = read_card(write(tmp_path, CARD + "dataset: {id: us/letters, revision: '1e3', split: no}\n"))
    assert card.dataset is not None
    assert (card.dataset.revision, card.dataset.split, card.dataset.pool_rows) == ("1e3", "no", 50_000)


OPTIONS = "1: options are a reader's; write `reading` for a data set or files"
ELSEWHERE = CARD.replace("here", "there")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id: [\n", "2: not YAML (expected the node content, but found '<stream end>')"),
        ("- 1\n", "1: a card is a mapping of keys, such as `id: here`"),
        ("", "1: a card is a mapping of keys, such as `id: here`"),
        (b"id: here\ntitle: \xff\n", "2: not UTF-8, save the file as UTF-8"),
        (ELSEWHERE + "reader: python_qa\n", "1: id there differs from the file name; call it here"),
        (CARD + "reader: python_q\n", "7: no reader python_q; did you mean python_qa?"),
        (CARD, "1: give one of reader, dataset and files, not none"),
        (CARD + "reader: r\nfiles: [x]\n", "1: give one of reader, dataset and files, not reader and files"),
        (
            CARD + "files: [x]\noptions: {a: 1}\n",
            "1: options are a reader's; write `reading` for a data set or files",
        ),
        (CARD + "files: x\n", "7: files must be a list, such as [text/*.txt]"),
        (CARD + "files: []\n", "7: files: empty; give at least one"),
        (CARD + "files: [x]\nfolder: /tmp\n", "8: unknown key folder; a card's folder is where its file lies"),
    ],
)
def test_a_broken_card_is_told_with_its_place(tmp_path: Path, text: str | bytes, told: str) -> None:
    assert told in problems(tmp_path, text)


def test_all_faults_come_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    text = """id: there
task: 3
language: no
licence: MIT
colour: red
dataset:
  id: us/letters
  split: ''
  pool_row: 5
reading:
  format: jsnl
  columns:
    txt: body
"""
    assert problems(tmp_path, text) == [
        "1: id there differs from the file name; call it here",
        "1: origin is missing; add it",
        "1: title is missing; add it",
        "2: task must be text",
        "5: unknown key colour; choose one of: id, title, task, language, licence, origin, home, size, reader, "
        "options, dataset, files, reading, requires, install, heldout, low_continuity, chars_per_token",
        "8: dataset.split: empty; give at least one",
        "9: unknown key dataset.pool_row; did you mean pool_rows?",
        "11: reading.format: should be 'auto', 'jsonl', 'json', 'parquet', 'arrow', 'csv', 'tsv' or 'text'",
        "13: unknown key reading.columns.txt; did you mean text?",
    ]


def test_twice_the_same_key(tmp_path: Path) -> None:
    (told,) = problems(tmp_path, CARD + "title: twice\n")
    assert told.startswith("7: not YAML (found duplicate key")


def test_words_that_yaml_once_took_for_truth_values(tmp_path: Path) -> None:
    card = read_card(write(tmp_path, CARD.replace(": en", ": no").replace("qa", "yes") + "files: [on]\n"))
    assert (card.language, card.task, card.files) == ("no", "yes", ["on"])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: no such file"):
        read_card(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="no such file"):
        read_card(tmp_path)
    with pytest.raises(InputError, match="300,000 bytes, more than the 262,144 that a card may have"):
        read_card(write(tmp_path, "#" * 300_000))
    with pytest.raises(RecipeError, match=":2: nested too deeply"):
        read_card(write(tmp_path, "id: here\na: " + "[" * 3000))


@pytest.mark.parametrize(
    ("key", "given", "told"),
    [
        ("licence", "whatever I like", "5: licence: 'whatever I like' is no SPDX expression; "),
        ("licence", "GPLv3", "5: licence: 'GPLv3' is no SPDX expression; did you mean GPL-3.0-only?"),
        ("licence", "Per-Document", "5: licence: 'Per-Document' is no SPDX expression; "),
        ("licence", "MIT AND", "5: licence: 'MIT AND' is no SPDX expression; "),
        ("licence", "''", "5: licence: empty; give at least one"),
        ("language", "english", "4: language: 'english' is no BCP 47 language; write en"),
        ("language", "en_GB", "4: language: 'en_GB' is no BCP 47 language; write en-GB"),
        ("language", "''", "4: language: '' is no BCP 47 language; "),
    ],
)
def test_licence_and_language_are_checked_as_in_a_recipe(tmp_path: Path, key: str, given: str, told: str) -> None:
    right = {"licence": "licence: MIT", "language": "language: en"}[key]
    (found,) = problems(tmp_path, CARD.replace(right, f"{key}: {given}") + "files: [x]\n")
    assert found.startswith(told)


@pytest.mark.parametrize("licence", ["per-document", "unknown", "MIT OR Apache-2.0", "LicenseRef-mine"])
@pytest.mark.parametrize("language", ["mul", "und", "zxx", "pt-BR", "zh-Hant"])
def test_what_licences_and_languages_may_say(tmp_path: Path, licence: str, language: str) -> None:
    text = CARD.replace("MIT", licence).replace("language: en", f"language: {language}")
    card = read_card(write(tmp_path, text + "files: [x]\n"))
    assert (card.licence, card.language) == (licence, language)
