"""No template takes the escaping away, and no page may load or run anything."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import curator.report
from curator.report._templates import environment

FOLDER = Path(curator.report.__file__).parent
TEMPLATES = sorted(path.name for path in (FOLDER / "templates").glob("*.html.j2"))


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_leaves_everything_escaped(name: str) -> None:
    text = (FOLDER / "templates" / name).read_text(encoding="utf-8")
    assert not re.search(
        r"\|\s*safe\b|autoescape|<script|javascript:|\bon\w+\s*=|<iframe|<object|<base|src\s*=", text
    )
    # An attribute without quotes would end at a space of its value.
    assert not re.search(r"=\{\{", text)
    # Addresses are ours: no value of a document begins one.
    assert all(link.startswith("figures/") for link in re.findall(r'href="([^"]*)"', text))
    if not name.startswith("_"):
        assert text.startswith('{% extends "_page.html.j2" %}')


def test_every_page_forbids_scripts_and_network() -> None:
    page = (FOLDER / "templates" / "_page.html.j2").read_text(encoding="utf-8")
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'\"" in page
    assert environment().autoescape is True


def test_no_text_of_a_document_is_called_safe_by_the_code() -> None:
    """`Markup` of anything but a literal is where escaping ends: one place, which escapes first."""
    found = []
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Markup", "markupsafe.Markup"):
                literal = node.args and isinstance(node.args[0], ast.Constant)
                found += [] if literal else [(path.name, ast.unparse(node)[:30])]
    assert [name for name, _ in found] == ["_svg.py"], found


@pytest.mark.parametrize(
    "value", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)"]
)
def test_a_value_stays_text_in_every_place(value: str) -> None:
    made = environment().from_string('<a title="{{ value }}">{{ value }}</a>').render(value=value)
    assert made.count("<") == 2 and made.count('"') == 2
