"""The whole measurement: every part alone in every format, and all parts together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from curator._errors import InputError
from curator._files import json_sha256, write_json, write_text
from curator._lock import folder_lock, sweep_temporaries
from curator._outputs import refuse_foreign
from curator._progress import Advance, Narrator
from curator.measure.baseline import Baseline
from curator.measure.heldout import Prompt
from curator.precision.activation_amax import activation_amax
from curator.precision.bench import (
    Sample,
    baseline_settings,
    chosen_prompts,
    given_baseline,
    opened,
    own_baseline,
    samples_of,
)
from curator.precision.candidates import Candidates, open_candidates
from curator.precision.document import TOGETHER, document_of
from curator.precision.evaluate import Evaluator
from curator.precision.formats import Format, QuantisedFormat
from curator.precision.measured import Measured
from curator.precision.parts import Layout, Part, layout_of, parts_of
from curator.precision.plan import SENSITIVITY_FOLDER, SensitivityPlan, check_plan, fix_plan
from curator.precision.replay import Replay
from curator.rank.stored import read_result
from curator.report.format import count, seconds
from curator.report.sensitivity_html import sensitivity_html
from curator.serve.in_process import InProcess


def run_sensitivity(plan: SensitivityPlan, narrator: Narrator) -> dict[str, Any]:
    """Run, or go on with, one measurement.

    Returns:
        The document (see document.py), also written to ``sensitivity.json``, with ``report.html`` beside it.

    Raises:
        RefusedError: the folder holds a measurement with other settings, or a baseline is of another model.
        InputError, DependencyError: as the steps say.
    """
    # Before the lock: its file must not land in a folder of something else.
    refuse_foreign(plan.out, SENSITIVITY_FOLDER)
    with folder_lock(plan.out), ExitStack() as stack:
        check_plan(plan)
        sweep_temporaries(plan.out)
        # Before the model: too few prompts are told at once.
        source: Baseline | list[Prompt] = (
            given_baseline(plan.model, plan.baseline, plan.prompts)
            if plan.baseline
            else chosen_prompts(plan.heldout, plan.prompts)
        )
        with narrator.bar(f"load {plan.model_name}", None):
            server = stack.enter_context(opened(plan.model, plan.dtype, plan.trust_remote_code))
            layout = layout_of(server.model, plan.ignore)
        parts = parts_of(layout, plan.by)
        fix_plan(plan)
        baseline = _baseline(plan, server, source, narrator)
        sample, kept = samples_of(baseline, plan.prompts)
        _check_lengths(server, (sample, kept))
        amax = _amax(plan, server, layout, narrator)
        candidates = open_candidates(server.model, layout, amax, plan.scheme, plan.checkpoint, stack)
        measured = Measured(plan.out / "measured.json", plan.key())
        replay = stack.enter_context(Replay(server.model, layout.layers))
        _measure(plan, parts, sample, replay, candidates, measured, narrator)
        document = document_of(plan, layout, parts, (sample, kept), baseline, amax, measured, replay.exact)
        write_json(plan.out / "sensitivity.json", document)
        write_text(plan.out / "report.html", sensitivity_html(document))
    return document


def _baseline(
    plan: SensitivityPlan, server: InProcess, source: Baseline | list[Prompt], narrator: Narrator
) -> Baseline:
    if isinstance(source, Baseline):
        return source
    settings = baseline_settings(plan.tokens, plan.batch_size)
    folder = plan.out / "baseline"
    return own_baseline(server, plan.model, plan.model_hash, source, settings, folder, narrator)


def _check_lengths(server: InProcess, samples: Sequence[Sample]) -> None:
    longest = server.longest()
    most = max(len(window.ids) for sample in samples for window in sample.windows)
    if longest is not None and most > longest:
        raise InputError(
            f"a window of the baseline has {most} tokens, the model {longest} positions; take another"
        )


def _amax(plan: SensitivityPlan, server: InProcess, layout: Layout, narrator: Narrator) -> dict[str, float]:
    """Of each linear layer's input on the set; found again under the same model, rows and layers."""
    if not plan.rows:
        return {}
    file = plan.out / "activations.json"
    key = json_sha256([plan.model_hash, plan.rows, list(layout.linears), plan.dtype])
    stored = read_result(file) or {}
    if stored.get("key") == key:
        found: dict[str, float] = stored["amax"]
        return found
    with narrator.bar(f"activation scales on {len(plan.rows)} rows of the set", len(plan.rows)) as advance:
        amax = activation_amax(server.model, layout, plan.rows, advance)
    write_json(file, {"key": key, "amax": amax})
    return amax


def _measure(
    plan: SensitivityPlan,
    parts: Sequence[Part],
    sample: Sample,
    replay: Replay,
    candidates: Candidates,
    measured: Measured,
    narrator: Narrator,
) -> None:
    """Every part that is not measured yet, layer by layer, each from its first layer on."""
    whole = Part(TOGETHER, tuple(name for part in parts for name in part.modules), 0, 0)
    work = [(part, chosen) for part in (whole, *parts) for chosen in plan.formats]
    work = [(part, chosen) for part, chosen in work if f"{part.name} {chosen}" not in measured]
    if not work:
        return
    with narrator.bar(f"BF16 on {len(sample.windows)} windows", None):
        evaluator = Evaluator(replay, candidates, sample.windows, plan.batch_size)
    with _estimated(evaluator, work, sample, narrator) as advance:
        hidden, layer = evaluator.start(), 0
        for part, chosen in sorted(work, key=lambda one: one[0].first):
            while layer < part.first:
                hidden = evaluator.after(layer, hidden)
                layer += 1
            formats: dict[str, Format] = dict.fromkeys(part.modules, chosen)
            measured.add(f"{part.name} {chosen}", evaluator.kl(formats, layer, hidden))
            advance(1)


@contextmanager
def _estimated(
    evaluator: Evaluator, work: Sequence[tuple[Part, QuantisedFormat]], sample: Sample, narrator: Narrator
) -> Iterator[Advance]:
    """Say what the work costs before it starts: each measurement runs the layers from its own on, and the head."""
    depth = evaluator.replay.depth
    whole, head = evaluator.cost()
    shares = [1 - part.first / depth for part, _ in work]
    narrator.say(
        f"{len(work)} measurements on {len(sample.windows)} prompts ({count(sample.tokens)} tokens, "
        f"{count(sample.scored)} scored): about {seconds(sum(head + share * (whole - head) for share in shares))}"
    )
    with narrator.bar("parts", len(work)) as advance:
        yield advance
