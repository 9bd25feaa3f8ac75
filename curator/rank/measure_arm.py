"""From a calibration set to a checkpoint to scores, each step skipped when its result is there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from curator._files import atomic_write, file_sha256, json_sha256, remove, write_json
from curator._progress import Narrator
from curator._seal import sealed
from curator.measure.baseline import Baseline
from curator.measure.comparable import check_comparable
from curator.measure.score import score_candidate
from curator.quantize.machine import find_devices
from curator.quantize.run import RECEIPT, Job, quantize_model
from curator.rank.arms import Draw
from curator.rank.ledger import Ledger
from curator.rank.plan import Plan
from curator.rank.stored import read_result, read_table
from curator.recipe.quantize_methods import Scheme
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.interface import Server
from curator.serve.open import open_server


@dataclass(frozen=True, slots=True)
class Measured:
    """One draw, measured.

    Attributes:
        receipt: of the quantisation.
        tables: per-token tables by scheme.
    """

    receipt: dict[str, Any]
    tables: dict[Scheme, pd.DataFrame]


def is_measured(plan: Plan, baseline: Baseline, draw: Draw, settings: QuantizeSettings) -> bool:
    """Whether a draw is scored already, under every scheme."""
    receipt = _receipt(plan, draw, settings)
    return receipt is not None and all(
        _stored(draw, scheme, _key(baseline, receipt, scheme, baseline.batch_size)) is not None
        for scheme in plan.schemes
    )


def measure_draw(
    plan: Plan, baseline: Baseline, draw: Draw, settings: QuantizeSettings, label: str, narrator: Narrator
) -> Measured:
    """Quantise with one set and score it under every scheme."""
    receipt = _receipt(plan, draw, settings)
    if receipt is None or not is_measured(plan, baseline, draw, settings):
        receipt = ensure_checkpoint(plan, draw, settings, label, narrator)
    ledger, tables = Ledger(plan.out), {}
    for scheme in plan.schemes:
        table = _stored(draw, scheme, _key(baseline, receipt, scheme, baseline.batch_size))
        if table is None:
            with ledger.timed("score", draw.folder.name, scheme=scheme):
                table = scored(plan, baseline, draw, receipt, scheme, baseline.batch_size, label, narrator)
        tables[scheme] = table
    return Measured(receipt, tables)


def ensure_checkpoint(
    plan: Plan, draw: Draw, settings: QuantizeSettings, label: str, narrator: Narrator
) -> dict[str, Any]:
    """The checkpoint of a draw, quantised unless it is there; returns its receipt."""
    checkpoint = draw.folder / "checkpoint"
    receipt = _receipt(plan, draw, settings)
    if receipt is not None and (checkpoint / RECEIPT).is_file():
        return receipt
    receipt = _quantize(plan, draw, settings, checkpoint, label, narrator)
    write_json(draw.folder / "receipt.json", sealed({**receipt, "model_hash": plan.model_hash}))
    line = {"step": "quantise", "of": draw.folder.name, "method": settings.method}
    Ledger(plan.out).put({**line, "seconds": receipt["seconds"]})
    return receipt


def quantize_again(
    plan: Plan, draw: Draw, settings: QuantizeSettings, out: Path, narrator: Narrator
) -> dict[str, Any]:
    """A second checkpoint from the same set, to see whether it is the same."""
    return _quantize(plan, draw, settings, out, "the same set again", narrator)


def drop_checkpoint(draw: Draw) -> None:
    """Remove a draw's checkpoint; its receipt and scores stay."""
    shutil.rmtree(draw.folder / "checkpoint", ignore_errors=True)


