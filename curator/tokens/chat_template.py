"""A model's chat template: rendering, refusals, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Any

from curator._errors import InputError, first_line

Turn = dict[str, Any]
# Some templates write today's date. A set must not change overnight, so that they all read this one.
_TODAY = datetime(2024, 7, 26, tzinfo=UTC)
# Templates are written by hand; the longest in use have some tens of kilobytes.
_MOST_BYTES = 2**20
# Letters only: a template may trim, fold or quote it and it is still found.
MARK = "zqzmarkzqz"


class TemplateRefusal(InputError):
    """The chat template does not take this conversation; another it may."""


class ChatTemplate:
    """The template in use.

    Args:
        inner: a transformers tokenizer; with ``file``, its template is replaced.
        file: a Jinja file in place of the model's own template.

    Raises:
        InputError: the file cannot be read, or is no Jinja; with ``file:line``.
    """

    def __init__(self, inner: Any, file: Path | None) -> None:
        self._inner = inner
        self._where = f"{file}" if file else "the model's chat template"
        if file is not None:
            inner.chat_template = _read(file)
            self._check_syntax()

    def __bool__(self) -> bool:
        """Whether there is a template at all."""
        return bool(self._inner.chat_template)

    def render(
        self, turns: Sequence[Turn], tools: Sequence[Turn] = (), *, answer_next: bool = False, **more: str
    ) -> str:
        """The conversation as the template writes it.

        Args:
            turns: messages as JSON objects.
            tools: function schemas; none is told apart from an empty list by templates, so that none is passed.
            answer_next: end with the opening of the assistant's turn.
            more: values for the template's variables, such as ``bos_token``.

        Raises:
            InputError: no template, or it is no Jinja.
            TemplateRefusal: with the template's own words.
        """
        from jinja2 import TemplateSyntaxError

        if not self:
            raise InputError(
                "the model has no chat template; give one (tokens.template: FILE) or use plain-text sources"
            )
        self._refuse_chance()
        try:
            text: str = self._inner.apply_chat_template(
                list(turns),
                tools=list(tools) or None,
                tokenize=False,
                return_dict=False,
                add_generation_prompt=answer_next,
                strftime_now=_TODAY.strftime,
                **more,
            )
        except TemplateSyntaxError as error:
            raise InputError(f"{self._where}:{error.lineno}: {first_line(error)}; mend the template") from error
        except MemoryError:
            raise
        # A template is a program of somebody else's: besides its own refusals it can fail in any way on a row.
        except Exception as error:
            raise TemplateRefusal(f"the chat template refuses a conversation: {first_line(error)}") from error
        return text

    def keeps_reasoning(self, turns: Sequence[Turn], tools: Sequence[Turn]) -> set[int]:
        """The turns whose ``reasoning_content`` is in what the template writes."""
        marked = [
            {**turn, "reasoning_content": f"{MARK}{number}z"} if turn.get("reasoning_content") else turn
            for number, turn in enumerate(turns)
        ]
        text = self.render(marked, tools)
        return {number for number in range(len(turns)) if f"{MARK}{number}z" in text}

    @cached_property
    def has_reasoning(self) -> bool:
        """Whether the template has a place for reasoning, at least for the last answer of a conversation."""
        turns = [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b", "reasoning_content": MARK},
        ]
        try:
            return MARK in self.render(turns)
        except TemplateRefusal:
            return False

    def ignores_tools(
        self, turns: Sequence[Turn], tools: Sequence[Turn], text: str, *, answer_next: bool = False
    ) -> bool:
        """Whether the tools, or the calls of a turn, change nothing in ``text``, the rendered conversation."""
        calls = [turn for turn in turns if turn.get("tool_calls")]
        without_calls = [{key: value for key, value in turn.items() if key != "tool_calls"} for turn in turns]
        return (bool(tools) and self._same(text, turns, (), answer_next)) or (
            bool(calls) and self._same(text, without_calls, tools, answer_next)
        )

    def _same(self, text: str, turns: Sequence[Turn], tools: Sequence[Turn], answer_next: bool) -> bool:
        try:
            return self.render(turns, tools, answer_next=answer_next) == text
        except TemplateRefusal:
            return False

    def _refuse_chance(self) -> None:
        for source in _sources(self._inner.chat_template):
            line = _chance(source)
            if line:
                raise InputError(
                    f"{self._where}:{line}: draws by chance (random, lipsum): every build would have other "
                    "ids; mend the template"
                )

    def _check_syntax(self) -> None:
        try:
            self.render([{"role": "user", "content": "a"}])
        except TemplateRefusal:
            # It refuses this conversation; what matters here is that it was read.
            return


def _sources(template: Any) -> Iterable[str]:
    """A tokenizer's templates: one, several by name, or none."""
    return template.values() if isinstance(template, dict) else [template] if template else []


@lru_cache(maxsize=8)
def _chance(source: str) -> int:
    """The line on which a template draws lots, as its author wrote it; 0 for none."""
    from jinja2 import TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    try:
        lexed = list(ImmutableSandboxedEnvironment().lex(source))
    except TemplateSyntaxError:
        # Told when it is rendered, with its line.
        return 0
    before: tuple[str, ...] = ("", "")
    for line, kind, value in lexed:
        if kind in ("whitespace", "comment"):
            continue
        named = kind == "name" and (
            (value == "random" and before[1] in ("|", "filter")) or (value == "lipsum" and before[1] != ".")
        )
        mapped = kind == "string" and value[1:-1] == "random" and before == ("map", "(")
        if named or mapped:
            return line
        before = (before[1], value)
    return 0


def _read(file: Path) -> str:
    try:
        # A pipe or a device may give bytes for ever, or none.
        about = file.stat()
        if S_ISREG(about.st_mode) and about.st_size > _MOST_BYTES:
            raise InputError(f"{file}: {about.st_size:,} bytes, more than a chat template may have (1 MB)")
        if not S_ISREG(about.st_mode) and not file.is_dir():
            raise InputError(f"{file}: is no file but a device or pipe; name a Jinja file")
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}; save the chat template as UTF-8") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); name a Jinja file") from error
    if not text.strip():
        raise InputError(f"{file}: the chat template is empty")
    return text
