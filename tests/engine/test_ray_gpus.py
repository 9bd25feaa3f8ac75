"""Who gets which GPU, on a cluster that says it has two; what runs on them is not looked at here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray_functions as functions

from curator.engine.interface import Need
from curator.engine.on_ray.engine import RayEngine

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytestmark = [pytest.mark.ray, pytest.mark.full, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[RayEngine]:
    """Three slots and two GPUs; workers find the functions of these tests."""
    import ray.cluster_utils

    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "1")
    head = {"num_cpus": 3, "num_gpus": 2, "include_dashboard": False}
    cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    started = RayEngine(cluster.address)
    yield started
    started.close()
    cluster.shutdown()


def test_a_task_sees_its_own_gpus_alone(engine: RayEngine) -> None:
    assert engine.gpus == 2
    assert set(engine.map_in_order(functions.seen_gpus, range(6), Need(1, 1))) == {"0", "1"}
    for both in engine.map_in_order(functions.seen_gpus, range(2), Need(1, 2)):
        assert sorted(both.split(",")) == ["0", "1"]
    assert set(engine.map_in_order(functions.seen_gpus, range(3))) == {""}
    # As many actors as GPUs, each with one.
    found = set(engine.map_by_actors(functions.gpus_of_actor, range(6)))
    assert {gpus for _, gpus in found} == {"0", "1"} and len(found) == 2
