"""From a document to token ids, with one start of sequence wherever the policy says and nowhere else."""

from __future__ import annotations

from curator._errors import InputError
from curator.corpora.document import Document, Message
from curator.recipe.schema import Tokens
from curator.tokens.encoded import Encoded
from curator.tokens.tokenizer import Tokenizer


class Encoder:
    """Encodes the documents of a recipe.

    The *start* is what the tokenizer itself puts before a text, or its BOS token when it puts nothing. A
    conversation's own start, if the template writes one, is taken off and the policy decides; so plain text and
    conversations are treated alike. Starts inside of a conversation stay where a template means them, before its
    later turns, save under ``never``. A marker of every turn that the tokenizer calls its start is left alone.

    Args:
        tokenizer: of the model to be quantised, with the template in use.
        policy: the recipe's ``tokens``.

    Attributes:
        prefix: ids before every sequence.

    Raises:
        InputError: the policy asks for a start token and the tokenizer has none.
    """

    def __init__(self, tokenizer: Tokenizer, policy: Tokens) -> None:
        self._tokenizer = tokenizer
        self._policy = policy
        marked = tokenizer.sequence_start()
        self._start = marked or ([] if tokenizer.bos_id is None else [tokenizer.bos_id])
        # A template may write the BOS token alone where the tokenizer puts more.
        bos = [] if tokenizer.bos_id is None else [[tokenizer.bos_id]]
        self._starts = [start for start in ([self._start] if self._start else []) + bos if start]
        self._template = tokenizer.template_start(self._start)
        if policy.bos in ("sequence", "document") and not self._start:
            raise InputError(f"tokens.bos: {policy.bos}, but the tokenizer has no start token; use auto or never")
        automatic = policy.bos == "auto" and bool(marked or self._template.begins)
        self.prefix: list[int] = self._start if automatic or policy.bos == "sequence" else []
        self._before: list[int] = self._start if policy.bos == "document" else []
        self._separator = [tokenizer.eos_id] if policy.separator == "eos" and tokenizer.eos_id is not None else []
        self._automatic = automatic
        self._marked = bool(marked)
        # Conversations that came with a start and without one.
        self._begun = self._bare = False

    def encode(self, document: Document, text: str) -> Encoded:
        """Token ids of a document, or of ``text``, the piece of it that is taken.

        Plain text is followed by the separator; a conversation is as the template writes it. Text that gives no
        token gives no separator either.

        Raises:
            InputError: a conversation, and the model has no chat template.
            TemplateRefusal: the template does not take the conversation.
        """
        if document.messages is None:
            encoded = self._tokenizer.encode_text(text)
            ids = encoded.ids + self._separator if encoded.ids else []
        else:
            encoded = self._tokenizer.encode_conversation(
                document.messages, tools=document.tools, reasoning=self._policy.reasoning
            )
            ids = self._settled(encoded.ids)
        # A turn's marker that is the start token too begins the document already.
        begun = ids[: len(self._start)] == self._start
        return Encoded(ids if begun or not ids else [*self._before, *ids], encoded.notes)

    def count(self, content: str | tuple[Message, ...]) -> int:
        """Tokens of a text, or of a whole conversation, as the set has it."""
        text, messages = (content, None) if isinstance(content, str) else ("", content)
        return len(self.encode(Document("", "", "", "", "", "", text, messages), text).ids)

    @property
    def notes(self) -> list[str]:
        """What the user should know about starts and separators after all that was encoded, in words."""
        found = []
        if self._policy.separator == "eos" and not self._separator:
            found.append("the tokenizer has no end-of-sequence token: nothing stands between documents")
        name = self._tokenizer.control_texts.get(self._start[0], "a start token") if self._start else ""
        if self._automatic and not self._marked:
            some = " for some conversations" if self._bare else ""
            found.append(
                f"the chat template writes {name}{some} and the tokenizer does not: every sequence has it"
            )
        elif self._automatic and self._bare:
            some = " for some conversations" if self._begun else ""
            found.append(
                f"the tokenizer writes {name} and the chat template does not{some}: every sequence has it"
            )
        return found

    def _settled(self, ids: list[int]) -> list[int]:
        """A conversation's ids with no start but those that the policy leaves to the template."""
        if not self._start or self._template.marks_turns:
            self._bare = True
            return ids
        rest = self._behind_start(ids)
        begun = len(rest) < len(ids)
        self._begun, self._bare = self._begun or begun, self._bare or not begun
        keeps = self._template.in_turns and self._policy.bos != "never"
        # With the end token for a start, the others are ends.
        if not keeps and self._tokenizer.eos_id not in self._start:
            rest = _without(rest, self._starts)
        # Nobody was known to write one, and this conversation has it.
        if begun and self._policy.bos == "auto" and not self.prefix:
            return [*self._start, *rest]
        return rest

    def _behind_start(self, ids: list[int]) -> list[int]:
        """What follows the starts at the head, however many, and the white space before them."""
        at = 0
        while at < len(ids):
            for start in self._starts:
                if ids[at : at + len(start)] == start:
                    return self._behind_start(ids[at + len(start) :])
            if self._tokenizer.decode([ids[at]]).strip():
                break
            at += 1
        return ids


def _without(ids: list[int], sequences: list[list[int]]) -> list[int]:
    if not any(sequence[0] in ids for sequence in sequences):
        return ids
    found: list[int] = []
    at = 0
    while at < len(ids):
        here = next((sequence for sequence in sequences if ids[at : at + len(sequence)] == sequence), None)
        if here is None:
            found.append(ids[at])
        at += 1 if here is None else len(here)
    return found
