"""The work in Data-Juicer, in its own environment, by the calls that its default executor makes.

Arguments: the corpus, output folder, workers. The fastText model is found by DATA_JUICER_EXTERNAL_MODELS_HOME.
Writes ``kept.jsonl`` and ``before.txt``: ids that the filters left for the steps against duplicates.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml
from data_juicer.config import init_configs
from data_juicer.core.executor import DefaultExecutor
from data_juicer.ops import load_ops
from data_juicer.ops.op_fusion import fuse_operators

FILTERS = [
    {"language_id_score_filter": {"lang": "en", "min_score": 0.65}},
    {"alphanumeric_filter": {"tokenization": False, "min_ratio": 0.6}},
    {"average_line_length_filter": {"min_len": 10}},
    {"maximum_line_length_filter": {"min_len": 20}},
    {"character_repetition_filter": {"rep_len": 10, "max_ratio": 0.3}},
    {"word_repetition_filter": {"lang": "en", "rep_len": 10, "max_ratio": 0.3}},
    {"special_characters_filter": {"max_ratio": 0.4}},
    {"words_num_filter": {"lang": "en", "min_num": 20}},
    {"text_length_filter": {"min_len": 100}},
]
DEDUPLICATORS = [
    {"document_deduplicator": {}},
    {"document_minhash_deduplicator": {"window_size": 5, "num_permutations": 256, "jaccard_threshold": 0.8}},
]


def main() -> None:
    """Run filters, then steps against duplicates."""
    corpus, out, workers = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    config = {
        "project_name": "bench",
        "dataset_path": str(corpus),
        "export_path": str(out / "kept.jsonl"),
        "work_dir": str(out / "work"),
        "np": workers,
        "op_fusion": True,
        "open_monitor": False,
        "open_tracer": False,
        "use_cache": False,
        "keep_stats_in_res_ds": False,
        "process": FILTERS + DEDUPLICATORS,
    }
    (out / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    executor = DefaultExecutor(init_configs(["--config", str(out / "config.yaml")]))
    dataset = executor.dataset_builder.load_dataset()
    ops = load_ops(executor.cfg.process)
    filters, deduplicators = ops[: len(FILTERS)], ops[len(FILTERS) :]
    for part in (fuse_operators(filters), deduplicators):
        dataset = dataset.process(
            part,
            work_dir=executor.work_dir,
            exporter=executor.exporter,
            adapter=executor.adapter,
            open_monitor=False,
        )
        if part is not deduplicators:
            (out / "before.txt").write_text("\n".join(dataset["id"]), encoding="utf-8")
    executor.exporter.export(dataset)


if __name__ == "__main__":
    main()
