"""Writing a set folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import atomic_folder, file_sha256, read_json, write_json, write_jsonl, write_text
from curator._outputs import Ours, refuse_foreign
from curator.export.card import dataset_card, licence_file
from curator.export.hub_metadata import LICENCE_FILE
from curator.export.manifest import manifest, segments_of
from curator.export.pool import POOL_FILE, write_pool
from curator.measure.heldout import Prompt
from curator.pipeline.calibration_set import CalibrationSet
from curator.pipeline.pool import PoolRow, pool_rows
from curator.pipeline.score_summary import ScoreSummary
from curator.recipe.render import to_yaml
from curator.report.score_plots import EXAMPLES
from curator.report.set_html import set_html
from curator.tokens.tokenizer import Tokenizer

SET_FOLDER = Ours(
    "a set folder",
    "manifest.json",
    "set_hash",
    (
        "manifest.json",
        POOL_FILE,
        "samples.jsonl",
        "samples.parquet",
        "dataset",
        "recipe.yaml",
        "README.md",
        LICENCE_FILE,
        "report.html",
    ),
)


def refuse_other_set(out: Path, name: str) -> None:
    """Refuse an output folder that is not ours to replace, or holds the set of another recipe.

    Raises:
        InputError: see above.
    """
    refuse_foreign(out, SET_FOLDER)
    there = out / "manifest.json"
    found = read_json(there).get("name") if there.is_file() else name
    if found != name:
        raise InputError(f"{out}: holds the set {found!r} of another recipe; remove it or choose another folder")


def write_set(
    made: CalibrationSet, tokenizer: Tokenizer, prompts: Sequence[Prompt], out: Path, model: str
) -> dict[str, Any]:
    """Write a set folder, whole or not at all.

    Args:
        made: the set.
        tokenizer: that made its ids.
        prompts: held-out prompts that it was filtered against.
        out: the folder; a set of the same recipe there is replaced.
        model: what the user calls the model that the tokenizer is of.

    Returns:
        The manifest.

    Raises:
        InputError: ``out`` exists and is no set folder.
        DependencyError: the disk is full.
    """
    refuse_other_set(out, made.recipe.recipe.name)
    content = manifest(made, tokenizer, prompts, model)
    pool = pool_rows(made.judged, made.placed())
    with atomic_folder(out) as folder:
        samples = list(_samples(made, tokenizer))
        write_jsonl(folder / "samples.jsonl", iter(samples))
        _write_tables(folder, samples, made.recipe.recipe.export)
        write_pool(folder / POOL_FILE, pool)
        content["pool_sha256"] = file_sha256(folder / POOL_FILE)
        write_json(folder / "manifest.json", content)
        write_text(folder / "recipe.yaml", to_yaml(made.recipe, header=False))
        write_text(folder / "README.md", dataset_card(content))
        write_text(folder / LICENCE_FILE, licence_file(content))
        write_text(folder / "report.html", set_html(content, _examples(made), _scores(made, pool)))
    return content


def _samples(made: CalibrationSet, tokenizer: Tokenizer) -> Iterator[dict[str, Any]]:
    name, draw = made.recipe.recipe.name, made.draw
    for number, sequence in enumerate(made.sequences):
        parts = [
            {
                "id": part.segment.piece,
                "task": part.segment.task,
                "language": part.segment.language,
                "source": part.segment.corpus,
                "revision": part.segment.revision,
                "file": part.segment.file,
                "row": part.segment.row,
                "licence": part.segment.licence,
                "start": part.start,
                "end": part.end,
                "scores": dict(part.segment.scores),
            }
            for part in sequence.parts
        ]
        yield {
            "id": f"{name}/{draw}/{number}",
            "n_tokens": len(sequence.ids),
            "input_ids": list(sequence.ids),
            "text": tokenizer.decode(list(sequence.ids)),
            "parts": parts,
        }


def _write_tables(folder: Path, samples: list[dict[str, Any]], kinds: Sequence[str]) -> None:
    if not {"parquet", "datasets"} & set(kinds):
        return
    from datasets import Dataset
    from datasets.utils.logging import disable_progress_bar

    disable_progress_bar()
    table = Dataset.from_list(samples)
    if "parquet" in kinds:
        table.to_parquet(str(folder / "samples.parquet"))
    if "datasets" in kinds:
        table.save_to_disk(str(folder / "dataset"))


def _scores(made: CalibrationSet, pool: Sequence[PoolRow]) -> list[dict[str, Any]]:
    summary = ScoreSummary(made.recipe.recipe)
    for row in pool:
        summary.add(row)
    scores: list[dict[str, Any]] = summary.document()["scores"]
    return scores


def _examples(made: CalibrationSet) -> dict[str, Any]:
    kept = [
        {"id": segment.piece, "task": segment.task, "text": segment.text[:400], "scores": dict(segment.scores)}
        for segment in segments_of(made)[:EXAMPLES]
    ]
    return {"kept": kept, "dropped": made.examples}
