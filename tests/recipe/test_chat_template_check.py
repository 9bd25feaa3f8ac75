from __future__ import annotations

import os
from pathlib import Path

import pytest
from recipe_files import BASE, problems, write

from curator.recipe.chat_template_check import template_problem
from curator.recipe.load import load_recipe

GOOD = """\
{%- for message in messages if message.role != 'tool' %}
{%- if loop.index > 99 %}{% break %}{% endif %}
{{ message | tojson(ensure_ascii=False) }}{{ raise_exception('no') if message is none }}
{% generation %}{{ message.content | trim }}{% endgeneration %}
{%- endfor %}{{ strftime_now('%Y') if add_generation_prompt }}
"""
GUARDED = "{% if 'own' is filter %}{{ messages | own }}{% endif %}"


@pytest.mark.parametrize("text", [GOOD, "\ufeff" + GOOD, "plain", "{{ 'a' * 10 ** 12 }}{{ 1 / 0 }}", GUARDED])
def test_a_template_is_translated_and_not_run(tmp_path: Path, text: str) -> None:
    file = tmp_path / "chat.jinja"
    file.write_text(text, encoding="utf-8")
    assert template_problem(file) == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\nb\n{{ messages | lenght }}\n", ":3: No filter named 'lenght'"),
        ("a\n{% if messages is defind %}{% endif %}", ":2: No test named 'defind'"),
        ("{% if a %}\n{{ a | lenght }}{% endif %}", ":2: No filter named 'lenght'"),
        ("{{ 'a' }}\n{% fro m in messages %}", ":2: Encountered unknown tag 'fro'"),
        ("{% for m in messages %}", ":1: Unexpected end of template"),
        ("{% generation %}a", ":1: Unexpected end of template"),
        ("{{ a }\n", ":1: unexpected '}'"),
        (" \n", ": the chat template is empty"),
        (
            "{% for a in b %}" * 30 + "{% endfor %}" * 30,
            ": cannot be translated (too many statically nested blocks",
        ),
    ],
)
def test_a_fault_has_its_file_and_line(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "chat.jinja"
    file.write_text(text)
    found = template_problem(file)
    assert found.startswith(f"{file}{told}") and "\n" not in found


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "chat.jinja").write_bytes(b"ab\xff")
    assert template_problem(tmp_path / "chat.jinja").endswith(
        "not UTF-8 at byte 2; save the chat template as UTF-8"
    )
    assert "cannot be read" in template_problem(tmp_path)


def test_a_recipe_is_told_at_its_line(tmp_path: Path) -> None:
    write(tmp_path, "{}", "rows.jsonl")
    write(tmp_path, "{{ a | b }}", "chat/own.jinja")
    path = write(tmp_path, BASE + "tokens: {template: chat/own.jinja}\n")
    assert problems(path, references=True) == [
        "r.yaml:7: tokens.template: chat/own.jinja:1: No filter named 'b'; mend the template"
    ]
    assert load_recipe(path).template == tmp_path / "chat/own.jinja"


def test_pipes_and_what_draws_by_chance_are_told_without_being_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jinja"
    os.mkfifo(pipe)
    assert template_problem(pipe) == f"{pipe}: a device or pipe, no file; name a Jinja file"
    file = tmp_path / "t.jinja"
    file.write_text("{% for m in messages %}\n{{ ['a', 'b'] | random }}{% endfor %}")
    assert template_problem(file).startswith(f"{file}:2: the filter 'random' draws by chance")
    file.write_text("x" * (2**20 + 1))
    assert "too large for a chat template" in template_problem(file)
