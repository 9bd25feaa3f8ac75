"""A finished ranking in MLflow: one run for the ranking, one below it for each arm."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from curator._errors import DependencyError, InputError, first_line
from curator._files import file_sha256, read_json

PREFIX = "mlflow"
EXPERIMENT = "curate"
# What a run is found again by: the plan, and what came of it.
_KEY, _RESULT = "curate.run_key", "curate.ranking_sha256"
_FILES = ("ranking.json", "report.html")
_PARAMETERS = (
    "model",
    "scheme",
    "phase",
    "batch_size",
    "tokens_per_prompt",
    "prompts",
    "estimator",
    "dtype",
    "statement",
)


@dataclass(frozen=True, slots=True)
class Logged:
    """Where a ranking is in MLflow.

    Attributes:
        run: id of its run.
        place: where MLflow keeps it, without what an address may hold beside it.
        new: whether it was logged now; an equal ranking is not logged twice.
    """

    run: str
    place: str
    new: bool


def checked_target(text: str) -> str:
    """The address of ``mlflow`` or ``mlflow:URI``; empty for MLflow's own setting.

    Raises:
        InputError: it is neither, or holds a password.
        DependencyError: MLflow is not installed.
    """
    kind, _, uri = text.partition(":")
    if kind != PREFIX:
        raise InputError(f"--log {text!r}: unknown; write mlflow, or mlflow:URI such as mlflow:sqlite:///runs.db")
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise InputError(
            f"--log: no address ({error}); write mlflow:URI such as mlflow:sqlite:///runs.db"
        ) from error
    if parts.username or parts.password:
        raise InputError(
            "--log: an address with a user or password; put them into MLFLOW_TRACKING_USERNAME and "
            "MLFLOW_TRACKING_PASSWORD"
        )
    _mlflow()
    return uri


def log_ranking(folder: Path, uri: str = "") -> Logged:
    """Log a finished run folder.

    Args:
        folder: with ranking.json; report.html and figures/ are logged with it where they are there.
        uri: of a tracking server, a database or a folder; empty for what MLFLOW_TRACKING_URI says, else MLflow's
            default.

    Raises:
        InputError: no finished run.
        DependencyError: MLflow is not installed, or fails.
    """
    mlflow = _mlflow()
    ranking = read_json(folder / "ranking.json")
    if not isinstance(ranking, dict) or "primary" not in ranking or "arms" not in ranking:
        raise InputError(f"{folder / 'ranking.json'}: no ranking; run `curate rank` again")
    result = file_sha256(folder / "ranking.json")
    place = _shown(uri or mlflow.get_tracking_uri())
    try:
        client = mlflow.MlflowClient(tracking_uri=uri or None)
        experiment = _experiment(client)
        there = client.search_runs(
            [experiment], f"tags.`{_RESULT}` = '{result}' and attributes.status = 'FINISHED'"
        )
        if there:
            return Logged(there[0].info.run_id, place, new=False)
        return Logged(_log(client, experiment, folder, ranking, result), place, new=True)
    # Whatever a tracking server, a database or a disk raises: the ranking itself is safe in its folder.
    except Exception as error:
        raise DependencyError(
            f"MLflow at {place} failed ({_without_address(error)}); {folder} has the ranking, run it again"
        ) from error


def _log(client: Any, experiment: str, folder: Path, ranking: Mapping[str, Any], result: str) -> str:
    name = folder.resolve().name
    tags = {_KEY: str(ranking.get("run_key", "")), _RESULT: result, "mlflow.runName": name}
    run: str = client.create_run(experiment, tags=tags, run_name=name).info.run_id
    try:
        for key in _PARAMETERS:
            if key in ranking["primary"]:
                client.log_param(run, key, str(ranking["primary"][key])[:500])
        for key, value in ranking.get("environment", {}).items():
            client.set_tag(run, f"environment.{_name(key)}", str(value)[:500])
        for key, number in _of_ranking(ranking):
            client.log_metric(run, key, number)
        for arm in ranking["arms"]:
            _log_arm(client, experiment, run, arm)
        for file in _FILES:
            if (folder / file).is_file():
                client.log_artifact(run, str(folder / file))
        if (folder / "figures").is_dir():
            client.log_artifacts(run, str(folder / "figures"), "figures")
    except BaseException:
        client.set_terminated(run, "FAILED")
        raise
    # Last: only a whole one counts as logged.
    client.set_terminated(run, "FINISHED")
    return run


def _log_arm(client: Any, experiment: str, parent: str, arm: Mapping[str, Any]) -> None:
    name = str(arm["name"])
    made = client.create_run(experiment, tags={"mlflow.parentRunId": parent}, run_name=name)
    run = made.info.run_id
    for key in ("name", "recipe", "method", "kind", "draws"):
        if arm.get(key) is not None:
            client.log_param(run, key, str(arm[key])[:500])
    hashes = [made["set_hash"] for made in arm.get("sets", ()) if "set_hash" in made]
    if hashes:
        client.set_tag(run, "set_hashes", ",".join(hashes)[:5000])
    for key, number in _of_arm(arm):
        client.log_metric(run, key, number)
    client.set_terminated(run, "FINISHED")


def _of_ranking(ranking: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    yield from _numbers(ranking, ("smallest_detectable",))
    floors = ranking.get("floors")
    if isinstance(floors, dict):
        yield from _numbers(floors, ("used_sd",), "floor_")
    for arm in ranking["arms"]:
        for key, number in _of_arm(arm):
            if key in ("kl", "kl_low", "kl_high"):
                yield f"{key}/{_name(arm['name'])}", number


def _of_arm(arm: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    yield from _interval(arm)
    yield from _numbers(arm, ("top1", "cosine", "js", "kl_median", "kl_p99", "kl_max"))
    for task, found in (arm.get("by_task") or {}).items():
        yield from _interval(found, "task_", f"/{_name(task)}")
    other = arm.get("other_scheme")
    if isinstance(other, dict):
        yield from _interval(other, "scheme_", f"/{_name(other.get('scheme', 'other'))}")


def _interval(found: Mapping[str, Any], before: str = "", after: str = "") -> Iterator[tuple[str, float]]:
    # A store of files has one for each name: with `kl` there can be no `kl/prose`.
    if _is_number(found.get("kl_mean")):
        yield f"{before}kl{after}", float(found["kl_mean"])
    ends = found.get("kl_ci")
    if isinstance(ends, list) and len(ends) == 2 and all(map(_is_number, ends)):
        yield f"{before}kl_low{after}", float(ends[0])
        yield f"{before}kl_high{after}", float(ends[1])


def _numbers(found: Mapping[str, Any], keys: tuple[str, ...], before: str = "") -> Iterator[tuple[str, float]]:
    yield from ((f"{before}{key}", float(found[key])) for key in keys if _is_number(found.get(key)))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _name(text: object) -> str:
    """A name as MLflow takes it: letters, digits and a few marks."""
    return "".join(letter if letter.isalnum() or letter in "_-. " else "_" for letter in str(text))[:200]


def _experiment(client: Any) -> str:
    found = client.get_experiment_by_name(EXPERIMENT)
    return str(found.experiment_id if found else client.create_experiment(EXPERIMENT))


def _mlflow() -> Any:
    # Before the import, which reads it: the library would tell its makers what it is used for.
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "true")
    # A folder is a store as good as any for a single user; the library wants to be told so.
    os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    try:
        import mlflow
    except ImportError as error:
        raise DependencyError('--log mlflow: MLflow is not installed; pip install -e ".[mlflow]"') from error
    return mlflow


def _shown(uri: str) -> str:
    """An address without user, password and query, which may hold a token."""
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl()


def _without_address(error: Exception) -> str:
    """An error's first line, unless it may repeat an address with what is secret in it."""
    line = first_line(error)
    return type(error).__name__ if "://" in line or "@" in line else line
