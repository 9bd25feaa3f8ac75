"""From a document to token ids, with one start of sequence wherever the policy says and nowhere else."""

from __future__ import annotations

from curator._errors import InputError
from curator.corpora.document import Document
from curator.recipe.schema import Tokens
from curator.tokens.encoded import Encoded
from curator.tokens.tokenizer import Tokenizer


class Encoder:
    """Encodes the documents of a recipe.

    The *start* is what the tokenizer itself puts before a text, or its BOS token when it puts nothing. A
    conversation's own start, if the template writes one, is taken off and the policy decides; so plain text and
    conversations are treated alike.

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
        self._template_starts = tokenizer.template_writes(self._start)
        if policy.bos in ("sequence", "document") and not self._start:
            raise InputError(f"tokens.bos: {policy.bos}, but the tokenizer has no start token; use auto or never")
        automatic = policy.bos == "auto" and bool(marked or self._template_starts)
        self.prefix: list[int] = self._start if automatic or policy.bos == "sequence" else []
        self._before: list[int] = self._start if policy.bos == "document" else []
        self._separator = [tokenizer.eos_id] if policy.separator == "eos" and tokenizer.eos_id is not None else []
        self._automatic = automatic
        self._marked = bool(marked)
        self._conversations = False

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
            self._conversations = True
            encoded = self._tokenizer.encode_conversation(
                document.messages, tools=document.tools, reasoning=self._policy.reasoning
            )
            ids = self._without_start(encoded.ids)
        return Encoded([*self._before, *ids] if ids else [], encoded.notes)

    @property
    def notes(self) -> list[str]:
        """What the user should know about starts and separators after all that was encoded, in words."""
        found = []
        if self._policy.separator == "eos" and not self._separator:
            found.append("the tokenizer has no end-of-sequence token: nothing stands between documents")
        name = self._tokenizer.control_texts.get(self._start[0], "a start token") if self._start else ""
        if self._automatic and not self._marked:
            found.append(f"the chat template writes {name} and the tokenizer does not: every sequence has it")
        if self._automatic and self._conversations and not self._template_starts:
            found.append(f"the tokenizer writes {name} and the chat template does not: every sequence has it")
        return found

    def _without_start(self, ids: list[int]) -> list[int]:
        length = len(self._start)
        return ids[length:] if self._template_starts and ids[:length] == self._start else ids
