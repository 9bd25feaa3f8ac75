"""Good text that programs write or squeeze: traces, minified code, patches, formulas, prose with one string."""

from __future__ import annotations

import base64
import difflib
import random
import re
import string
from functools import cache

from gate_bench.draw import clip, stream
from gate_bench.hosts import sentences
from gate_bench.installed import SourceFile, library_files, package_files
from gate_bench.pieces import is_clearly_text, part_of
from gate_bench.vocabulary import coding_files, identifiers

_DEF = re.compile(r"^\s*(?:async )?def (\w+)")
_STATEMENT = re.compile(r"\w\(|return |raise | = ")
_STRING_OR_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S)
_ERRORS = ("ValueError", "KeyError", "TypeError", "RuntimeError", "AttributeError", "IndexError", "OSError")


@cache
def _frames(half: int) -> tuple[tuple[str, int, str, str], ...]:
    """Real lines of the standard library: file, line, function, code."""
    found = []
    for file in library_files("*.py"):
        if file.half != half:
            continue
        function = "<module>"
        for number, line in enumerate(file.text().splitlines(), start=1):
            start = _DEF.match(line)
            function = start[1] if start else function
            code = line.strip()
            if number % 7 == 0 and len(code) > 12 and code[0] not in "#'\"" and _STATEMENT.search(code):
                found.append((file.name, number, function, code))
    return tuple(found)


def stack_trace(draw: random.Random, half: int, length: int) -> str:
    """Traces of Python (with real lines), Java, JavaScript, Go or Rust programs."""
    style = draw.choice([_python_trace, _python_trace, _java_trace, _node_trace, _go_trace])
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts.append(style(draw, half))
    return clip("\n".join(parts), length)


def _python_trace(draw: random.Random, half: int) -> str:
    root = draw.choice(["/usr/lib/python3.11", "/opt/app/lib", "C:\\Python311\\Lib", "/home/build/src"])
    lines = ["Traceback (most recent call last):"]
    for name, number, function, code in draw.sample(_frames(half), draw.randint(2, 9)):
        lines += [f'  File "{root}/{name.removeprefix("python/")}", line {number}, in {function}', f"    {code}"]
    message = " ".join(draw.choice(sentences(half)).split()[:8]).rstrip(".,")
    return "\n".join([*lines, f"{draw.choice(_ERRORS)}: {message}"])


def _java_trace(draw: random.Random, half: int) -> str:
    group = ".".join(word.lower() for word in draw.sample(identifiers(half), 2))
    lines = [f'Exception in thread "main" java.lang.IllegalStateException: {draw.choice(sentences(half))[:60]}']
    for _ in range(draw.randint(3, 12)):
        owner, method = draw.sample(identifiers(half), 2)
        owner = owner[0].upper() + owner[1:]
        lines.append(f"\tat com.{group}.{owner}.{method}({owner}.java:{draw.randint(10, 900)})")
    return "\n".join([*lines, f"Caused by: java.io.IOException: {draw.choice(sentences(half))[:50]}"])


def _node_trace(draw: random.Random, half: int) -> str:
    lines = [f"TypeError: Cannot read properties of undefined (reading '{draw.choice(identifiers(half))}')"]
    for _ in range(draw.randint(3, 10)):
        owner, method, file = draw.sample(identifiers(half), 3)
        lines.append(
            f"    at {owner}.{method} (/srv/app/src/{file}.js:{draw.randint(1, 600)}:{draw.randint(1, 80)})"
        )
    return "\n".join(lines)


def _go_trace(draw: random.Random, half: int) -> str:
    lines = ["panic: runtime error: index out of range", "", "goroutine 1 [running]:"]
    for _ in range(draw.randint(2, 8)):
        package, function = draw.sample(identifiers(half), 2)
        lines += [f"main.{package}.{function}(0xc{draw.randbytes(5).hex()}, 0x{draw.randint(1, 99):x})"]
        lines += [f"\t/src/{package.lower()}/{function}.go:{draw.randint(5, 700)} +0x{draw.randint(16, 900):x}"]
    return "\n".join(lines)


