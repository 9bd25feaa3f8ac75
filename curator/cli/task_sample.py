"""What `--tasks` does: a sample of an evaluation's tasks, answered by the reference and by candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.serve.interface import Server
from curator.serve.probe import same_weights

if TYPE_CHECKING:
    from curator.tokens.tokenizer import Tokenizer

TasksOption = Annotated[
    Path | None,
    typer.Option(
        "--tasks", help="Evaluation file (JSON Lines: question, task, gold) that is answered and scored too."
    ),
]
PassScoreOption = Annotated[
    float | None,
    typer.Option(
        "--pass-score",
        help="With --tasks: the mean score to reach, up to 1; tells the chance of it, for --min-chance.",
    ),
]
MinChanceOption = Annotated[
    float,
    typer.Option(
        "--min-chance",
        min=0.0,
        max=1.0,
        help="Exit 3 when the chance to reach --pass-score is under this: how likely --eval-items new items reach "
        "it, what the sample leaves open counted in. The chance decides, its interval is shown; 0 only tells it.",
    ),
]
DEFAULT_CHANCE = 0.5
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


class TaskQuestions:
    """The items that the reference answers for a baseline.

    Args:
        file: the evaluation's.
        tokenizer: of the model.
        max_new: the most tokens of an answer.

    Raises:
        InputError: the file cannot be used.
    """

    def __init__(self, file: Path, tokenizer: Tokenizer, max_new: int) -> None:
        from curator.measure.task_sample import load_sample

        self._sample = load_sample(file, tokenizer)
        self._file, self._tokenizer, self._max_new = file, tokenizer, max_new

    def answered(self, out: Path) -> bool:
        """Whether a baseline has answers to these items, of as many tokens at most."""
        from curator._errors import InputError
        from curator.measure.task_sample import load_answers

        try:
            return load_answers(out, self._sample, self._file).max_new == self._max_new
        except InputError:
            return False

    def add_answers(self, server: Server, out: Path, narrator: Narrator) -> None:
        """Have the reference answer, and write the answers into its baseline.

        Raises:
            RefusedError: the baseline in ``out`` is of another model.
        """
        from curator._errors import RefusedError
        from curator.measure.comparable import check_comparable
        from curator.measure.partial import beside
        from curator.measure.task_sample import save_answers

        baseline = Baseline(out)
        check_comparable(baseline, server)
        if not same_weights(str(baseline.manifest["weights"]), server.weights_probe()):
            raise RefusedError(f"{out}: its baseline is of other weights than this model's; name another --out")
        size, folder = baseline.batch_size, beside(out.parent / f"{out.name}-tasks")
        save_answers(out, _answers(server, self._sample, self._tokenizer, self._max_new, size, folder, narrator))


@dataclass(frozen=True, slots=True)
class TaskWish:
    """What is asked of a candidate beside its distributions.

    Attributes:
        file: the evaluation's.
        tokenizer: folder of the model's, with which the baseline was taken.
        pass_score: mean score to reach.
        eval_items: items of the evaluation that counts.
        min_chance: the least chance to reach the score, for the gate.
    """

    file: Path
    tokenizer: Path
    pass_score: float | None
    eval_items: int | None
    min_chance: float


class TaskSample:
    """The reference's answers, ready to be compared with a candidate's.

    Args:
        wish: what is asked.
        baseline: has them.

    Raises:
        InputError: the baseline has no answers to these items, or another tokenizer; the score is no share.
    """

    def __init__(self, wish: TaskWish, baseline: Baseline) -> None:
        from curator._errors import InputError
        from curator.measure.task_sample import MIN_ITEMS, load_answers, load_sample
        from curator.tokens.tokenizer import Tokenizer

        if wish.pass_score is not None and not 0 < wish.pass_score <= 1:
            raise InputError(f"--pass-score {wish.pass_score}: give a share above 0, at most 1")
        self._wish, self._name = wish, baseline.reference
        self._tokenizer = Tokenizer(wish.tokenizer)
        if self._tokenizer.fingerprint != baseline.manifest["tokenizer"]:
            raise InputError(f"{wish.tokenizer}: its tokenizer is not the baseline's; name the model with --model")
        self._sample = load_sample(wish.file, self._tokenizer)
        if wish.pass_score is not None and len(self._sample.items) < MIN_ITEMS:
            raise InputError(
                f"{wish.file}: one item tells no chance to reach --pass-score; give {MIN_ITEMS} or more"
            )
        self._before = load_answers(baseline.folder, self._sample, wish.file)

    def compare(self, server: Server, folder: Path, narrator: Narrator) -> dict[str, Any]:
        """Have a candidate answer.

        Args:
            server: the candidate.
            folder: where answers are kept on the way.
            narrator: shows progress.

        Returns:
            What `compare_answers` gives, the ``reference``'s name, ``max_new``, and ``chance`` when a score is to
            be reached.
        """
        from curator.measure.task_sample import chance_of_reaching, compare_answers

        before = self._before
        after = _answers(
            server, self._sample, self._tokenizer, before.max_new, before.batch_size, folder, narrator
        )
        found = {
            "reference": self._name,
            "max_new": before.max_new,
            **compare_answers(before.answers, after.answers),
        }
        if self._wish.pass_score is not None:
            scores = [answer.score for answer in after.answers]
            items = self._wish.eval_items or len(scores)
            found["chance"] = asdict(chance_of_reaching(scores, self._wish.pass_score, items))
        return {**found, "warnings": _doubts(found, self._wish.pass_score)}


def _doubts(found: Mapping[str, Any], pass_score: float | None) -> list[str]:
    """What makes the scores say little."""
    own, name, notes = found["all"]["reference"], found["reference"], []
    if own["cut"]["mean"] > _CUT:
        notes.append(
            f"{own['cut']['mean']:.0%} of the answers of {name} were cut at {found['max_new']} tokens: take the "
            "baseline with a larger --answer-tokens"
        )
    if pass_score is not None and own["score"]["mean"] < pass_score:
        notes.append(f"{name} itself scores {own['score']['mean']:.1%}, below --pass-score {pass_score:g}")
    return notes


def _answers(
    server: Server, sample: Any, tokenizer: Any, max_new: int, size: int, folder: Path, narrator: Narrator
) -> Any:
    from curator.measure.partial import partial_folder
    from curator.measure.task_sample import ask, in_order
    from curator.measure.token_progress import by_tokens, token_costs

    begun = {"sample": sample.sha256, "max_new": max_new, "batch_size": size, "server": server.facts()}
    items = len(sample.items)
    costs = token_costs([len(sample.encoded[place]) for place in in_order(sample)], [max_new] * items)
    label = f"answer {items} items of the evaluation, up to {items * max_new:,} tokens"
    with (
        partial_folder(folder, begun, server, restart=True, of=items, narrator=narrator) as partial,
        narrator.bar(label, sum(costs)) as advance,
    ):
        return ask(server, sample, tokenizer, max_new, size, partial, by_tokens(advance, costs))
