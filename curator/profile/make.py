"""A profile from an evaluation file, and a run's predictions where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import curator
from curator._errors import InputError
from curator._files import file_sha256
from curator._progress import Narrator
from curator.corpora.document import Message
from curator.corpora.readers.plain_text import without_surrogates
from curator.gates import language, random_text
from curator.profile.columns import EvalColumns
from curator.profile.group import cells_of, group_of, whole_of
from curator.profile.item import Item
from curator.profile.measure_file import Measuring, measure_file
from curator.profile.measure_item import MAX_RANDOM, Measured
from curator.profile.predictions import Answer, count_answers, read_predictions
from curator.profile.read_items import RawItem, RawItems, read_items
from curator.profile.repeats import JACCARD, Repeat, find_repeats
from curator.profile.schema import Outputs, Profile, Settings, SourceFile, TokenizerFacts
from curator.profile.templates import numbers_by_task, template_shares
from curator.profile.told_tokens import told_tokens
from curator.profile.warn import warnings_of
from curator.scores import continuity
from curator.scores.continuity import AUTO_MIN, MIN_SENTENCES_TO_REJECT
from curator.tokens.tokenizer import TemplateRefusal, Tokenizer


@dataclass(frozen=True, slots=True)
class Plan:
    """What is profiled and how.

    Attributes:
        evaluation: the evaluation file.
        columns: what the user named.
        model: what the user calls the tokenizer's model.
        folder: the tokenizer's folder.
        embedder: the sentence embedder's name.
        windows: windows of a long prompt.
        outputs: a predictions file.
        workers: processes at most.
    """

    evaluation: Path
    columns: EvalColumns
    model: str
    folder: Path
    embedder: str
    windows: int = 8
    outputs: Path | None = None
    workers: int = 1


@dataclass(slots=True)
class _Found:
    """What is known of each item, in the order of the file."""

    raw: RawItems
    measured: Sequence[Measured]
    repeats: Sequence[Repeat]
    templates: Sequence[float]
    answers: Sequence[Answer | None] = field(default_factory=list)

    def items(self) -> list[Item]:
        rows = zip(self.raw.items, self.measured, self.repeats, self.templates, self.answers, strict=True)
        return [_item(*row) for row in rows]


def make_profile(plan: Plan, progress: Narrator) -> Profile:
    """Profile an evaluation file.

    Raises:
        InputError: a file or a row is damaged; names file and line.
        DependencyError: the embedder cannot be loaded.
    """
    raw = read_items(plan.evaluation, plan.columns)
    # Before the long work: what is wrong with the predictions shows here.
    predictions = read_predictions(plan.outputs, raw.items) if plan.outputs else [None] * len(raw.items)
    tokenizer = Tokenizer(plan.folder)
    how = Measuring(plan.folder, plan.embedder, plan.windows)
    with progress.bar(f"measure {plan.evaluation.name}", len(raw.items)) as advance:
        measured = measure_file(raw.items, how, plan.workers, progress.say, advance)
    with progress.bar("look for repeats and templates", None):
        prompts, tasks = [item.prompt for item in raw.items], [item.task for item in raw.items]
        found = _Found(raw, measured, find_repeats(raw.items), template_shares(prompts, tasks))
        found.answers = count_answers(predictions, tokenizer)
    return _profile(plan, found, tokenizer)


def _profile(plan: Plan, found: _Found, tokenizer: Tokenizer) -> Profile:
    items = found.items()
    whole = whole_of(items)
    groups = {
        task: group_of([items[number] for number in numbers], [found.answers[number] for number in numbers], whole)
        for task, numbers in numbers_by_task([item.task for item in items]).items()
    }
    columns = found.raw.columns
    added = _template_tokens(tokenizer)
    outputs = _outputs(plan.outputs, items, found.answers, added or 0) if plan.outputs else None
    return Profile(
        tool=curator.__version__,
        file=SourceFile(
            name=without_surrogates(plan.evaluation.name),
            sha256=file_sha256(plan.evaluation),
            columns={what: without_surrogates(path) for what, path in columns.named().items()},
        ),
        tokenizer=TokenizerFacts(
            model=without_surrogates(plan.model),
            fingerprint=tokenizer.fingerprint,
            ids_fingerprint=tokenizer.ids_fingerprint,
            template_tokens=added,
        ),
        settings=_settings(plan),
        tasks=groups,
        overall=group_of(items, found.answers, whole),
        cells=cells_of(items),
        items=items,
        outputs=outputs,
        warnings=warnings_of(items, groups, outputs, has_task=bool(columns.task), embedder=plan.embedder),
    )


def _settings(plan: Plan) -> Settings:
    return Settings(
        windows=plan.windows,
        window_sentences=MIN_SENTENCES_TO_REJECT,
        embedder=without_surrogates(plan.embedder),
        least_z=AUTO_MIN,
        max_random=MAX_RANDOM,
        near_duplicate=JACCARD,
        versions={
            "continuity": continuity.VERSION,
            "random_text": random_text.VERSION,
            "language": str(language.VERSION),
        },
    )


def _item(raw: RawItem, measured: Measured, repeat: Repeat, template: float, answer: Answer | None) -> Item:
    return Item(
        row=raw.row,
        task=raw.task,
        language=measured.language,
        prompt_tokens=measured.prompt_tokens,
        gold_tokens=measured.gold_tokens,
        gold_type=raw.gold_type,
        output_tokens=answer.output_tokens if answer else None,
        score=answer.prediction.score if answer else None,
        continuity=measured.continuity.mean,
        continuity_se=measured.continuity.se,
        windows=measured.continuity.windows,
        ruled_windows=measured.continuity.ruled,
        low_windows=measured.continuity.low,
        random=measured.random,
        random_kinds=measured.random_kinds,
        template=template,
        low_continuity=measured.low_continuity,
        low_share=measured.low_share,
        duplicate_of=repeat.exact,
        near_duplicate_of=repeat.near,
    )


def _outputs(path: Path, items: Sequence[Item], answers: Sequence[Answer | None], added: int) -> Outputs:
    given = sum(answer is not None for answer in answers)
    return Outputs(
        name=without_surrogates(path.name),
        sha256=file_sha256(path),
        items=given,
        missing=len(items) - given,
        input_tokens=told_tokens(items, answers, side="input", added=added),
        output_tokens=told_tokens(items, answers, side="output"),
    )


def _template_tokens(tokenizer: Tokenizer) -> int | None:
    """What the chat template adds to a prompt of one turn; ``None`` where it takes none."""
    word = "prompt"
    try:
        templated = tokenizer.encode_chat([Message("user", word)], answer_next=True)
    except (InputError, TemplateRefusal):
        return None
    return len(templated) - tokenizer.count([word])[0]
