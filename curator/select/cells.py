"""The cells of a target: a task's texts of one language and about one length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from curator.corpora.languages import primary_subtag
from curator.recipe.target import Target
from curator.select.quotas import split_quota

NO_LANGUAGE = "zxx"


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """A task's texts of one kind.

    Attributes:
        task: the task.
        language: one of the target's; ``zxx`` for texts that have none; empty where any will do.
        bin: number of the length bin, from 0; 0 where any length will do.
    """

    task: str
    language: str = ""
    bin: int = 0


@dataclass(frozen=True, slots=True)
class Bin:
    """Lengths of a text in tokens.

    Attributes:
        low: the fewest.
        high: the most.
        share: of the tokens.
    """

    low: int
    high: int
    share: float

    def fits(self, tokens: int) -> bool:
        """Whether so many tokens can be made of texts of this length, each whole."""
        return -(-tokens // self.high) * self.low <= tokens

    def first(self, most: int, tokens: int) -> int:
        """The longest first text of at most ``most`` tokens, such that what is left of ``tokens`` can be made too.

        Returns:
            0 when there is none.
        """
        most = min(most, self.high, tokens)
        if self.low <= 1:
            return most
        for others in range(tokens // self.low):
            # The others take this much at least and at most.
            size = min(most, tokens - others * self.low)
            if size >= max(self.low, tokens - others * self.high):
                return size
        return 0


@dataclass(frozen=True, slots=True)
class Margin:
    """A number of tokens that some cells should have together.

    Attributes:
        name: in words.
        cells: which.
        tokens: asked of them.
        where: keys of the recipe that ask it; empty where none does.
    """

    name: str
    cells: frozenset[Cell]
    tokens: int
    where: tuple[str | int, ...] = ()


class Cells:
    """The cells that a target divides texts into.

    Args:
        target: the recipe's.
        longest: tokens of the longest text.

    Attributes:
        plain: whether there is one cell a task.
    """

    def __init__(self, target: Target, longest: int) -> None:
        self._target = target
        self.longest = longest
        self._languages = {task: target.languages_of(task) or {"": 1.0} for task in target.tasks}
        self._bins = {task: self._bins_of(task) for task in target.tasks}
        self._free = {task for task in target.tasks if target.lengths_of(task) is None}
        self.plain = all("" in self._languages[task] and task in self._free for task in target.tasks)

    def is_free(self, task: str) -> bool:
        """Whether a task's texts may have any length."""
        return task in self._free

    def bins(self, task: str) -> list[Bin]:
        """A task's length bins, also those of which nothing is wanted; one where any length will do."""
        return self._bins[task]

    def _bins_of(self, task: str) -> list[Bin]:
        found, low = [], 1
        for one in self._target.lengths_of(task) or ():
            high = self.longest if one.upto is None else min(one.upto, self.longest)
            found.append(Bin(low, max(high, low), one.share))
            low = (one.upto or self.longest) + 1
        return found or [Bin(1, self.longest, 1.0)]

    def languages(self, task: str) -> dict[str, float]:
        """Shares of the languages; one without a name where any will do."""
        return self._languages[task]

    def cell_of(self, task: str, language: str, tokens: int) -> Cell | None:
        """Where a text belongs; ``None`` when its language or length is not wanted.

        Args:
            task: its task.
            language: BCP 47; ``zxx`` for what has none.
            tokens: its length.
        """
        bins = self.bins(task)
        size = min(max(tokens, 1), self.longest)
        number = next((at for at, one in enumerate(bins) if one.low <= size <= one.high), None)
        named = self.named(task, language)
        if number is None or named is None or not bins[number].share:
            return None
        return Cell(task, named, number)

    def named(self, task: str, language: str) -> str | None:
        """The target's name for a language: its own, or that of its primary subtag; ``None`` when not wanted."""
        names = self.languages(task)
        if "" in names:
            return ""
        if language in names or language == NO_LANGUAGE:
            return language
        primary = primary_subtag(language)
        return primary if primary in names else None

    def of(self, task: str) -> Iterator[Cell]:
        """All cells of a task of which something may be wanted."""
        names = self.languages(task)
        outside = [] if "" in names or NO_LANGUAGE in names else [NO_LANGUAGE]
        for language in [*names, *outside]:
            yield from (Cell(task, language, at) for at, one in enumerate(self.bins(task)) if one.share)

    def span(self, cell: Cell) -> Bin:
        """The lengths of a cell's texts."""
        return self.bins(cell.task)[cell.bin]

    def words(self, cell: Cell) -> str:
        """A cell in words, such as ``qa, zh, 513 to 2,048 tokens``."""
        one = self.span(cell)
        language = "without language" if cell.language == NO_LANGUAGE else cell.language
        length = "" if self.is_free(cell.task) else self._length_words(one)
        return ", ".join(part for part in (cell.task, language, length) if part)

    def margins(self, quotas: Mapping[str, int], spoken: Mapping[str, float]) -> list[Margin]:
        """What is asked, as sums over cells.

        Args:
            quotas: tokens of each task.
            spoken: the part of each task's tokens that is of texts with a language; 1 where left out.
        """
        found = [
            Margin(f"task {task}", frozenset(self.of(task)), tokens, ("target", "tasks", task))
            for task, tokens in quotas.items()
        ]
        return [*found, *self._language_margins(quotas, spoken), *self._length_margins(quotas)]

    def wanted(self, quotas: Mapping[str, int], spoken: Mapping[str, float]) -> dict[Cell, float]:
        """Tokens of every cell if all could be had: each task with its languages and, in each, its lengths."""
        found: dict[Cell, float] = {}
        for task, tokens in quotas.items():
            names, bins, part = self.languages(task), self.bins(task), spoken.get(task, 1.0)
            for cell in self.of(task):
                outside = cell.language not in names
                share = 1 - part if outside else names[cell.language] * (part if self._divides(task) else 1)
                found[cell] = tokens * share * bins[cell.bin].share
        return found

    def _divides(self, task: str) -> bool:
        """Whether texts without a language stand outside of a task's languages."""
        return not {"", NO_LANGUAGE} & set(self.languages(task))

    def _language_margins(self, quotas: Mapping[str, int], spoken: Mapping[str, float]) -> Iterator[Margin]:
        for words, tasks in self._groups("languages"):
            names = self.languages(tasks[0])
            if "" in names:
                continue
            part = {task: spoken.get(task, 1.0) if self._divides(task) else 1.0 for task in tasks}
            total = sum(round(quotas[task] * part[task]) for task in tasks)
            asked = split_quota(total, names)
            if self._divides(tasks[0]):
                asked[NO_LANGUAGE] = sum(quotas[task] for task in tasks) - total
            for name, tokens in asked.items():
                cells = frozenset(cell for task in tasks for cell in self.of(task) if cell.language == name)
                where = (*self._place(words, tasks), "languages", name) if name in names else ()
                yield Margin(f"{words}{'no language' if name == NO_LANGUAGE else name}", cells, tokens, where)

    def _length_margins(self, quotas: Mapping[str, int]) -> Iterator[Margin]:
        for words, tasks in self._groups("lengths"):
            if self.is_free(tasks[0]):
                continue
            bins = self.bins(tasks[0])
            shares = {str(at): one.share for at, one in enumerate(bins) if one.share}
            for name, tokens in split_quota(sum(quotas[task] for task in tasks), shares).items():
                cells = frozenset(cell for task in tasks for cell in self.of(task) if cell.bin == int(name))
                one = bins[int(name)]
                place: tuple[str | int, ...] = (*self._place(words, tasks), "lengths", int(name))
                yield Margin(words + self._length_words(one), cells, tokens, place)

    def _length_words(self, one: Bin) -> str:
        if one.low > self.longest:
            return f"over {one.low - 1:,} tokens"
        return f"{one.low:,} to {one.high:,} tokens"

    @staticmethod
    def _place(words: str, tasks: Sequence[str]) -> tuple[str | int, ...]:
        return ("target", "by_task", tasks[0]) if words else ("target",)

    def _groups(self, key: str) -> Iterator[tuple[str, list[str]]]:
        """Tasks that share a margin: those with their own alone, then the others together."""
        own = [task for task in self._target.tasks if getattr(self._target.by_task.get(task), key, None)]
        for task in own:
            yield f"{task}: ", [task]
        others = [task for task in self._target.tasks if task not in own]
        if others:
            yield "", others
