"""Whether the file of a chat template is Jinja, before a model is there to use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

# The longest that ship with models have some ten thousand.
_MAX_BYTES = 2**20


class _Generation(Extension):
    """The tag that some templates put round what the assistant says."""

    tags = {"generation"}  # noqa: RUF012 - as the base class has it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """What is inside of the tag."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def template_problem(file: Path) -> str:
    """Why a file can be no chat template, with file and line; empty when it can.

    It is translated, as for use, but not run.
    """
    if file.exists() and not file.is_dir() and not file.is_file():
        return f"{file}: a device or pipe, no file; name a Jinja file"
    try:
        if file.stat().st_size > _MAX_BYTES:
            return f"{file}: more than {_MAX_BYTES:,} bytes, too large for a chat template"
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        return f"{file}: not UTF-8 at byte {error.start}; save the chat template as UTF-8"
    except OSError as error:
        return f"{file}: cannot be read ({error.strerror}); name a Jinja file"
    if not text.strip():
        return f"{file}: the chat template is empty"
    # Constant expressions are left alone: working them out could take any time and memory.
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, optimized=False, extensions=["jinja2.ext.loopcontrols", _Generation]
    )
    try:
        tree = environment.parse(text)
        environment.compile(tree)
    except TemplateSyntaxError as error:
        return f"{file}:{error.lineno}: {(error.message or 'no Jinja').strip().rstrip('.')}; mend the template"
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # Jinja's output is Python, whose own limits (nested blocks, digits of a number) are found late.
        return f"{file}: cannot be translated ({str(error).partition(chr(10))[0][:200]}); mend the template"
    return next((f"{file}:{line}: {what}; mend the template" for line, what in _unknown(tree, environment)), "")


def _unknown(tree: nodes.Template, environment: Environment) -> Iterator[tuple[int, str]]:
    """Filters and tests that do not exist; Jinja finds those inside of an ``if`` only when it comes by."""
    named = [("filter", node, environment.filters) for node in tree.find_all(nodes.Filter)]
    tests = [("test", node, environment.tests) for node in tree.find_all(nodes.Test)]
    # A template that asks which of them there are knows what it does.
    if any(node.name in ("filter", "test") for _, node, _ in tests):
        return
    for what, node, known in (*named, *tests):
        if what == "filter" and node.name == "random":
            yield node.lineno, "the filter 'random' draws by chance, and a set is the same every time"
        if node.name not in known:
            yield node.lineno, f"No {what} named {node.name!r}"
