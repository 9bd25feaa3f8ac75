"""The engine on Ray: tasks in order, actors that keep a model loaded, and tables by Ray Data."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from curator._errors import DependencyError
from curator.engine.interface import ONE_CORE, Kept, Need, Result, Task
from curator.engine.on_ray.cluster import connect, disconnect
from curator.engine.on_ray.kept import RayKept
from curator.engine.on_ray.remote import RETRIES, SHARED, Session, answered, packed, translated, value_of

# Calls that wait for one actor: while it works on one, the next is on its way.
_AHEAD = 2


class RayEngine:
    """See `Engine`.

    Args:
        address: of a cluster's head; ``None`` starts Ray on this machine, and `close` ends it.
        workers: tasks that run at once; as many as there are cores when left out.

    Raises:
        DependencyError: Ray is not installed, or does not run.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        connect(address, workers)
        import ray

        self._ray: Any = ray
        self._session = Session.here(ray.get_runtime_context().get_node_id())
        self._most = workers
        self._actors: dict[bytes, list[Any]] = {}

    @property
    def workers(self) -> int:
        """See `Engine`."""
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        return max(min(cores, self._most or cores), 1)

    @property
    def cores(self) -> int:
        """See `Engine`."""
        return int(max(node["Resources"].get("CPU", 0) for node in self._ray.nodes() if node["Alive"]))

    @property
    def gpus(self) -> int:
        """See `Engine`."""
        return int(self._ray.cluster_resources().get("GPU", 0))

    def map_in_order(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], need: Need = ONE_CORE
    ) -> Iterator[Result]:
        """See `Engine`."""
        options = {"num_cpus": need.cpus, "num_gpus": need.gpus, "max_retries": RETRIES}
        self._refuse_impossible(need)
        remote = self._ray.remote(answered).options(scheduling_strategy="SPREAD", **options)
        call = self._ray.put(partial(_call, function))
        return self._in_order(lambda at, task: remote.remote(self._session, call, task), tasks, self.workers)

    def map_by_actors(
        self, make: Callable[[], Callable[[Task], Result]], tasks: Sequence[Task]
    ) -> Iterator[Result]:
        """See `Engine`."""
        actors = self._pool(make)
        return self._in_order(
            lambda at, task: actors[at % len(actors)].call.remote(task), tasks, _AHEAD * len(actors)
        )

    def keep(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Kept[Result]:
        """See `Engine`."""
        with translated():
            return RayKept.of(self._session, function, tasks, self.workers, self.gpus)

    def same_everywhere(self, function: Callable[[], str], what: str) -> None:
        """See `Engine`."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray, mine = self._ray, function()
        for node in ray.nodes():
            if not node["Alive"] or node["NodeID"] == self._session.node:
                continue
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            remote = ray.remote(answered).options(num_cpus=0, scheduling_strategy=there)
            try:
                found = value_of(ray.get(remote.remote(self._session, function)))
            except ray.exceptions.RayError:
                # It died in this moment; its work goes to others.
                continue
            if found != mine:
                name = node["NodeManagerAddress"]
                raise DependencyError(f"node {name} does not have the same {what} as this machine; {SHARED}")

    def close(self) -> None:
        """See `Engine`."""
        self._actors.clear()
        disconnect()

    def _in_order(self, submit: Callable[[int, Task], Any], tasks: Sequence[Task], ahead: int) -> Iterator[Any]:
        """Results in the order of the tasks; no more of them wait than keep every worker busy."""
        waiting: deque[Any] = deque()
        try:
            with translated():
                for at, task in enumerate(tasks):
                    waiting.append(submit(at, task))
                    if len(waiting) > 2 * ahead:
                        yield value_of(self._ray.get(waiting.popleft()))
                while waiting:
                    yield value_of(self._ray.get(waiting.popleft()))
        finally:
            # The caller has seen enough, or one failed: what has not begun never will.
            for one in waiting:
                self._ray.cancel(one, force=False)

    def _pool(self, make: Callable[[], Callable[[Any], Any]]) -> list[Any]:
        key = packed(make)
        if key not in self._actors:
            gpus = self.gpus
            options = {
                # They work while the command waits for them, and must not keep cores from tasks when they do not.
                "num_cpus": 0,
                "num_gpus": 1 if gpus else 0,
                "max_restarts": RETRIES,
                "max_task_retries": RETRIES,
                "scheduling_strategy": "SPREAD",
            }
            actor = self._ray.remote(_Actor).options(**options)
            count = min(gpus, self.workers) if gpus else self.workers
            self._actors[key] = [actor.remote(self._session, make) for _ in range(count)]
        return self._actors[key]

    def _refuse_impossible(self, need: Need) -> None:
        """Ray would wait for a machine that can do it until one comes."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        if not any(one.get("CPU", 0) >= need.cpus and one.get("GPU", 0) >= need.gpus for one in nodes):
            gpus = f" and {need.gpus} GPUs" if need.gpus else ""
            raise DependencyError(
                f"no node of the Ray cluster has {need.cpus} cores{gpus}; `ray status` shows what it has"
            )


class _Actor:
    """A process that made a function once."""

    def __init__(self, session: Session, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._session = session
        self._make = make
        self._made: Callable[[Any], Any] | None = None

    def call(self, task: Any) -> Any:
        """The function of a task."""
        return answered(self._session, self._apply, task)

    def _apply(self, task: Any) -> Any:
        # Here, where what it raises is told.
        if self._made is None:
            self._made = self._make()
        return self._made(task)


def _call(function: Callable[[Any], Any], task: Any) -> Any:
    return function(task)