_PAGES = (
    ("torch", "*.js"), ("sklearn", "*.js"), ("sklearn", "*.css"), ("importlinter", "*.css"),
    ("importlinter", "*.html"), ("tokenizers", "*.css"), ("sklearn", "*.html"),
)  # fmt: skip


def half_content(file: SourceFile, half: int) -> str:
    """A file's text for a half: of dataset-build's files a part, of others all or nothing."""
    if file.name.startswith("dataset-build/"):
        return part_of(file.text(), half)
    return file.text() if file.half == half else ""


@cache
def _squeezable(half: int) -> tuple[str, ...]:
    ends = ("typescript", "html", "java.txt", "c#", "c++", "dart", "php", "rust", "go.txt", "swift", "kotlin")
    chosen = [file for file in coding_files() if any(end in file.name for end in ends)]
    for package, pattern in _PAGES:
        chosen += package_files(package, pattern, 9)
    return tuple(text for file in chosen if (text := half_content(file, half)))


@cache
def _squeezed(text: str) -> str:
    kept = _STRING_OR_COMMENT.sub(lambda match: "" if match[0][0] == "/" else match[0], text)
    one = " ".join(kept.split())
    return re.sub(r" ?([{}();,:=<>+*|&?\[\]]) ?", r"\1", one)


def minified(draw: random.Random, half: int, length: int) -> str:
    """Real programs and style sheets without comments, line ends and needless spaces; some with short names."""
    piece = ""
    # Fonts and pictures in base64 are no code.
    while not is_clearly_text(piece):
        text = _squeezed(draw.choice(_squeezable(half)))
        at = text.find(";", draw.randrange(max(1, len(text) - length - 200))) + 1
        piece = text[at : at + length]
    if draw.random() < 0.5:
        short = iter(string.ascii_lowercase)
        known: dict[str, str] = {}
        common = {name for name in re.findall(r"\b[a-z]\w{5,}\b", piece) if piece.count(name) > 3}
        for name in sorted(common)[:20]:
            known[name] = next(short)
        piece = re.sub(r"\b[a-z]\w{5,}\b", lambda match: known.get(match[0], match[0]), piece)
    return piece.strip()


@cache
def _programs(half: int) -> tuple[tuple[str, str], ...]:
    files = (*coding_files(), *library_files("*.py"))
    return tuple((file.name, text) for file in files if (text := half_content(file, half)))


