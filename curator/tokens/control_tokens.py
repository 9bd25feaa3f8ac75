"""Which of a tokenizer's tokens steer the model, so that no document's text may ever become one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# `<think>`, `[INST]`, `<|im_end|>`, `◁think▷`: one bracketed name, whether its tokenizer calls it special or not.
_BRACKETED = re.compile(r"[<\[◁⟦【]\S*\w\S*[>\]▷⟧】]")
# Tokenizers that add whole HTML tags do so for text: a page's `<table>` is no command. Nor is a byte, `<0x0A>`.
_HTML = (
    "a abbr b blockquote body br caption center code col colgroup dd del div dl dt em figcaption figure font "
    "footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins li link main meta nav ol p pre q "
    "script section small span strike strong style sub sup table tbody td tfoot th thead title tr tt u ul"
)
_TAGS = frozenset(_HTML.split())
_TAG = re.compile(r"</?(\w+)/?>")
_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")


@dataclass(frozen=True, slots=True)
class ControlTokens:
    """The control tokens of one tokenizer.

    Attributes:
        texts: how each is written, by id.
        normalised: whether some are looked for in normalised text, where other spellings match too.
        pattern: finds them as they are written, the longest first; ``None`` when there are none.
    """

    texts: dict[int, str]
    normalised: bool
    pattern: re.Pattern[str] | None

    def id_of(self, text: str) -> int | None:
        """The id of a control token, or ``None`` when the text is none."""
        return next((token for token, written in self.texts.items() if written == text), None)


def control_tokens(inner: Any) -> ControlTokens:
    """The special tokens of a transformers tokenizer, and the added ones that look like them.

    A special token that is nothing but white space is left out: it is met all over ordinary text.
    """
    special = set(inner.all_special_ids)
    texts: dict[int, str] = {}
    normalised = False
    for token, added in inner.added_tokens_decoder.items():
        written = str(added.content)
        if written.strip() and (added.special or token in special or is_control_like(written)):
            texts[token] = written
            normalised = normalised or bool(added.normalized)
    longest_first = sorted(texts.values(), key=lambda text: (-len(text), text))
    pattern = re.compile("|".join(map(re.escape, longest_first))) if texts else None
    return ControlTokens(texts, normalised, pattern)


def is_control_like(text: str) -> bool:
    """Whether an added token that its tokenizer does not call special is one for the model all the same."""
    if not _BRACKETED.fullmatch(text) or _BYTE.fullmatch(text):
        return False
    tag = _TAG.fullmatch(text)
    return tag is None or tag[1].lower() not in _TAGS
