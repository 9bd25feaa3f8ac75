"""Prompts with the model's answers, made as they are asked for."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from curator._errors import InputError
from curator.corpora.document import Document, Message, conversation_text
from curator.gates.leakage import Leak, check_leakage
from curator.pipeline.answers.ask import BATCH, Answerer
from curator.pipeline.answers.verdict import Refusal, Scoring, gold_of, read_answer, refuse_answer
from curator.select.endless import EndlessSupply
from curator.select.pieces import Piece
from curator.select.supply import FiniteSupply
from curator.serve.interface import Continuation, Sampling
from curator.tokens.tokenizer import TemplateRefusal

_OPENED = "<think>"


@dataclass(frozen=True, slots=True)
class Answered:
    """A prompt with its answer, or without one where it was not asked.

    Attributes:
        piece: the conversation.
        refusal: why it is left out; ``None`` when it is not.
    """

    piece: Piece
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """How prompts are answered.

    Attributes:
        name: of the source.
        sampling: how answers are decoded.
        scoring: which are kept.
        room: the most tokens of a prompt in its template.
    """

    name: str
    sampling: Sampling
    scoring: Scoring
    room: int


class SelfSupply:
    """Answers in the order of their prompts; each draw goes on where the last one ended.

    Nothing is asked before somebody needs it, and then as many prompts as are answered together.

    Args:
        prompts: where prompts come from.
        asking: how they are answered.
    """

    def __init__(self, prompts: FiniteSupply | EndlessSupply, asking: Asking) -> None:
        self._prompts = prompts
        self._asking = asking
        self._waiting: deque[Answered] = deque()
        self._left: Iterator[Piece] | None = None
        self._answerer: Answerer | None = None
        self._leak: Callable[[str], Leak] = lambda _: Leak()

    def ready(self, answerer: Answerer | None, leak: Callable[[str], Leak]) -> None:
        """Say who answers.

        Args:
            answerer: the model.
            leak: what a text shares with held-out prompts and evaluation items: such prompts are not asked.

        Raises:
            InputError: there is nobody to ask.
        """
        if answerer is None:
            raise InputError(f"{self._asking.name}: answers are made by `curate build` and `curate rank` alone")
        self._answerer, self._leak = answerer, leak
        if isinstance(self._prompts, EndlessSupply):
            self._prompts.count = self._count

    @property
    def refusal(self) -> str:
        """Why the last prompt could not be made, in words; empty when it could."""
        return self._prompts.refusal if isinstance(self._prompts, EndlessSupply) else ""

    def begin(self) -> None:
        """Start a draw: when all prompts were used, they come again."""
        if self._left is None and isinstance(self._prompts, FiniteSupply):
            self._left = self._prompts.draw()

    def next(self) -> Answered | None:
        """The next answer; ``None`` when there are no more prompts."""
        if not self._waiting:
            self._fill()
        return self._waiting.popleft() if self._waiting else None

    def _fill(self) -> None:
        found: list[tuple[Piece, list[int] | Refusal]] = []
        while sum(isinstance(asked, list) for _, asked in found) < BATCH:
            piece = self._prompt()
            if piece is None:
                break
            found.append((piece, self._asked(piece)))
        prompts = [asked for _, asked in found if isinstance(asked, list)]
        answers = iter(self._model.answer(prompts, self._asking.sampling) if prompts else ())
        for piece, asked in found:
            self._waiting.append(
                Answered(piece, asked) if isinstance(asked, Refusal) else self._judged(piece, asked, next(answers))
            )

    def _prompt(self) -> Piece | None:
        if isinstance(self._prompts, EndlessSupply):
            return self._prompts.piece(self._asking.room, "")
        piece = next(self._left, None) if self._left is not None else None
        if piece is None:
            self._left = None
        return piece

    def _asked(self, piece: Piece) -> list[int] | Refusal:
        """The prompt's token ids, or why it is not asked."""
        turns = _turns(piece)
        if not turns:
            return Refusal("no_prompt", "no turn that asks something")
        drop = check_leakage(self._leak(conversation_text(turns)))
        if drop is not None:
            return Refusal(drop.reason, drop.detail)
        try:
            ids = self._model.tokenizer.encode_chat(turns, tools=piece.document.tools, answer_next=True)
        except TemplateRefusal as error:
            return Refusal("template", str(error))
        room = self._asking.room
        return ids if len(ids) <= room else Refusal("long_prompt", f"{len(ids)} tokens, {room} at most")

    def _judged(self, piece: Piece, ids: list[int], written: Continuation) -> Answered:
        tokenizer, scoring, document = self._model.tokenizer, self._asking.scoring, piece.document
        own = written.ids[:-1] if written.finished else written.ids
        text = tokenizer.decode(list(own))
        opened = tokenizer.decode(ids[-8:]).rstrip().endswith(_OPENED)
        turn = read_answer(text, opened=opened)
        gold = document.gold or _own_gold(document, scoring.task)
        refusal = refuse_answer(written, text, turn, scoring, gold)
        messages = (*_turns(piece), turn)
        whole = conversation_text(messages)
        answered = dataclasses.replace(
            document,
            id=f"self/{piece.id}",
            corpus=self._asking.name,
            text=whole,
            messages=messages,
            gold=gold,
        )
        return Answered(Piece(f"{answered.id}:0", answered, 0, len(whole)), refusal)

    def _count(self, content: str | tuple[Message, ...]) -> int:
        """Tokens of a prompt: its answer is not the one that will stand there."""
        turns = (Message("user", content),) if isinstance(content, str) else content[:-1]
        return len(self._model.tokenizer.encode_chat(turns, answer_next=True))

    @property
    def _model(self) -> Answerer:
        if self._answerer is None:
            raise InputError(f"{self._asking.name}: asked before there was a model to answer")
        return self._answerer


def _turns(piece: Piece) -> tuple[Message, ...]:
    """What is asked: all before the last answer, or a text as one question."""
    messages = piece.document.messages
    if messages is None:
        return (Message("user", piece.text.strip()),) if piece.text.strip() else ()
    last = len(messages) - 1 if messages and messages[-1].role == "assistant" else len(messages)
    return messages[:last]


def _own_gold(document: Document, task: str) -> tuple[str, ...]:
    messages = document.messages or ()
    return gold_of(messages[-1].content, task) if messages and messages[-1].role == "assistant" else ()
