"""A user's own prompts, sorted into the cells of an evaluation's profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from curator._seed import stable_hash
from curator.corpora.document import conversation_text
from curator.corpora.languages import primary_subtag
from curator.gates.language import UNDETERMINED, detect_language
from curator.measure.heldout.cells import WantedCell
from curator.measure.heldout.generated import CountText
from curator.measure.heldout.prompt import Prompt

_Place = tuple[str, str]


class OwnPrompts:
    """Prompts to choose from, by hash of their ids; each is given once.

    Args:
        prompts: the user's.
        count: counts the tokens of a text.
    """

    def __init__(self, prompts: Sequence[Prompt], count: CountText) -> None:
        self._left: defaultdict[_Place, list[tuple[int, Prompt]]] = defaultdict(list)
        for prompt in sorted(prompts, key=lambda one: (stable_hash("heldout", one.id), one.id)):
            text = prompt.text or conversation_text(prompt.messages)
            language = detect_language(text) if prompt.language == UNDETERMINED else prompt.language
            self._left[prompt.task, primary_subtag(language)].append((count(text), prompt))

    def prompts(self, cell: WantedCell) -> Iterator[Prompt]:
        """Prompts of a cell's task, language and length, as many as are wanted and there are."""
        waiting = self._left[cell.task, primary_subtag(cell.language)]
        fits = [one for one in waiting if cell.low <= one[0] <= cell.high][: len(cell.lengths)]
        for one in fits:
            waiting.remove(one)
            yield replace(one[1], cell=cell.name, output_tokens=one[1].output_tokens or cell.output_tokens)
