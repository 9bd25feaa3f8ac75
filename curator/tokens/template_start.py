"""What a chat template does with the start token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from curator.tokens.chat_template import MARK, ChatTemplate, TemplateRefusal

# Some templates refuse, or write a start for, some of these only. Longer forms show whether its number grows.
_PROBES: tuple[tuple[str, ...], ...] = (
    ("user", "assistant"),
    ("user", "assistant", "user", "assistant"),
    ("user", "assistant", "user"),
    ("user", "assistant", "user", "assistant", "user"),
    ("user",),
    ("system", "user", "assistant"),
    ("system", "user", "assistant", "user", "assistant"),
    ("system", "user"),
)


@dataclass(frozen=True, slots=True)
class TemplateStart:
    """How a template uses the start token, seen from a few conversations.

    Attributes:
        begins: it begins conversations, or some of them, with it.
        marks_turns: the token is the marker of every turn (``<|im_start|>``), and so no start at all.
        in_turns: it stands before later turns too, such as before every question.
    """

    begins: bool = False
    marks_turns: bool = False
    in_turns: bool = False


def template_start(
    template: ChatTemplate, start: Sequence[int], encode: Callable[[str], list[int]]
) -> TemplateStart:
    """Probe a template.

    Args:
        template: it may refuse any of the probes; of one that refuses all, nothing but the head is judged.
        start: ids of the start; not empty.
        encode: from rendered text to ids.
    """
    seen = {roles: found for roles in _PROBES if (found := _starts(template, roles, start, encode)) is not None}
    if not seen:
        return TemplateStart(in_turns=True)
    # One turn alone does not tell a marker from a start.
    several = [count >= len(roles) for roles, (_, count) in seen.items() if len(roles) > 1]
    if several and all(several):
        return TemplateStart(marks_turns=True)
    in_turns = any(
        more > count and longer[: len(roles)] == roles
        for roles, (_, count) in seen.items()
        for longer, (_, more) in seen.items()
    )
    return TemplateStart(any(head for head, _ in seen.values()), in_turns=in_turns)


def _starts(
    template: ChatTemplate, roles: Sequence[str], start: Sequence[int], encode: Callable[[str], list[int]]
) -> tuple[bool, int] | None:
    """Whether a conversation begins with the start, and how many it has; ``None`` when it is refused."""
    turns = [{"role": role, "content": "a"} for role in roles]
    try:
        marked = template.render(turns, bos_token=MARK)
        if MARK in marked:
            # Told by its name: an end token may be the same one.
            return marked.lstrip().startswith(MARK), marked.count(MARK)
        text = template.render(turns)
    except TemplateRefusal:
        return None
    ids = encode(text.lstrip())
    return ids[: len(start)] == list(start) or ids[:1] == list(start[:1]), ids.count(start[0])
