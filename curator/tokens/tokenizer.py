"""One tokenizer, used the same way for calibration sets and for held-out prompts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from curator.corpora.document import Message
from curator.corpora.readers.plain_text import without_surrogates
from curator.models.load import no_tokenizer
from curator.tokens.chat_template import ChatTemplate, TemplateRefusal, Turn
from curator.tokens.control_tokens import control_tokens
from curator.tokens.encoded import CONTROL_TEXT_KEPT, REASONING_DROPPED, TOOLS_IGNORED, Encoded
from curator.tokens.fingerprint import content_sha256, identity
from curator.tokens.marks import Marks, signs_of
from curator.tokens.parts import PART, parts
from curator.tokens.plain_text import Parts, PlainText, Span, pieces, plain_text
from curator.tokens.stand_ins import StandIns
from curator.tokens.template_start import TemplateStart, template_start

Reasoning = Literal["keep", "inline", "strip"]


class Tokenizer:
    """A model's tokenizer: ids without special tokens added, and a chat template.

    No text of a document becomes a control token: ``<|im_end|>`` in prose or in a message is encoded as the
    characters that it is. Nothing is ever added to the vocabulary, and no padding token is needed.

    Args:
        folder: the model's folder.
        template: a Jinja file in place of the model's own chat template.

    Attributes:
        fingerprint: SHA-256 of everything that decides token ids, the chat template in use included. Equal
            fingerprints mean comparable ids.
        ids_fingerprint: the same without the template: equal ones mean that an id is the same token.
        size: number of ids.
        bos_id: start-of-sequence id, or ``None``.
        eos_id: end-of-sequence id, or ``None``.
        control_texts: how each control token is written, by id.

    Raises:
        InputError: the folder holds no usable tokenizer, or the template is none; with ``file:line``.
    """

    def __init__(self, folder: Path, template: Path | None = None) -> None:
        from transformers import AutoTokenizer

        try:
            self._inner: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            # Long documents are cut by us, and counted; the warning about long input would be noise.
            self._inner.model_max_length = int(1e30)
            self.size: int = len(self._inner)
            self.bos_id: int | None = self._inner.bos_token_id
            self.eos_id: int | None = self._inner.eos_token_id
            self._control = control_tokens(self._inner)
            self._control_ids = frozenset(self._control.texts)
            self._signs = signs_of(self._control.texts.values())
            # Before a template of the user's is looked at: what fails here is the model's fault.
            decides = identity(self._inner, self._raw)
        # Damaged files raise anything here: the Rust part has only bare exceptions.
        except Exception as error:
            raise no_tokenizer(folder, error) from error
        self.template = ChatTemplate(self._inner, template)
        self.fingerprint: str = content_sha256([*decides, self._inner.chat_template or ""])
        self.ids_fingerprint: str = content_sha256(decides)
        self.control_texts: dict[int, str] = dict(self._control.texts)

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text; nothing is added."""
        return self.encode_text(text).ids

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each of some plain texts, as `encode_text` gives them; at less cost than one by one.

        The longest ones are counted in parts (see ``tokens.parts``), which bounds the memory that they take.
        """
        sound = [without_surrogates(text) for text in texts]
        if any(len(text) > 2 * PART for text in sound):
            return [sum(self._counted([part])[0] for part in parts(text, self._raw)) for text in sound]
        return self._counted(sound)

    def _counted(self, sound: Sequence[str]) -> list[int]:
        # Libraries take no empty batch.
        found: list[list[int]] = self._inner(sound, add_special_tokens=False)["input_ids"] if sound else []
        return [
            len(ids if self._control_ids.isdisjoint(ids) else self._plain.ids([text]))
            for ids, text in zip(found, sound, strict=True)
        ]

    def encode_text(self, text: str) -> Encoded:
        """Token ids of plain text, and whether it held the text of a control token."""
        text = without_surrogates(text)
        ids = self._raw(text)
        if self._control_ids.isdisjoint(ids):
            return Encoded(ids)
        kept = self._plain.ids([text])
        return Encoded(kept, () if kept == ids else (CONTROL_TEXT_KEPT,))

    def encode_chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        reasoning: Reasoning = "keep",
        answer_next: bool = False,
    ) -> list[int]:
        """Token ids of a conversation; see `encode_conversation`."""
        return self.encode_conversation(messages, tools=tools, reasoning=reasoning, answer_next=answer_next).ids

    def encode_conversation(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[dict[str, Any]] = (),
        reasoning: Reasoning = "keep",
        answer_next: bool = False,
    ) -> Encoded:
        """Token ids of a conversation in the chat template, which brings its own control tokens.

        Args:
            messages: the turns.
            tools: function schemas that the conversation offers.
            reasoning: ``keep`` hands it to the template, and where that has no place for reasoning writes it into
                the answer, between think tags; ``inline`` so writes all that the template drops; ``strip`` leaves
                it out.
            answer_next: end with the opening of the assistant's turn.

        Raises:
            InputError: the model has no chat template.
            TemplateRefusal: the template refuses these turns; with the template's own words.
        """
        stand_ins = StandIns(self._spans)
        turns = [stand_ins.hide(_turn(message)) for message in messages]
        schemas = [stand_ins.hide(tool) for tool in tools]
        dropped = self._settle_reasoning(turns, schemas, reasoning, stand_ins)
        text = self.template.render(turns, schemas, answer_next=answer_next)
        ignored = self.template.ignores_tools(turns, schemas, text, answer_next=answer_next)
        parts = self._assembled(turns, schemas, text, answer_next)
        notes = {
            CONTROL_TEXT_KEPT: stand_ins.hidden or parts is not None,
            REASONING_DROPPED: dropped,
            TOOLS_IGNORED: ignored,
        }
        # Rendered first, then encoded with nothing added: a template that writes BOS gives one, not two.
        if parts is None and not stand_ins:
            ids = self._raw(text)
        else:
            ids = self._plain.ids(stand_ins.restore(parts or pieces(text, self._spans(text))))
        return Encoded(ids, tuple(note for note, holds in notes.items() if holds))

    def decode(self, ids: list[int]) -> str:
        """The text of ids, special tokens included."""
        text: str = self._inner.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def sequence_start(self) -> list[int]:
        """What the tokenizer itself puts before a text: ``[bos]`` for many models, ``[]`` for others."""
        plain = self._raw("a")
        marked: list[int] = self._inner("a", add_special_tokens=True)["input_ids"]
        return marked[: marked.index(plain[0])] if plain and plain[0] in marked else []

    def template_start(self, start: Sequence[int]) -> TemplateStart:
        """What the chat template, if there is one, does with these ids of a start."""
        if not start or not self.template:
            return TemplateStart()
        return template_start(self.template, start, self._raw)

    def ordinary_ids(self) -> list[int]:
        """All ids that are not special tokens, ascending."""
        special = set(self._inner.all_special_ids) | set(self._inner.added_tokens_decoder)
        return [token for token in range(self.size) if token not in special]

    @cached_property
    def _plain(self) -> PlainText:
        return plain_text(self._inner, self._control)

    def _raw(self, text: str) -> list[int]:
        """Ids as the tokenizer gives them, control tokens wherever their text stands."""
        ids: list[int] = self._inner(text, add_special_tokens=False)["input_ids"]
        return ids

    def _assembled(
        self, turns: Sequence[Turn], tools: Sequence[Turn], text: str, answer_next: bool
    ) -> Parts | None:
        """What ``text``, the conversation, is made of, when values of it came together as control tokens there.

        Raises:
            TemplateRefusal: the template takes no marks in the values, so that nothing can be told apart.
        """
        written = self._written(text)
        if not written:
            return None
        marks, marked = Marks(self._signs, text), ""
        for mark in (marks.whole, marks.signs):
            try:
                marked = self.template.render(mark(turns), mark(tools), answer_next=answer_next)
            except TemplateRefusal:
                if mark == marks.signs:
                    raise
                continue
            # Otherwise the template looks at values, and has written something else for this one.
            if marks.removed(marked) == text:
                break
        if self._written(marked) == written:
            return None
        parts = pieces(marked, self._spans(marked))
        return [marks.removed(part) if isinstance(part, str) else part for part in parts]

    def _written(self, text: str) -> list[str] | list[int]:
        """The control tokens in a text, in its order."""
        if self._control.normalised:
            return [token for _, _, token in self._spans(text)]
        return self._control.pattern.findall(text) if self._control.pattern else []

    def _spans(self, text: str) -> list[Span]:
        pattern = self._control.pattern
        if pattern is None or not (self._control.normalised or pattern.search(text)):
            return []
        return self._plain.spans(text)

    def _settle_reasoning(
        self, turns: list[Turn], tools: list[Turn], reasoning: Reasoning, stand_ins: StandIns
    ) -> bool:
        """Change ``turns`` as ``reasoning`` says; true when some of it will be dropped."""
        thinking = [number for number, turn in enumerate(turns) if turn.get("reasoning_content")]
        if not thinking:
            return False
        kept = set() if reasoning == "strip" else self.template.keeps_reasoning(turns, tools)
        lost = [turns[number] for number in thinking if number not in kept]
        # A template that knows reasoning drops that of earlier turns on purpose, as when the model is served.
        if reasoning == "keep" and self.template.has_reasoning:
            return bool(lost)
        for turn in lost:
            thought = turn.pop("reasoning_content")
            if reasoning != "strip":
                # Templates look for these tags in an answer to cut its reasoning out; so they must not see them.
                opened, closed = (
                    stand_ins.stand_in(tag if (token := self._control.id_of(tag)) is None else token)
                    for tag in ("<think>", "</think>")
                )
                turn["content"] = f"{opened}\n{thought}\n{closed}\n\n{turn['content']}"
        return False


def _turn(message: Message) -> Turn:
    """A message as chat templates expect it: calls in OpenAI's shape, their arguments as objects."""
    turn = message.as_row()
    if message.tool_calls:
        turn["tool_calls"] = [_call(call) for call in message.tool_calls]
    return turn


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function", call)
    if not isinstance(function, dict):
        function = call
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments)
        except ValueError:
            read = None
        # Text that is no JSON object is what the model wrote; it stays as it is.
        arguments = read if isinstance(read, dict) else arguments
    rest = {"id": call["id"]} if "id" in call else {}
    return {**rest, "type": "function", "function": {"name": function.get("name", ""), "arguments": arguments}}


__all__ = ["TemplateRefusal", "Tokenizer"]
