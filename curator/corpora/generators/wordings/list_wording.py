"""How a question about the words of a list is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.corpora.generators.wordings.listing import listed, numeral


@dataclass(frozen=True, slots=True)
class ListWording:
    """One way to put the task.

    Attributes:
        opening: stands before the words.
        question: stands after the words, with ``{many}``, such as "ten words".
        answer: the assistant's turn, with ``{words}``.
        item: how one word is written, with ``{word}`` and, in a numbered list, ``{number}``.
        gap: stands between two items.
        example: a worked example before the list, with ``{items}`` and ``{answer}``; empty for none.
        language: of all of them.
    """

    opening: str
    question: str
    answer: str
    item: str = "{word}"
    gap: str = " "
    example: str = ""
    language: str = "en"

    def items(self, words: Sequence[str]) -> list[str]:
        """The words as the list writes them, numbered from 1."""
        return [self.item.format(number=place, word=word) for place, word in enumerate(words, start=1)]

    def ask(self, count: int) -> str:
        """The question for ``count`` words, 2 to 20."""
        many = f"{numeral(self.language, count)} words" if self.language == "en" else f"{numeral('zh', count)}个词"
        return self.question.format(many=many)

    def reply(self, words: Sequence[str]) -> str:
        """The answer that names ``words``."""
        return self.answer.format(words=listed(self.language, words))

    def worked(self, words: Sequence[str], answer: Sequence[str]) -> str:
        """The worked example: a list of ``words`` whose answer is known."""
        comma = ", " if self.language == "en" else "，"
        return self.example.format(items=comma.join(self.items(words)), answer=self.reply(answer))