def difference(draw: random.Random, half: int, length: int) -> str:
    """A patch as git shows it: real code with some lines changed by other real lines."""
    name, text = draw.choice(_programs(half))
    lines = text.splitlines()
    start = draw.randrange(max(1, len(lines) - 80))
    old = lines[start : start + max(8, length // 30)]
    new = [line for line in old if draw.random() > 0.08]
    for _ in range(max(1, len(new) // 12)):
        new.insert(draw.randrange(len(new) + 1), draw.choice(lines))
    patch = "\n".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="", n=2))
    index = "..".join(draw.randbytes(4).hex()[:7] for _ in range(2))
    return clip(f"diff --git a/{name} b/{name}\nindex {index} 100644\n{patch}", max(length, 120))


def tutorial(draw: random.Random, half: int, length: int) -> str:
    """Prose that shows one short random string: a digest, a token, a UUID, base64, a command's output."""
    lines = list(sentences(half))
    at = draw.randrange(max(1, len(lines) - 60))
    raw = draw.randbytes(32)
    coded = [base64.b64encode(raw[:18]).decode(), base64.b32encode(raw[:10]).decode()]
    shown = draw.choice([raw[:20].hex(), raw[:16].hex(), raw[:6].hex(), *coded])
    lead = draw.choice(["The result is", "You get", "It prints", "The digest is", "Use the token", "Its id is"])
    text = ""
    while len(text) < max(length, 5 * len(shown)) and at < len(lines):
        text += lines[at] + " "
        at += 1
    cut = text.find(". ", draw.randrange(max(1, len(text) // 2))) + 2
    joint = draw.choice([f"{lead} {shown}. ", f"{lead} `{shown}`, as above. ", f"{lead}:\n\n    {shown}\n\n"])
    return (text[:cut] + joint + text[cut:])[:4000].strip()


@cache
def _links() -> tuple[str, ...]:
    pattern = re.compile(r"https?://[^\s<>\"'`)\]}]{12,110}")
    texts = [file.text() for file in package_files("*.dist-info", "METADATA", 1)]
    return tuple(sorted({link.rstrip(".,;:") for text in texts for link in pattern.findall(text)}))


def linked(draw: random.Random, half: int, length: int) -> str:
    """Prose with real addresses of web pages in it, in brackets, as sources, or as a list with a word each."""
    lines = list(sentences(half))
    links = _links()[half::2]
    style = draw.choice(["prose", "prose", "list", "markdown"])
    at = draw.randrange(max(1, len(lines) - 60))
    parts: list[str] = []
    while sum(map(len, parts)) < length and at < len(lines):
        line = lines[at]
        if style == "list":
            line = f"{' '.join(line.split()[: draw.randint(1, 6)]).rstrip('.,')}: {draw.choice(links)}"
        elif draw.random() < 0.5:
            words = line.split()
            spot = draw.randrange(len(words))
            form = "[{}]({})" if style == "markdown" else "{} ({})"
            words[spot] = form.format(words[spot], draw.choice(links))
            line = " ".join(words)
        parts.append(line)
        at += 1
    return clip(("\n" if style == "list" else " ").join(parts), max(length, 60))


_DISPLAYS = ("\\[ {} \\]", "$${}$$", "\\begin{{equation}}\n{}\n\\end{{equation}}", "${}$")


def formulas(draw: random.Random, half: int, length: int) -> str:
    """LaTeX written by SymPy for expressions drawn at random, in environments, some with prose between."""
    parts: list[str] = []
    every = latex_pool(half)
    while sum(map(len, parts)) < length:
        one = draw.choice(every)
        parts.append(draw.choice(_DISPLAYS).format(one))
        if draw.random() < 0.35:
            parts.append(draw.choice(sentences(half))[:120])
    return clip("\n".join(parts), max(length, 50))


@cache
def latex_pool(half: int) -> tuple[str, ...]:
    """Formulas in LaTeX: derivatives, integrals, sums, roots and fractions of small expressions."""
    import sympy  # type: ignore[import-untyped]

    draw = stream("latex", half)
    names = (
        sympy.symbols("a b c h k m n p q x y z alpha beta lambda omega theta")
        if half
        else sympy.symbols("r s t u v w x y z mu nu xi rho sigma tau phi psi")
    )

    def expression(depth: int) -> sympy.Expr:
        if depth == 0 or draw.random() < 0.15:
            return draw.choice([*names, sympy.Integer(draw.randint(1, 9))])
        one, two = expression(depth - 1), expression(depth - 1)
        name = draw.choice(names)
        forms = (
            lambda: one + two, lambda: one * two, lambda: one / two, lambda: one**2 - two, lambda: sympy.sqrt(one),
            lambda: sympy.sin(one), lambda: sympy.exp(-one), lambda: sympy.log(one),
            lambda: sympy.Derivative(one + name, name), lambda: sympy.Integral(one, (name, 0, two)),
            lambda: sympy.Sum(one, (name, 1, sympy.oo)),
        )  # fmt: skip
        # Unevaluated: a drawn sum may diverge, and is a formula all the same.
        with sympy.evaluate(False):
            return draw.choice(forms)()

    found: set[str] = set()
    while len(found) < 120:
        left, right = expression(1), expression(draw.randint(2, 3))
        relation = draw.choice(["=", "=", "<", "\\leq", "\\approx"])
        text = f"{sympy.latex(left)} {relation} {sympy.latex(right)}"
        if 20 < len(text) < 300 and "zoo" not in text and "nan" not in text:
            found.add(text)
    return tuple(sorted(found))
