"""What `--tasks` does: a sample of an evaluation's tasks, answered by BF16 and by candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.serve.interface import Server

TasksOption = Annotated[
    Path | None,
    typer.Option(
        "--tasks", help="Evaluation file (JSON Lines: question, task, gold) that is answered and scored too."
    ),
]
PassScoreOption = Annotated[
    float | None,
    typer.Option("--pass-score", help="With --tasks: the mean score to reach, 0 to 1; tells the chance of it."),
]
EvalItemsOption = Annotated[
    int | None,
    typer.Option(
        "--eval-items", min=1, help="Items of the evaluation that counts; those of --tasks when left out."
    ),
]
AnswerTokensOption = Annotated[
    int, typer.Option("--answer-tokens", min=1, help="With --tasks: the most tokens of an answer.")
]
# An evaluation's short answers fit; one that thinks needs thousands, and is told to be cut.
DEFAULT_ANSWER = 512
# Above this share of answers that were cut, a score says more of the limit than of the model.
_CUT = 0.1


def add_answers(server: Server, tasks: Path, model: Path, max_new: int, out: Path, narrator: Narrator) -> None:
    """Have BF16 answer the sample, and write the answers into its baseline.

    Raises:
        InputError: the file cannot be used.
    """
    from curator.measure.partial import beside
    from curator.measure.task_sample import load_sample, save_answers
    from curator.tokens.tokenizer import Tokenizer

    tokenizer = Tokenizer(model)
    sample = load_sample(tasks, tokenizer)
    size = Baseline(out).batch_size
    folder = beside(out.parent / f"{out.name}-tasks")
    save_answers(out, _answers(server, sample, tokenizer, max_new, size, folder, narrator))


@dataclass(frozen=True, slots=True)
class TaskWish:
    """What is asked of a candidate beside its distributions.

    Attributes:
        file: the evaluation's.
        tokenizer: folder of the model's, with which the baseline was taken.
        pass_score: mean score to reach.
        eval_items: items of the evaluation that counts.
    """

    file: Path
    tokenizer: Path
    pass_score: float | None
    eval_items: int | None


class TaskSample:
    """BF16's answers, ready to be compared with a candidate's.

    Args:
        wish: what is asked.
        baseline: has BF16's answers.

    Raises:
        InputError: the baseline has no answers to these items, or another tokenizer; the score is no share.
    """

    def __init__(self, wish: TaskWish, baseline: Baseline) -> None:
        from curator._errors import InputError
        from curator.measure.task_sample import load_answers, load_sample
        from curator.tokens.tokenizer import Tokenizer

        if wish.pass_score is not None and not 0 < wish.pass_score <= 1:
            raise InputError(f"--pass-score {wish.pass_score}: give a share above 0, at most 1")
        self._wish = wish
        self._tokenizer = Tokenizer(wish.tokenizer)
        if self._tokenizer.fingerprint != baseline.manifest["tokenizer"]:
            raise InputError(f"{wish.tokenizer}: its tokenizer is not the baseline's; name the model with --model")
        self._sample = load_sample(wish.file, self._tokenizer)
        self._before = load_answers(baseline.folder, self._sample, wish.file)

    def compare(self, server: Server, folder: Path, narrator: Narrator) -> dict[str, Any]:
        """Have a candidate answer.

        Args:
            server: the candidate.
            folder: where answers are kept on the way.
            narrator: shows progress.

        Returns:
            What `compare_answers` gives, ``max_new``, and ``chance`` when a score is to be reached.
        """
        from curator.measure.task_sample import chance_of_reaching, compare_answers

        before = self._before
        after = _answers(
            server, self._sample, self._tokenizer, before.max_new, before.batch_size, folder, narrator
        )
        found = {"max_new": before.max_new, **compare_answers(before.answers, after.answers)}
        if self._wish.pass_score is not None:
            scores = [answer.score for answer in after.answers]
            items = self._wish.eval_items or len(scores)
            found["chance"] = asdict(chance_of_reaching(scores, self._wish.pass_score, items))
        return {**found, "warnings": _doubts(found, self._wish.pass_score)}


def _doubts(found: Mapping[str, Any], pass_score: float | None) -> list[str]:
    """What makes the scores say little."""
    bf16, notes = found["all"]["bf16"], []
    if bf16["cut"]["mean"] > _CUT:
        notes.append(
            f"{bf16['cut']['mean']:.0%} of BF16's answers were cut at {found['max_new']} tokens: take the "
            "baseline with a larger --answer-tokens"
        )
    if pass_score is not None and bf16["score"]["mean"] < pass_score:
        notes.append(f"BF16 itself scores {bf16['score']['mean']:.1%}, below --pass-score {pass_score:g}")
    return notes


def _answers(
    server: Server, sample: Any, tokenizer: Any, max_new: int, size: int, folder: Path, narrator: Narrator
) -> Any:
    from curator.measure.partial import partial_folder
    from curator.measure.task_sample import ask

    begun = {"sample": sample.sha256, "max_new": max_new, "batch_size": size, "server": server.facts()}
    with (
        partial_folder(folder, begun, server, restart=True) as partial,
        narrator.bar(f"answer {len(sample.items)} items of the evaluation", len(sample.items)) as advance,
    ):
        return ask(server, sample, tokenizer, max_new, size, partial, advance)
