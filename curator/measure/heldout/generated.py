"""Held-out prompts from the generators: their own wordings and texts, which no calibration sample has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from curator._errors import DependencyError, InputError
from curator.corpora.document import Document, Message, conversation_text
from curator.corpora.generators import find_generator, generate
from curator.corpora.languages import primary_subtag
from curator.measure.heldout.cells import WantedCell
from curator.measure.heldout.prompt import Prompt

_SEED = 0
"""Prompts depend on no recipe and no user's choice."""
_TRIES = 40
"""Samples that are made for one prompt before it counts as missing."""
_SILENT = ("und", "zxx", "mul")
_NATURAL = 512
"""Up to this length a generator whose samples have a length of their own is taken as it is."""
_LONG = 4096
"""From this length on haystacks are of the larger store of held-out texts: less of it comes twice."""
CountText = Callable[[str], int]


class Generated:
    """Makes prompts of generators, each sample's number used once.

    Args:
        count: counts the tokens of a text.
    """

    def __init__(self, count: CountText) -> None:
        self._count = count
        self._next: Counter[str] = Counter()
        self._given: set[str] = set()

    def speaks(self, kind: str, language: str) -> bool:
        """Whether a generator writes in a language; in none, any of its own will do."""
        languages = find_generator(kind).choices.get("language")
        primary = primary_subtag(language)
        return primary in _SILENT or (isinstance(languages, tuple) and primary in languages)

    def prompts(self, kind: str, cell: WantedCell) -> Iterator[Prompt]:
        """Prompts of a cell as long as it asks, fewer where they cannot be made.

        Raises:
            InputError: a sample of this length or language cannot be made at all, after those that could.
            DependencyError: the package that has the text for it is not installed.
        """
        for length in cell.lengths:
            last: InputError | DependencyError | None = None
            for options, tokens in self._ways(kind, cell, length):
                try:
                    prompt = self._prompt(kind, cell, options, tokens)
                except (InputError, DependencyError) as error:
                    last = error
                    continue
                asked = prompt.text or conversation_text(prompt.messages)
                # Short problems come out alike now and then.
                if asked not in self._given and cell.low <= self._count(asked) <= cell.high:
                    self._given.add(asked)
                    yield prompt
                    break
            else:
                if last is not None:
                    raise last

    def _ways(self, kind: str, cell: WantedCell, length: int) -> Iterator[tuple[dict[str, Any], int]]:
        """Options and budgets to try: samples of natural length as they come, then others to measure."""
        primary = primary_subtag(cell.language)
        language = {} if primary in _SILENT else {"language": primary}
        fills = "fill" in find_generator(kind).choices
        if fills and cell.high <= _NATURAL:
            yield from ((language, _NATURAL) for _ in range(_TRIES))
        exact = {"fill": "examples"} if fills else {}
        essays = find_generator(kind).choices.get("haystack", ())
        if length >= _LONG and isinstance(essays, tuple) and "essays" in essays:
            yield {**language, "haystack": "essays"}, length
        # Another sample may fit where one does not.
        yield from (({**language, **exact}, length) for _ in range(_TRIES // 10))

    def _prompt(self, kind: str, cell: WantedCell, options: dict[str, Any], tokens: int) -> Prompt:
        number = self._next[kind]
        self._next[kind] += 1
        document = generate(
            kind, seed=_SEED, index=number, tokens=tokens, options=options, count=self._asked_count, heldout=True
        )
        return as_prompt(document, cell)

    def _asked_count(self, content: str | tuple[Message, ...]) -> int:
        """Tokens of what is asked: a profile counts no answer and no template."""
        return self._count(content if isinstance(content, str) else conversation_text(content[:-1]))


def as_prompt(document: Document, cell: WantedCell) -> Prompt:
    """The document without its answer, or its text."""
    return Prompt(
        id=document.id,
        task=cell.task,
        corpus=document.corpus,
        unit=document.unit,
        language=document.language,
        licence=document.licence,
        text="" if document.messages else document.text,
        messages=document.messages[:-1] if document.messages else (),
        cell=cell.name,
        gold=document.gold,
        output_tokens=cell.output_tokens,
    )
