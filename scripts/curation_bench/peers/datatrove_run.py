"""The work in datatrove, in its own environment: its examples' steps, as far as all three tools have them.

Arguments: folder of parts, output folder, fastText model, workers. Writes ``kept/`` and ``removed/`` (what the
steps against duplicates took out).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from datatrove.data import Document
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    ExactDedupConfig,
    ExactDedupFilter,
    ExactDedupSignature,
    ExactFindDedups,
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.filters import GopherQualityFilter, GopherRepetitionFilter, LanguageFilter
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.lid import FT176LID
from huggingface_hub import cached_assets_path


def text_of(document: Document) -> str:
    """What exact duplicates share."""
    return document.text


def main() -> None:
    """Run all stages, one after another."""
    source, out, model, workers = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    _place_model(model)
    tasks, minhash, exact = workers, MinhashConfig(), ExactDedupConfig(content_getter=text_of)

    def run(name: str, pipeline: list[object], count: int = tasks) -> None:
        LocalPipelineExecutor(
            pipeline=pipeline, tasks=count, workers=min(workers, count), logging_dir=str(out / "logs" / name)
        ).run()

    def reader(folder: Path) -> JsonlReader:
        return JsonlReader(str(folder), file_progress=False)

    def writer(name: str) -> JsonlWriter:
        return JsonlWriter(str(out / name), output_filename="${rank}.jsonl", compression=None)

    # Each stage's output is the next one's input, as its documents' places are what duplicates are known by.
    run(
        "filter",
        [
            reader(source),
            LanguageFilter(["en"]),
            GopherRepetitionFilter(),
            GopherQualityFilter(),
            writer("filtered"),
            ExactDedupSignature(str(out / "exact-signatures"), exact),
        ],
    )
    run("exact-find", [ExactFindDedups(str(out / "exact-signatures"), str(out / "exact"), exact)], 1)
    run(
        "exact-filter",
        [
            reader(out / "filtered"),
            ExactDedupFilter(str(out / "exact"), exact, exclusion_writer=writer("removed/exact")),
            writer("unique"),
            MinhashDedupSignature(str(out / "signatures"), minhash),
        ],
    )
    run(
        "buckets",
        [MinhashDedupBuckets(str(out / "signatures"), str(out / "buckets"), config=minhash)],
        minhash.num_buckets,
    )
    run("cluster", [MinhashDedupCluster(str(out / "buckets"), str(out / "clusters"), config=minhash)], 1)
    run(
        "minhash-filter",
        [
            reader(out / "unique"),
            MinhashDedupFilter(str(out / "clusters"), exclusion_writer=writer("removed/near")),
            writer("kept"),
        ],
    )


def _place_model(model: Path) -> None:
    """Put the model where the library would download it to: this machine may have no way out."""
    folder = cached_assets_path(library_name="datatrove", namespace="lid", subfolder=FT176LID.MODEL_SUBFOLDER)
    place = Path(folder) / FT176LID.MODEL_URL.split("://", 1)[1].replace("/", "_")
    for found in (place, Path(folder) / FT176LID.MODEL_URL.replace("/", "_")):
        found.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(model, found)
        Path(f"{found}.completed").touch()


if __name__ == "__main__":
    main()
