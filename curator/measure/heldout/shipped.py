"""The prompts that are used where nobody says which: short ones from the texts that come with the install."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from curator._errors import InputError
from curator._seed import stable_hash
from curator.corpora.document import Document
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import READERS
from curator.corpora.shelf import find_card
from curator.gates.length import visible_chars
from curator.gates.random_text import find_random_text
from curator.measure.heldout.prompt import Prompt
from curator.select.pieces import cut_pieces

# Kind of prompt -> corpora it is taken from, in turn.
DEFAULT_SOURCES = {"prose": ["package-docs"], "code": ["python-stdlib"], "qa": ["python-qa"]}
DEFAULT_PER_TASK = 16
# No package or module gives more prompts than this: its style would weigh too much.
_PER_UNIT = 2
# About 80 tokens of English: context to go on from, at little cost for each of the many scorings.
_PROMPT_CHARS = 320
_MIN_CHARS = 160
MAX_RANDOM = 0.1
"""Share of random characters from which on a text is no prompt."""


def make_heldout(per_task: int = DEFAULT_PER_TASK) -> list[Prompt]:
    """Choose prompts from the held-out quarter of the default corpora.

    The choice depends on the installed text only, on no seed or recipe.

    Raises:
        InputError: a corpus has too few held-out texts; names it and the number found.
    """
    return [prompt for task, corpora in DEFAULT_SOURCES.items() for prompt in _choose(task, corpora, per_task)]


def heldout_documents(corpus: str) -> Iterator[Document]:
    """The documents of a card's held-out units."""
    card = find_card(corpus)
    return (document for document in READERS[card.reader](card) if is_heldout(document.unit))


def _choose(task: str, corpora: list[str], count: int) -> list[Prompt]:
    documents = [document for corpus in corpora for document in heldout_documents(corpus)]
    documents.sort(key=lambda document: stable_hash("heldout", document.id))
    chosen: list[Prompt] = []
    per_unit: Counter[str] = Counter()
    for document in documents:
        prompt = _prompt(task, document) if per_unit[document.unit] < _PER_UNIT else None
        if prompt is not None:
            per_unit[document.unit] += 1
            chosen.append(prompt)
        if len(chosen) == count:
            return chosen
    raise InputError(
        f"held-out {task}: {len(chosen)} prompts in {', '.join(corpora)}, {count} wanted; lower --per-task"
    )


def _prompt(task: str, document: Document) -> Prompt | None:
    """A stretch of the document, or its question; ``None`` when it is too short or random."""
    common = (task, document.corpus, document.unit, document.language, document.licence)
    if document.messages is not None:
        return Prompt(document.id, *common, "", document.messages[:-1])
    pieces = [piece for piece in cut_pieces(document, _PROMPT_CHARS) if len(piece.text.strip()) >= _MIN_CHARS]
    if not pieces:
        return None
    piece = pieces[stable_hash("heldout-piece", document.id) % len(pieces)]
    # A prompt ends within a word's reach of more text, not behind a blank line.
    text = piece.text.strip()
    if visible_chars(text) < _MIN_CHARS or find_random_text(text).share > MAX_RANDOM:
        return None
    return Prompt(piece.id, *common, text)
