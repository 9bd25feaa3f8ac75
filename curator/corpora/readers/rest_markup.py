"""From reStructuredText to the small Markdown that `markdown_prose` cleans further."""

from __future__ import annotations

import re
import textwrap

_DIRECTIVE = re.compile(r"(\s*)\.\. (?:\|[^|]+\| )?([\w:-]+)::\s*(.*)$")
_EXPLICIT = re.compile(r"\s*\.\.(\s|$)")
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "prompt", "doctest", "ipython"})
_ADMONITION = frozenset(
    {"note", "warning", "tip", "important", "hint", "caution", "attention", "danger", "admonition", "topic"}
    | {"seealso", "epigraph", "versionadded", "versionchanged", "deprecated"}
)
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:.])\1{2,}\s*$")
_INLINE = (
    (re.compile(r"``([^`\n]+)``"), r"`\1`"),
    (re.compile(r":[a-zA-Z]+(?::[a-z]+)*:`[~!]?([^`<\n]+?)\s*(?:<[^>\n]*>)?`"), r"`\1`"),
    (re.compile(r"`([^`<\n]*(?:\n[^`<\n]+)?)\s*<[^>`]*>`__?"), r"\1"),
    (re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`__?(?!\w)"), r"\1"),
    (re.compile(r"\|[A-Za-z][\w .-]*\|(?:__?)? ?"), ""),
    (re.compile(r"(?<![\w`])(\w[\w.-]*\w)__?(?=[\s.,;:)]|$)"), r"\1"),
    (re.compile(r" ?\[[#*]?\w*\]_"), ""),
)


def rest_to_markdown(text: str) -> str:
    """``text`` with reST headings, code blocks and inline marks written as Markdown.

    Substitutions (``|name|``), images, link targets, comments and directives that hold no prose are removed;
    the prose of notes and warnings stays.
    """
    text = _headings("\n".join(_blocks(text.expandtabs(8).split("\n"))))
    # Outside of code only; over whole texts, because a link may break over two lines.
    parts = re.split(r"(?ms)(^```$.*?^```$)", text)
    return "".join(part if part.startswith("```") else _inline(part) for part in parts)


def _blocks(lines: list[str]) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        directive = _DIRECTIVE.match(line)
        if directive or _EXPLICIT.match(line):
            end = _block_end(lines, at + 1, indent)
            out += _directive(directive.group(2), directive.group(3), lines[at + 1 : end]) if directive else [""]
            at = end
        elif line.rstrip().endswith("::"):
            end = _block_end(lines, at + 1, indent)
            lead = line.rstrip()[:-1] if line.strip() != "::" else ""
            out += [lead, *_fenced(lines[at + 1 : end])]
            at = end
        else:
            out.append(line)
            at += 1
    return out


def _inline(text: str) -> str:
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return text


def _block_end(lines: list[str], at: int, indent: int) -> int:
    end = at
    while at < len(lines):
        if lines[at].strip():
            if len(lines[at]) - len(lines[at].lstrip()) <= indent:
                break
            end = at + 1
        at += 1
    return end


def _directive(name: str, argument: str, body: list[str]) -> list[str]:
    name = name.rpartition(":")[2].lower()
    while body and re.match(r"\s+:[\w-]+:", body[0]):
        body = body[1:]
    if name in _CODE:
        return _fenced(body)
    if name in _ADMONITION:
        lead = [argument] if argument and not re.fullmatch(r"[\d.]+", argument) else []
        return ["", *_blocks(lead), *_blocks(textwrap.dedent("\n".join(body)).split("\n")), ""]
    return [""]


def _fenced(body: list[str]) -> list[str]:
    code = textwrap.dedent("\n".join(body)).strip("\n")
    return ["", "```", *code.split("\n"), "```", ""] if code.strip() else [""]


def _headings(text: str) -> str:
    styles: list[str] = []
    out: list[str] = []
    for line in text.split("\n"):
        rule = _UNDERLINE.match(line)
        title = out[-1].strip() if out else ""
        if not rule or line.startswith("```"):
            out.append(line)
        elif title and not title.startswith(("```", "#")) and len(line.strip()) >= min(len(title) - 2, 4):
            style = rule.group(1) + ("o" if len(out) > 1 and out[-2] == "\0" else "")
            if style not in styles:
                styles.append(style)
            out[-1] = "\n" + "#" * min(styles.index(style) + 1, 6) + f" {title}"
        else:
            out.append("\0")  # an overline, or a rule between paragraphs
    return "\n".join(line for line in out if line != "\0")
