"""A model's chat template: rendering, refusals, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from curator._errors import InputError

Turn = dict[str, Any]
# Some templates write today's date. A set must not change overnight, so that they all read this one.
_TODAY = datetime(2024, 7, 26, tzinfo=UTC)
_PROBES: tuple[tuple[str, ...], ...] = (("user", "assistant", "user"), ("user", "assistant"), ("user",))
# Letters only: a template may trim, fold or quote it and it is still found.
_MARK = "zqzmarkzqz"


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
            {**turn, "reasoning_content": f"{_MARK}{number}z"} if turn.get("reasoning_content") else turn
            for number, turn in enumerate(turns)
        ]
        text = self.render(marked, tools)
        return {number for number in range(len(turns)) if f"{_MARK}{number}z" in text}

    @cached_property
    def has_reasoning(self) -> bool:
        """Whether the template has a place for reasoning, at least for the last answer of a conversation."""
        turns = [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b", "reasoning_content": _MARK},
        ]
        try:
            return _MARK in self.render(turns)
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

    def writes_start(self, start: Sequence[int], encode: Callable[[str], list[int]]) -> bool:
        """Whether the template itself begins a conversation with the start token.

        A model may call the marker of every turn its start token (``<|im_start|>``): that is part of the turn,
        and not meant here.

        Args:
            start: ids of the start; not empty.
            encode: from rendered text to ids.
        """
        for roles in _PROBES:
            turns = [{"role": role, "content": "a"} for role in roles]
            try:
                marked, ids = self.render(turns, bos_token=_MARK), encode(self.render(turns))
            except TemplateRefusal:
                continue
            # Some templates write the start by its name, others as text.
            if marked.lstrip().startswith(_MARK):
                times = marked.count(_MARK)
            elif ids[: len(start)] == list(start):
                times = ids.count(start[-1])
            else:
                return False
            return times < max(len(turns), 2)
        return False

    def _same(self, text: str, turns: Sequence[Turn], tools: Sequence[Turn], answer_next: bool) -> bool:
        try:
            return self.render(turns, tools, answer_next=answer_next) == text
        except TemplateRefusal:
            return False

    def _check_syntax(self) -> None:
        try:
            self.render([{"role": "user", "content": "a"}])
        except TemplateRefusal:
            # It refuses this conversation; what matters here is that it was read.
            return


def first_line(error: Exception) -> str:
    """The first line of an error's text, or its name when it has none."""
    return str(error).strip().split("\n", 1)[0][:200] or type(error).__name__


def _read(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}; save the chat template as UTF-8") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); name a Jinja file") from error
    if not text.strip():
        raise InputError(f"{file}: the chat template is empty")
    return text
