"""Markdown without what only a web page shows: badges, images, HTML, link targets, tables."""

from __future__ import annotations

import html
import re

from curator.corpora.readers.plain_text import tidy

_COMMENT = re.compile(r"<!--.*?-->", re.S)
_HIDDEN = re.compile(r"<(style|script|svg|table|picture)\b.*?</\1\s*>", re.S | re.I)
_FENCE = re.compile(r"\s*(```|~~~)")
_SPAN = re.compile(r"(`+)(?!`)[^`\n]+(?<!`)\1(?!`)")
_LONGEST_CODE = 25
_INLINE = (
    (re.compile(r"!\[[^\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])"), ""),
    (re.compile(r"\[\s*\]\([^()]*\)|\[\s*\]\[[^\]]*\]"), ""),
    (re.compile(r"\[([^\[\]]+)\]\(\s*[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)"), r"\1"),
    (re.compile(r"\[([^\[\]\n]+(?:\n[^\[\]\n]+)?)\]\[[^\[\]\n]*\]"), r"\1"),
    (re.compile(r"</?(?:a|b|i|p|br|hr|img|div|span|h[1-6]|em|strong|sub|sup|code|kbd|details|summary|center|ul"
                r"|ol|li|dl|dt|dd|source|font|u|s|tt|pre|td|tr|th|tbody|thead|blockquote|figure|small|nobr|abbr)"
                r"(?:\s[^<>]*)?/?>", re.I), ""),
    (re.compile(r"<((?:https?|mailto):[^<>\s]+)>"), r"\1"),
)  # fmt: skip
_DEFINITION = re.compile(r"\s*\[[^\]]+\]:\s+\S+")
_TABLE = re.compile(r"\s*(\|.*\|?\s*$|\+[-=+]{3,}|[:\- |]*-{3,}\s*\|[-:| ]*$|=[= ]{5,}$)")
_EMPTY = re.compile(r"[\s*\-•·|>_=~+#:.,/\\()\[\]]*$")
_BARE_URL = re.compile(r"\s*(?:[-*] )?(?:https?|git)\S+\s*$")
_HEADING = re.compile(r"(#{1,6})\s+(.*)$")
_UNWANTED = re.compile(
    r"(?i)\W*(change ?log|changes?$|changes (in|since)|release (notes|history)|history$|what'?s (changed|new)"
    r"|news$|licen[cs]|contributors|credits?$|authors?$|acknowledg|sponsor|backers|badges|table of contents"
    r"|contents$|copyright|citing|citation|v?\d+\.\d+(\.\d+)?\b|star history|new contributors|bibtex|funding"
    r"|support us)"
)


def markdown_prose(text: str) -> str:
    """Keep the prose and short code of a Markdown text.

    Removed: comments, HTML tags, images, badges, link targets (the link's words stay), tables, front
    matter, code of over 25 lines, and whole sections on change logs, licences, authors and sponsors. A
    heading with nothing left under it goes as well.
    """
    text = re.sub(r"\A---\n.*?\n---\n", "", tidy(text), flags=re.S)
    text = _HIDDEN.sub("", _COMMENT.sub("", text))
    parts = re.split(r"(?ms)^([ \t]*(?:```|~~~)[^\n]*\n.*?^[ \t]*(?:```|~~~)[ \t]*$)", text)
    lines: list[str] = []
    for part in parts:
        lines += _code(part) if _FENCE.match(part) else _prose(_setext(part))
    return tidy("\n".join(_sections(lines)))


def _setext(text: str) -> str:
    text = re.sub(r"(?m)^(\S.*)\n={3,}[ \t]*$", r"# \1", text)
    return re.sub(r"(?m)^(\S.*)\n-{3,}[ \t]*$", r"## \1", text)


def _code(block: str) -> list[str]:
    lines = block.split("\n")
    is_badge = "shields.io" in block or "badge" in block
    return [""] if is_badge or len(lines) > _LONGEST_CODE + 2 else lines


def _prose(text: str) -> list[str]:
    # Code spans are set aside: `a[0][1]` is no link and `<br>` no tag there.
    spans: list[str] = []

    def aside(match: re.Match[str]) -> str:
        spans.append(match.group())
        return f"\0{len(spans) - 1}\0"

    text = _SPAN.sub(aside, text)
    # Twice, because a badge is an image inside a link.
    for _ in range(2):
        for pattern, replacement in _INLINE:
            text = pattern.sub(replacement, text)
    text = re.sub(r"\0(\d+)\0", lambda match: spans[int(match.group(1))], html.unescape(text))
    return [line for line in text.split("\n") if not line.strip() or not _is_residue(line)]


def _is_residue(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_DEFINITION, _TABLE, _EMPTY, _BARE_URL))


def _sections(lines: list[str]) -> list[str]:
    """Drop unwanted sections with their subsections, and headings with nothing under them."""
    out: list[str] = []
    dropped = 0
    fenced = False
    for line in lines:
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            level = len(heading.group(1))
            if dropped and level > dropped:
                continue
            dropped = level if _UNWANTED.match(heading.group(2)) else 0
            _drop_empty_headings(out, level)
        if not dropped:
            out.append(line)
    _drop_empty_headings(out, 1)
    return out


def _drop_empty_headings(out: list[str], level: int) -> None:
    """Take headings of this level or deeper off the end, with the blank lines after them."""
    while True:
        at = len(out)
        while at and not out[at - 1].strip():
            at -= 1
        heading = _HEADING.match(out[at - 1]) if at else None
        if heading is None or len(heading.group(1)) < level:
            return
        del out[at - 1 :]
