"""Asking the model, and remembering what it said."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from curator.models.fingerprint import model_fingerprint
from curator.scores.store import ScoreStore, content_key
from curator.serve.interface import Continuation, Sampling, Server
from curator.tokens.tokenizer import Tokenizer

BATCH = 8
"""Prompts that are answered together."""
_FORM = "answers-2"
_TELL_SECONDS = 30.0


class Answerer:
    """The model that a set is for, loaded when its first answer is not known yet.

    Answers are kept by model, tokenizer, sampling and the prompts that were answered together: padding and batch
    can move the last digits of logits, so a prompt's answer may depend on the others of its batch.

    Args:
        open_server: gives the model.
        find_model: finds its folder; gives ``None`` for a server by URL, which says itself what it runs.
        tokenizer: its tokenizer, with the template that prompts are put in.
        tell: called with a line when what is kept is damaged or cannot be written, and as answers are made.
        cache: where answers are kept; ``None`` for the user's cache folder.

    Attributes:
        notes: what the user should know of the model, once it was asked; kept with the answers, so that a set says
            the same whether they were there or not.
    """

    def __init__(
        self,
        open_server: Callable[[], Server],
        find_model: Callable[[], Path | None],
        tokenizer: Tokenizer,
        tell: Callable[[str], None],
        cache: Path | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.notes: list[str] = []
        self._open = open_server
        self._find = find_model
        self._store = ScoreStore(tell, cache)
        self._tell = tell
        self._made = self._written = 0
        self._told = 0.0
        self._server: Server | None = None
        self._name = ""

    def answer(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Continuation]:
        """Answers to prompts that are put together, in their order.

        Raises:
            InputError, ServerError, DependencyError: the model cannot be loaded or reached, or fails.
        """
        asked = [list(prompt) for prompt in prompts]
        settings = json.dumps(asdict(sampling), sort_keys=True)
        key = content_key(_FORM, self._identity(), self.tokenizer.fingerprint, settings, json.dumps(asked))
        kept = self._store.get(key)
        if kept is not None:
            self._note(kept[0]["notes"])
            ids = np.frombuffer(kept[1], dtype="<i4").tolist()
            ends = [0, *itertools.accumulate(kept[0]["lengths"])]
            spans = zip(itertools.pairwise(ends), kept[0]["finished"], strict=True)
            return [Continuation(tuple(ids[start:end]), finished) for (start, end), finished in spans]
        if not self._made:
            self._tell(f"asking the model: {BATCH} prompts at a time, up to {sampling.new_tokens} tokens each")
            self._told = time.monotonic()
        found = list(self._served().generate(asked, sampling, BATCH))
        value = {
            "lengths": [len(one.ids) for one in found],
            "finished": [one.finished for one in found],
            "notes": list(self._served().notes),
        }
        self._note(self._served().notes)
        self._store.put(key, value, np.array([token for one in found for token in one.ids], dtype="<i4").tobytes())
        self._tell_progress(len(found), sum(len(one.ids) for one in found))
        return found

    def _tell_progress(self, answers: int, tokens: int) -> None:
        self._made += answers
        self._written += tokens
        # A batch takes minutes on a small machine, and less than a second on another.
        if time.monotonic() - self._told >= _TELL_SECONDS:
            self._told = time.monotonic()
            self._tell(f"answers of the model: {self._made:,} made, {self._written / self._made:.0f} tokens each")

    def close(self) -> None:
        """Give back the model and the file."""
        self._store.close()
        if self._server is not None:
            self._server.close()
            self._server = None

    def _note(self, notes: Sequence[str]) -> None:
        self.notes += [note for note in notes if note not in self.notes]

    def _served(self) -> Server:
        if self._server is None:
            self._server = self._open()
        return self._server

    def _identity(self) -> str:
        """What tells the model from others."""
        if not self._name:
            folder = self._find()
            facts = json.dumps(self._served().facts(), sort_keys=True) if folder is None else ""
            self._name = facts if folder is None else model_fingerprint(folder)
        return self._name
