"""Good text of words more than sentences: indexes, glossaries, help pages, questions, names without spaces."""

from __future__ import annotations

import importlib
import inspect
import pydoc
import random
import re
import sys
import unicodedata
import zoneinfo
from functools import cache

from gate_bench.draw import clip, half_of
from gate_bench.hosts import sentences
from gate_bench.names import places
from gate_bench.vocabulary import half_text

_LATIN_WORD = re.compile(r"[A-Za-z]{3,}")
_SKIPPED = {
    "antigravity",
    "this",
    "idlelib",
    "turtledemo",
    "turtle",
    "tkinter",
    "lib2to3",
    "__main__",
    "msilib",
    "nis",
}


@cache
def _modules(half: int) -> tuple[str, ...]:
    names = sorted(name for name in sys.stdlib_module_names if name[0] != "_" and name not in _SKIPPED)
    return tuple(name for name in names if half_of(f"python/{name}") == half)


@cache
def entries(half: int) -> tuple[tuple[str, str], ...]:
    """Names of the standard library with the first line of what their docstrings say."""
    import warnings

    found: dict[str, str] = {}
    for module in _modules(half):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                loaded = importlib.import_module(module)
            except ImportError:  # A module for another system.
                continue
        for name, value in sorted(vars(loaded).items()):
            doc = inspect.getdoc(value) if callable(value) and not name.startswith("_") else None
            first = (doc or "").partition("\n")[0].strip()
            if 20 <= len(first) <= 160 and "(" not in first:
                found[f"{module}.{name}"] = first
    return tuple(sorted(found.items()))


@cache
def _lists(half: int) -> tuple[tuple[str, ...], ...]:
    zones = [name for name in sorted(zoneinfo.available_timezones()) if "/" in name]
    signs = [unicodedata.name(chr(code), "") for code in [*range(0x2190, 0x27C0), *range(0x1F300, 0x1F650)]]
    halves = [[one for one in listed if one and half_of(f"entry:{one}") == half] for listed in (zones, signs)]
    names = dict.fromkeys(name.rpartition(".")[2] for name, _ in entries(half))
    return (
        *(tuple(listed) for listed in halves),
        places(half),
        places(half, "de"),
        places(half, "es"),
        tuple(names),
    )


def index(draw: random.Random, half: int, length: int) -> str:
    """Part of an alphabetical list of real names: places, time zones, signs, functions."""
    listed = draw.choice([names for names in _lists(half) if len(names) > 60])
    at, joint = draw.randrange(len(listed) - 40), draw.choice(["\n", "\n", ", ", "\n- "])
    taken: list[str] = []
    while at < len(listed) and sum(map(len, taken)) < length:
        taken.append(listed[at])
        at += draw.randint(1, 3)
    return clip(joint.join(sorted(taken)), max(length, 40))


def glossary(draw: random.Random, half: int, length: int) -> str:
    """Terms with what they mean, in alphabetical order: the standard library's names and their first lines."""
    listed, form = entries(half), draw.choice(["{}: {}", "{} - {}", "**{}**\n  {}", "{}\n    {}\n", "| {} | {} |"])
    at = draw.randrange(len(listed) - 45)
    taken: list[str] = []
    while at < len(listed) and sum(map(len, taken)) < length:
        taken.append(form.format(*listed[at]))
        at += draw.randint(1, 2)
    return "\n".join(taken)[:4000].strip()


@cache
def _pages(half: int) -> tuple[str, ...]:
    found = []
    for name, _ in entries(half)[::6]:
        module, _, attribute = name.rpartition(".")
        value = getattr(sys.modules.get(module), attribute, None)
        if value is not None:
            found.append(pydoc.plain(pydoc.render_doc(value)))
    # An object's address in memory is another in every run.
    return tuple(page for page in found if len(page) > 120 and " at 0x" not in page)


def help_page(draw: random.Random, half: int, length: int) -> str:
    """A page of Python's built-in help, cut at a line."""
    lines, text = draw.choice(_pages(half)).splitlines(), ""
    at = draw.randrange(max(1, len(lines) // 2))
    while at < len(lines) and (len(text) < length or len(text) < 60):
        text += lines[at].rstrip() + "\n"
        at += 1
    return text[:4000].strip()


def without_spaces_east(draw: random.Random, half: int, length: int) -> str:
    """Chinese, Japanese or Thai text with neither spaces nor punctuation."""
    language = draw.choice(["zho", "jpn", "tha"])
    text = half_text(language, half)
    low, high = ("\u0e01", "\u0e5b") if language == "tha" else ("\u3041", "\u9fff")
    start = draw.randrange(len(text) - 2 * length)
    return clip("".join(char for char in text[start : start + 2 * length] if low <= char <= high), length)


def without_spaces_latin(draw: random.Random, half: int, length: int) -> str:
    """English sentences written together: as one run, or each as a name in camel or snake case."""
    lines, style = sentences(half), draw.choice(["run", "run", "camel", "snake", "kebab"])
    at, have = draw.randrange(len(lines) - 80), 0
    parts: list[str] = []
    while have < length and at < len(lines):
        line = "".join(char for char in lines[at] if char.isalpha() or char == " ")
        if style == "camel":
            line = "".join(word.capitalize() for word in line.split())
        else:
            line = {"run": "", "snake": "_", "kebab": "-"}[style].join(line.lower().split())
        parts.append(line)
        have += len(line) + 1
        at += 1
    return clip(("" if style == "run" else "\n").join(parts), length)


def mixed_chinese_english(draw: random.Random, half: int, length: int) -> str:
    """Chinese text with the English terms that its author put there, or paragraphs of either language in turn."""
    chinese, english = sentences(half, "zho"), sentences(half)
    if draw.random() < 0.5:
        terms = [at for at, line in enumerate(chinese) if len(_LATIN_WORD.findall(line)) >= 2]
        at = draw.choice(terms)
        return clip("".join(chinese[at : at + length // 8 + 1]), length)
    parts: list[str] = []
    at, other = draw.randrange(len(chinese) - 60), draw.randrange(len(english) - 60)
    while sum(map(len, parts)) < length:
        size = draw.randint(1, 4)
        parts += ["".join(chinese[at : at + size]), " ".join(english[other : other + size])]
        at, other = (at + size) % len(chinese), (other + size) % len(english)
    return clip(draw.choice(["\n", "\n\n", " "]).join(parts), length)
