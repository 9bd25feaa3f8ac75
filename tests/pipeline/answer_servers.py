"""A model of known answers, for the tests of this room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from curator.pipeline.answers.ask import Answerer
from curator.serve.interface import Continuation, Sampling, Scores, Window
from curator.tokens.tokenizer import Tokenizer


class Scripted:
    """Answers by a function of the prompt's text; counts how often it is asked."""

    def __init__(self, tokenizer: Tokenizer, say: Callable[[str], str | None]) -> None:
        self.notes: list[str] = []
        self.asked: list[list[str]] = []
        self.lengths: list[int] = []
        self.samplings: list[Sampling] = []
        self.opened = self.closed = 0
        self._tokenizer = tokenizer
        self._say = say

    def facts(self) -> dict[str, str]:
        return {"backend": "scripted", "model_path": "one"}

    def longest(self) -> int | None:
        return None

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, batch_size: int
    ) -> Iterator[Continuation]:
        texts = [self._tokenizer.decode(list(prompt)) for prompt in prompts]
        self.asked.append(texts)
        self.lengths += map(len, prompts)
        self.samplings.append(sampling)
        for text in texts:
            said = self._say(text)
            if said is None:
                yield Continuation((5, 9) * sampling.new_tokens, False)
                continue
            ids = self._tokenizer.encode(said)
            end = self._tokenizer.eos_id
            assert end is not None
            cut = len(ids) >= sampling.new_tokens
            yield Continuation(tuple(ids[: sampling.new_tokens] if cut else [*ids, end]), not cut)

    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        raise NotImplementedError

    def close(self) -> None:
        self.closed += 1

    def answerer(self, cache: object, tell: Callable[[str], None] = lambda _: None) -> Answerer:
        def opened() -> Scripted:
            self.opened += 1
            return self

        return Answerer(opened, lambda: None, self._tokenizer, tell, cache)  # type: ignore[arg-type]
