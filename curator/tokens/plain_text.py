"""Encoding text in which control tokens can only come from where they were put on purpose."""

from __future__ import annotations

import copy
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from curator.tokens.control_tokens import ControlTokens

# Text, and ids of control tokens between it.
Parts = Sequence[str | int]
Span = tuple[int, int, int]


class PlainText(Protocol):
    """A tokenizer that knows no control token by its written form."""

    def ids(self, parts: Parts) -> list[int]:
        """Token ids: text gives no control token whatever it says, numbers stand for themselves."""

    def spans(self, text: str) -> list[Span]:
        """Where the unchanged tokenizer would see control tokens: start, end and id, in the order of the text."""


def pieces(text: str, spans: Sequence[Span]) -> Parts:
    """What ``text`` is made of: control tokens at ``spans`` by id, all else as text."""
    found: list[str | int] = []
    begin = 0
    for start, end, token in spans:
        found += [text[begin:start], token]
        begin = end
    return [*found, text[begin:]]


def plain_text(inner: Any, control: ControlTokens) -> PlainText:
    """The way that fits a transformers tokenizer: renaming where it has a Rust part, else cutting."""
    if getattr(inner, "is_fast", False):
        backend = _renamed(inner.backend_tokenizer, control.texts, names := _names(control))
        if backend is not None:
            return Renamed(inner, backend, names, control)
    return Cut(inner, control)


class Renamed:
    """A second copy of the tokenizer, in which every control token has a name that no text holds.

    All else is as in the original: what is no control token is split, normalised and merged by the same rules in
    one pass, so that the text around a control token gets the ids it always gets.

    Args:
        inner: a transformers tokenizer with a Rust part; it is not changed.
        backend: the copy of that part.
        names: of control tokens in the copy, by id.
        control: the control tokens.
    """

    def __init__(self, inner: Any, backend: Any, names: dict[int, str], control: ControlTokens) -> None:
        self._names = names
        self._control = control
        self._inner = inner
        self._copy = copy.copy(inner)
        self._copy._tokenizer = backend

    def ids(self, parts: Parts) -> list[int]:
        """See `PlainText.ids`."""
        text = "".join(part if isinstance(part, str) else self._names[part] for part in parts)
        ids: list[int] = self._copy(text, add_special_tokens=False)["input_ids"]
        return ids

    def spans(self, text: str) -> list[Span]:
        """See `PlainText.spans`."""
        encoded = self._inner(text, add_special_tokens=False, return_offsets_mapping=True)
        found = []
        for token, (start, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True):
            written = self._control.texts.get(token)
            if written is None:
                continue
            # The white space that some tokens take in at their sides is text; the copy takes it in again.
            at = text.find(written, start, end)
            if at >= 0:
                found.append((at, at + len(written), token))
            elif token != self._inner.unk_token_id:
                # Written in another way, which normalising turned into the token.
                found.append((start, end, token))
        return found


class Cut:
    """For tokenizers without a Rust part: a control token's text is encoded in two halves."""

    def __init__(self, inner: Any, control: ControlTokens) -> None:
        self._inner = inner
        self._control = control

    def ids(self, parts: Parts) -> list[int]:
        """See `PlainText.ids`."""
        found: list[int] = []
        for part in parts:
            if isinstance(part, int):
                found.append(part)
                continue
            for piece in _halves(part, self._control.pattern):
                found += self._inner(piece, add_special_tokens=False)["input_ids"]
        return found

    def spans(self, text: str) -> list[Span]:
        """See `PlainText.spans`."""
        pattern = self._control.pattern
        ids = {written: token for token, written in self._control.texts.items()}
        return [(m.start(), m.end(), ids[m.group()]) for m in pattern.finditer(text)] if pattern else []


def _halves(text: str, pattern: re.Pattern[str] | None) -> Iterator[str]:
    begin = 0
    while pattern is not None and (match := pattern.search(text, begin)):
        # Looked for again from the cut on: the second half may hold a shorter one.
        yield text[begin : match.start() + 1]
        begin = match.start() + 1
    if begin < len(text):
        yield text[begin:]


def _names(control: ControlTokens) -> dict[int, str]:
    # Small letters and digits pass every normaliser, and the brackets end a word as those of most control tokens
    # do. Drawn anew, so that no document can know it.
    nonce = secrets.token_hex(8)
    return {token: f"<control{nonce}n{token}>" for token in control.texts}


def _renamed(backend: Any, texts: dict[int, str], names: dict[int, str]) -> Any | None:
    """A copy of a tokenizer's Rust part with control tokens renamed; ``None`` where there can be none."""
    new_names = {texts[token]: names[token] for token in texts}
    try:
        content = json.loads(backend.to_str())
        content["truncation"] = content["padding"] = None
        # Puts special tokens around a text by their names; never wanted here.
        content["post_processor"] = None
        for added in content["added_tokens"]:
            if added["content"] in new_names:
                # Where a single word begins and ends was settled when the original found it.
                added |= {"content": new_names[added["content"]], "single_word": False}
        _rename_model(content["model"], new_names)
        made = type(backend).from_str(json.dumps(content))
    # Parts written in Python cannot be copied; the Rust part has only bare exceptions to say so.
    except Exception:  # noqa: BLE001
        return None
    same = (
        made.token_to_id(new_names.get(added.content, added.content)) == token
        for token, added in backend.get_added_tokens_decoder().items()
    )
    return made if all(same) else None


def _rename_model(model: dict[str, Any], names: dict[str, str]) -> None:
    """Rename entries of the vocabulary, which some models find in text without any added token."""
    vocabulary = model["vocab"]
    if isinstance(vocabulary, dict):
        model["vocab"] = {names.get(token, token): place for token, place in vocabulary.items()}
    else:
        model["vocab"] = [[names.get(token, token), score] for token, score in vocabulary]
    if model.get("unk_token") in names:
        model["unk_token"] = names[model["unk_token"]]
    if model.get("merges"):
        model["merges"] = [merge for merge in model["merges"] if not _touches(merge, names)]


def _touches(merge: str | list[str], names: dict[str, str]) -> bool:
    left, right = merge.split(" ", 1) if isinstance(merge, str) else merge
    return left in names or right in names or left + right in names
