from __future__ import annotations

import re
from html.parser import HTMLParser

from inspect_samples import CONTROL, EVIL, A, manifest, part, samples, vocabulary

from curator.report.inspect_html import inspect_html
from curator.report.inspect_summary import inspection
from curator.report.inspect_tokens import sample_views

VOID = {"meta", "br", "line", "rect", "circle"}


class Balanced(HTMLParser):
    """Fails on an end tag that does not close the last open one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def page(name: str = "mix", letters: str = "abcd efgh\tij\n", *, tokens: bool = True) -> str:
    made = manifest(name=name, warnings=[name])
    held = samples()
    held[0]["parts"][0] = part(name, 1, 6, source=name, licence=name, language=name)
    views = list(sample_views(held, made, vocabulary(letters))) if tokens else []
    found = inspection(made, held, CONTROL if tokens else None, {"end": 1, "start": 0} if tokens else {})
    return inspect_html(found, {"samples": [10, 6], "documents": [5, 7, 2]}, views)


def test_the_page_is_whole_and_needs_nothing_else() -> None:
    text = page()
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert "<script" not in text
    assert not re.search(r"(src|href)=|url\(|@import", text)


def test_everything_is_escaped() -> None:
    text = page(EVIL)
    assert EVIL not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5
    assert "<b>" not in page(letters="<b>").split('class="tokens"', 1)[1].replace("</b>", "").split("<p ")[0]


def test_tokens_have_their_kind_and_number() -> None:
    text = page()
    assert re.search(r'<i class="start odd" title="0">&lt;s&gt;</i>', text)
    assert re.search(r'<i class="control" title="2">&lt;think&gt;</i>', text)
    assert re.search(r'<i class="end[^"]*" title="1">&lt;/s&gt;</i>', text)
    assert re.search(rf'<i class="text[^"]*" title="{A + 4}">·</i>', text)
    assert text.count("<details") == 2
    assert text.count('<details class="sample" open>') == 1
    assert "goes on in sample 1" in text


def test_without_tokens_there_is_a_summary_only() -> None:
    text = page(tokens=False)
    assert "<details" not in text
    assert "that needs the tokenizer" in text
    assert "token by token" not in text
