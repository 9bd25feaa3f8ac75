"""One held-out prompt."""

from __future__ import annotations

from dataclasses import dataclass

from curator.corpora.document import Message
from curator.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Prompt:
    """One held-out prompt.

    Attributes:
        id: the document's id and stretch.
        task: kind of prompt, the clusters of the primary number.
        corpus: source family.
        unit: package or module, or the side of a generator.
        language: BCP 47.
        licence: SPDX expression.
        text: a plain-text prompt; empty for a conversation.
        messages: a conversation that the model is to answer; empty for plain text.
        cell: the cell of an evaluation's profile that it stands for; empty for one that was not matched.
        gold: what a scorer looks for in an answer; empty when not told.
        output_tokens: the most tokens of its answer; ``None`` leaves it to who asks.
    """

    id: str
    task: str
    corpus: str
    unit: str
    language: str
    licence: str
    text: str
    messages: tuple[Message, ...] = ()
    cell: str = ""
    gold: tuple[str, ...] = ()
    output_tokens: int | None = None

    def encode(self, tokenizer: Tokenizer) -> list[int]:
        """Token ids: the text after the tokenizer's own start, or the templated turns with the answer opened."""
        if self.messages:
            return tokenizer.encode_chat(self.messages, answer_next=True)
        return [*tokenizer.sequence_start(), *tokenizer.encode(self.text)]

    def words(self) -> str:
        """The text that leakage is looked for in."""
        return self.text or "\n".join(message.content for message in self.messages)
