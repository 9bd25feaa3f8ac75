"""What a recipe names must exist; every fault comes at once, before a text is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe_files import BASE, problems, write

from curator.recipe.load import load_recipe

SOURCE = "{files: rows.jsonl, task: chat}"


def found(folder: Path, source: str, tasks: str = "{chat: 1}") -> list[str]:
    text = BASE.replace(SOURCE, source).replace("{chat: 1}", tasks)
    return problems(write(folder, text), references=True)


def test_all_kinds_of_faults_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    text = BASE.replace("tokens: 64", "tokens: 1").replace("{chat: 1}", "{chat: 1, quiz: 1}")
    text = text.replace(SOURCE, "{corpus: python-topix, task: caht}")
    text += "  - {generate: niah, task: chat, options: {needles: screws, hay: 1}}\n"
    text += "  - {generate: uid, task: chat}\n"
    text += "  - {files: [gone.txt, 'data/*.txt'], task: chat, licence: Apche-2.0}\n"
    text += "gates: {language: {allow: [english]}}\ntokens: {template: none.jinja}\n"
    assert problems(write(tmp_path, text), references=True) == [
        "r.yaml:2: size.tokens must be 16 or more, not 1",
        "r.yaml:6: sources.0: corpus 'python-topix': no such card; did you mean 'python-topics'?",
        "r.yaml:6: task 'caht' is not in target.tasks; did you mean chat?",
        "r.yaml:7: sources.1: generate niah: option 'needles' cannot be 'screws'; allowed: words, numbers, uuids",
        "r.yaml:7: sources.1: generate niah: unknown option 'hay'; "
        "allowed: needles, keys, count, ask, values, haystack, language",
        "r.yaml:8: sources.2: generate 'uid': no such generator; did you mean 'uuid'?",
        "r.yaml:9: sources.3.licence: 'Apche-2.0' is no SPDX expression; did you mean Apache-2.0?",
        f"r.yaml:9: sources.3: no file fits data/*.txt in {tmp_path}; check the pattern",
        f"r.yaml:9: sources.3: no such file or folder gone.txt in {tmp_path}; check the path",
        "r.yaml:10: gates.language.allow.0: 'english' is no BCP 47 language; write en",
        "r.yaml:11: tokens.template: no such file none.jinja; or write model",
    ]


def test_files_folders_and_patterns_start_from_the_recipe(tmp_path: Path) -> None:
    write(tmp_path, "text", "data/deep/a.txt")
    write(tmp_path, "{}", "rows.jsonl")
    for given in ("rows.jsonl", "data", "data/**/*.txt", "[rows.jsonl, data/deep]", str(tmp_path / "rows.jsonl")):
        assert load_recipe(write(tmp_path, BASE.replace("rows.jsonl", given)), references=True).recipe
    assert found(tmp_path, "{files: row.jsonl, task: chat}") == [
        f"r.yaml:6: sources.0: no such file or folder row.jsonl in {tmp_path}; did you mean rows.jsonl?"
    ]


def test_an_override_starts_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "{}", "elsewhere/own.jsonl")
    path = write(tmp_path, BASE)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert load_recipe(path, ["sources.0.files=own.jsonl"], references=True).recipe
    (line,) = problems(path, ["sources.0.files=rows.jsonl"], references=True)
    assert line.startswith("--set sources.0.files=rows.jsonl: sources.0: no such file or folder rows.jsonl in")
    assert line.endswith(" elsewhere; did you mean own.jsonl?")


def test_a_data_set_is_looked_at_for_its_form_only(tmp_path: Path) -> None:
    for name in ("someone/some-set", "squad", "a.b/c_d-1"):
        text = BASE.replace(SOURCE, f"{{dataset: {name}, task: chat}}")
        assert load_recipe(write(tmp_path, text), references=True).recipe
    (tmp_path / "local" / "set" / "here").mkdir(parents=True)
    text = BASE.replace(SOURCE, "{dataset: local/set/here, task: chat}")
    assert load_recipe(write(tmp_path, text), references=True).recipe
    for name in ("a/b/c", "https://huggingface.co/a/b", "-x/y"):
        assert found(tmp_path, f"{{dataset: '{name}', task: chat}}") == [
            f"r.yaml:6: sources.0: {name} is no folder and no id of the hub (owner/name)"
        ]


def test_faults_of_ones_own_card_have_its_lines(tmp_path: Path) -> None:
    write(tmp_path, "id: mine\ntitle: x\n", "mine.yaml")
    lines = found(tmp_path, "{corpus: mine.yaml, task: chat}")
    assert lines and all(line.startswith("r.yaml:6: sources.0: ") and "mine.yaml" in line for line in lines)
    assert "no such file" in found(tmp_path, "{corpus: none.yaml, task: chat}")[0]


def test_a_task_without_a_source_is_named_at_its_share(tmp_path: Path) -> None:
    tasks = "\n    chat: 1\n    quiz: 1\n"
    assert problems(write(tmp_path, BASE.replace("{chat: 1}", tasks))) == [
        "r.yaml:6: task 'quiz' has a share but no source; add a source with task: quiz"
    ]


def test_the_task_of_a_generator_or_card_counts_when_the_source_names_none(tmp_path: Path) -> None:
    text = BASE.replace("{chat: 1}", "{niah: 1, qa: 1}").replace(SOURCE, "{generate: niah}")
    assert load_recipe(write(tmp_path, text + "  - {corpus: python-qa}\n"), references=True).recipe
    assert problems(write(tmp_path, text), references=True) == [
        "r.yaml:4: task 'qa' has a share but no source; add a source with task: qa"
    ]
    assert found(tmp_path, "{corpus: python-qa}") == [
        "r.yaml:6: task 'qa' (of corpus: python-qa) is not in target.tasks; tasks: chat"
    ]


def test_what_cannot_be_told_is_not_guessed(tmp_path: Path) -> None:
    """A source with a fault of its own may be the one that a task lacks."""
    lines = found(tmp_path, "{corpus: nonsense}", "{chat: 1, code: 1}")
    assert len(lines) == 1 and "no such card" in lines[0]
    assert found(tmp_path, "{files: 3, task: chat}") == ["r.yaml:6: sources.0.files must be text or a list, not 3"]
    assert found(tmp_path, "{dataset: me/mine}") == [
        "r.yaml:6: sources.0: give a task for all rows, or the column that holds each row's own as columns.task"
    ]
    text = BASE.replace(SOURCE, "{dataset: me/mine, columns: {task: kind}}").replace(
        "{chat: 1}", "{chat: 1, code: 1}"
    )
    assert load_recipe(write(tmp_path, text), references=True).recipe.sources[0].weight == 1
    assert len(found(tmp_path, "3")) == 1


def test_a_share_of_less_than_one_token_is_told(tmp_path: Path) -> None:
    text = BASE.replace("{chat: 1}", "{chat: 1, code: 0.001}") + "  - {files: x, task: code}\n"
    notes = load_recipe(write(tmp_path, text)).notes
    assert notes[-1] == "task code: its share of 256 tokens is less than one token; raise it or the size"
    assert len(load_recipe(write(tmp_path, text.replace("0.001", "0.01"))).notes) == 1


def test_an_embedder_that_cannot_be_loaded_is_told_at_its_line(tmp_path: Path) -> None:
    def said(name: str) -> str:
        path = write(
            tmp_path, BASE.replace(SOURCE, "{dataset: a/b, task: chat}") + f"continuity: {{embedder: {name}}}\n"
        )
        return "".join(problems(path, references=True)).removeprefix("r.yaml:7: continuity.embedder: ")

    assert said(f"{tmp_path}/gone").startswith("no such folder gone; name one")
    folder = tmp_path / "model"
    folder.mkdir()
    assert said(str(folder)) == "model holds no model (neither modules.json nor config.json)"
    write(folder, "[1]", "config.json")
    assert said(str(folder)) == "model/config.json is no JSON object; fetch the model again"
    write(folder, "{broken", "modules.json")
    assert said(str(folder)) == "model/modules.json is no list of modules; fetch the model again"
    write(folder, '[{"path": ""}]', "modules.json")
    assert said(str(folder)) == "model holds no weights (.safetensors or .bin); fetch the model again"
    write(folder, "", "model.safetensors")
    for name in (str(folder), "all-MiniLM-L6-v2", "sentence-transformers/some-model"):
        text = BASE.replace(SOURCE, "{dataset: a/b, task: chat}") + f"continuity: {{embedder: {name}}}\n"
        assert load_recipe(write(tmp_path, text), references=True).recipe.continuity.embedder == name
