"""How a question about keys and their values is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.corpora.generators.wordings.listing import listed, quoted
from curator.corpora.generators.wordings.remarks import SPACE

Told = Sequence[tuple[str, Sequence[str]]]
"""Keys and the values of each."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One way to ask for values.

    Attributes:
        language: of the wording.
        opening: stands before the text.
        question: stands after the text, with ``{keys}``.
        answer: the assistant's sentence for one key, with ``{key}`` and ``{value}``.
    """

    language: str
    opening: str
    question: str
    answer: str

    def ask(self, keys: Sequence[str]) -> str:
        """The question for some keys."""
        return self.question.format(keys=listed(self.language, [quoted(self.language, key) for key in keys]))

    def reply(self, told: Told) -> str:
        """The answer that names every value of every key."""
        return SPACE[self.language].join(
            self.answer.format(
                key=quoted(self.language, key), value=listed(self.language, [self.told(value) for value in values])
            )
            for key, values in told
        )

    def told(self, value: str) -> str:
        """A value in a sentence; Chinese has no spaces that would show where it begins and ends."""
        return value if self.language == "en" else quoted(self.language, value)
