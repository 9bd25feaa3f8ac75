"""What a chat template does with the start token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from curator.tokens.chat_template import MARK, ChatTemplate, TemplateRefusal

# Some templates refuse, or write a start for, some of these only. Each has its longer form right behind it.
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
        template: it may refuse any of the probes.
        start: ids of the start; not empty.
        encode: from rendered text to ids.
    """
    seen: dict[int, list[tuple[bool, int]]] = {}
    for roles in _PROBES:
        found = _starts(template, roles, start, encode)
        if found is not None:
            seen.setdefault(len(roles), []).append(found)
    if not seen:
        return TemplateStart()
    # One turn alone does not tell a marker from a start.
    marks_turns = any(len(times) for turns, times in seen.items() if turns > 1) and all(
        count >= turns for turns, times in seen.items() if turns > 1 for _, count in times
    )
    begins = any(head for times in seen.values() for head, _ in times)
    counts = [count for times in seen.values() for _, count in times]
    return TemplateStart(begins and not marks_turns, marks_turns, not marks_turns and max(counts) > 1)


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