def scored(
    plan: Plan,
    baseline: Baseline,
    draw: Draw,
    receipt: dict[str, Any],
    scheme: Scheme,
    batch_size: int,
    label: str,
    narrator: Narrator,
) -> pd.DataFrame:
    """The per-token table of a draw's checkpoint, scored unless it is there."""
    key = _key(baseline, receipt, scheme, batch_size)
    stored = _stored(draw, scheme, key)
    if stored is not None:
        return stored
    with served(plan, baseline, draw, scheme, narrator) as server:
        table = score_now(baseline, server, batch_size, f"{label} {scheme}", narrator)
        entry = {
            "key": key,
            "estimator": table.attrs["estimator"],
            "server": server.facts(),
            "notes": server.notes,
        }
    # A table with the key of another would be believed.
    remove(_key_file(draw, scheme, batch_size))
    file = _table_file(draw, scheme, batch_size)
    with atomic_write(file) as handle:
        table.to_parquet(handle)
    write_json(_key_file(draw, scheme, batch_size), sealed({**entry, "table_sha256": file_sha256(file)}))
    return table


@contextmanager
def served(plan: Plan, baseline: Baseline, draw: Draw, scheme: Scheme, narrator: Narrator) -> Iterator[Server]:
    """A draw's checkpoint, run as the baseline's model was.

    Raises:
        RefusedError: it is not run as that was.
        DependencyError: no server could be started.
    """
    vocabulary = int(baseline.manifest["vocabulary"])
    with closing(
        open_server(
            plan.serving,
            draw.folder / "checkpoint",
            scheme,
            vocabulary,
            plan.dtype,
            narrator,
            trust_remote_code=plan.trust_remote_code,
        )
    ) as server:
        check_comparable(baseline, server)
        yield server


def score_now(baseline: Baseline, server: Server, batch_size: int, label: str, narrator: Narrator) -> pd.DataFrame:
    """The per-token table of what a server runs."""
    with narrator.bar(f"score {label}, batch {batch_size}", len(baseline.windows)) as advance:
        return score_candidate(baseline, server, batch_size, advance)


def _quantize(
    plan: Plan, draw: Draw, settings: QuantizeSettings, out: Path, label: str, narrator: Narrator
) -> dict[str, Any]:
    words = f"quantise {label}" if settings.needs_set else f"quantise {label} (no data)"
    job, devices = Job(settings, draw.rows, draw.set_hash, out), find_devices(plan.device)
    with narrator.bar(words, job.steps) as advance:
        receipt = quantize_model(
            plan.model, job, devices=devices, trust_remote_code=plan.trust_remote_code, advance=advance
        )
    narrator.say(f"{receipt['linears']} layers quantised by {settings.method}")
    return receipt


def _receipt(plan: Plan, draw: Draw, settings: QuantizeSettings) -> dict[str, Any] | None:
    receipt = read_result(draw.folder / "receipt.json")
    if receipt is None or not {"tensors_sha256", "seconds", "linears"} <= set(receipt):
        return None
    expected = {"settings": settings.used(), "set_hash": draw.set_hash, "model_hash": plan.model_hash}
    return receipt if all(receipt.get(name) == value for name, value in expected.items()) else None


def _key(baseline: Baseline, receipt: dict[str, Any], scheme: Scheme, batch_size: int) -> str:
    return json_sha256([baseline.manifest, receipt["tensors_sha256"], scheme, batch_size])


def _stored(draw: Draw, scheme: Scheme, key: str) -> pd.DataFrame | None:
    for batch_file in sorted(draw.folder.glob(f"{scheme}-batch-*.json")):
        entry = read_result(batch_file) or {}
        if entry.get("key") != key:
            continue
        table = read_table(batch_file.with_suffix(".parquet"), entry.get("table_sha256"))
        if table is not None and "estimator" in entry:
            table.attrs["estimator"] = entry["estimator"]
            return table
    return None


def _table_file(draw: Draw, scheme: Scheme, batch_size: int) -> Path:
    return draw.folder / f"{scheme}-batch-{batch_size}.parquet"


def _key_file(draw: Draw, scheme: Scheme, batch_size: int) -> Path:
    return draw.folder / f"{scheme}-batch-{batch_size}.json"
