"""A ranking in MLflow's own stores, a folder and a database, read back through MLflow."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

mlflow = pytest.importorskip("mlflow", reason="the extra mlflow is not installed")

from curator._errors import DependencyError, InputError  # noqa: E402
from curator.export.mlflow_log import EXPERIMENT, checked_target, log_ranking  # noqa: E402

RANKING: dict[str, Any] = {
    "run_key": "abc123",
    "primary": {"model": "tiny", "scheme": "W4A4", "phase": "prefill", "batch_size": 8, "dtype": "float32"},
    "environment": {"version": "5.17.0", "model hash": "m"},
    "smallest_detectable": 0.041,
    "floors": {"used_sd": 0.002},
    "arms": [
        {
            "name": "coherent mix (1)",
            "recipe": "coherent-mix",
            "method": "gptq",
            "kind": "user",
            "draws": 5,
            "kl_mean": 0.2202,
            "kl_ci": [0.191, 0.249],
            "top1": 0.824,
            "by_task": {"prose": {"kl_mean": 0.2266, "kl_ci": [0.2, 0.25]}},
            "other_scheme": {"scheme": "W4A16", "kl_mean": 0.0829},
            "sets": [{"set_hash": "f565"}, {"set_hash": "a96a"}],
        },
        {"name": "no-data", "method": "rtn", "kind": "null", "draws": 1, "kl_mean": 0.355},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "first"
    (made / "figures").mkdir(parents=True)
    (made / "ranking.json").write_text(json.dumps(RANKING))
    (made / "report.html").write_text("<!doctype html>")
    (made / "figures" / "arms.csv").write_text("arm,kl\n")
    return made


@pytest.fixture(scope="module")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: MLflow needs seconds for the tables."""
    made = tmp_path_factory.mktemp("database") / "empty.db"
    assert mlflow.MlflowClient(tracking_uri=f"sqlite:///{made}").search_runs(["0"]) == []
    return made


@pytest.fixture(params=["folder", "database"])
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return (tmp_path / "mlruns").as_uri()
    shutil.copy(request.getfixturevalue("empty_database"), tmp_path / "m.db")
    return f"sqlite:///{tmp_path / 'm.db'}"


def test_a_ranking_and_its_arms_are_read_back(
    folder: Path, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    logged = log_ranking(folder, uri)
    assert logged.new
    client = mlflow.MlflowClient(tracking_uri=uri)
    run = client.get_run(logged.run)
    assert run.info.status == "FINISHED" and run.info.run_name == "first"
    assert run.data.params["scheme"] == "W4A4" and run.data.params["batch_size"] == "8"
    assert run.data.tags["environment.model hash"] == "m"
    assert run.data.metrics["smallest_detectable"] == 0.041 and run.data.metrics["floor_used_sd"] == 0.002
    # With both ends of its interval; marks that MLflow refuses in a name are replaced.
    arm = "coherent mix _1_"
    found = [run.data.metrics[f"{key}/{arm}"] for key in ("kl", "kl_low", "kl_high")]
    assert found == [0.2202, 0.191, 0.249]
    assert {file.path for file in client.list_artifacts(logged.run)} == {"ranking.json", "report.html", "figures"}
    kept = Path(client.download_artifacts(logged.run, "ranking.json", str(tmp_path)))
    assert json.loads(kept.read_text()) == RANKING
    experiment = client.get_experiment_by_name(EXPERIMENT)
    below = client.search_runs([experiment.experiment_id], f"tags.`mlflow.parentRunId` = '{logged.run}'")
    arms = {one.data.params["name"]: one.data for one in below}
    assert set(arms) == {"coherent mix (1)", "no-data"}
    mine = arms["coherent mix (1)"]
    assert mine.params["recipe"] == "coherent-mix" and mine.tags["set_hashes"] == "f565,a96a"
    assert (mine.metrics["task_kl/prose"], mine.metrics["scheme_kl/W4A16"], mine.metrics["top1"]) == (
        0.2266,
        0.0829,
        0.824,
    )
    assert "kl_low" not in arms["no-data"].metrics


def test_the_same_ranking_is_logged_once(
    folder: Path, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = log_ranking(folder, uri)
    again = log_ranking(folder, uri)
    assert (again.run, again.new) == (first.run, False)
    changed = {**RANKING, "smallest_detectable": 0.03}
    (folder / "ranking.json").write_text(json.dumps(changed))
    assert log_ranking(folder, uri).run != first.run


def test_a_run_that_was_broken_off_is_logged_anew(
    folder: Path, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def full(*_: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(mlflow.MlflowClient, "log_artifact", full)
        with pytest.raises(DependencyError, match=r"failed \(disk full\); .*run it again") as error:
            log_ranking(folder, uri)
    assert "\n" not in str(error.value)
    assert log_ranking(folder, uri).new


def test_what_is_no_run_and_no_store(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ranking\.json: no such file"):
        log_ranking(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(DependencyError, match=r"^MLflow at .* failed \("):
        log_ranking(folder, (tmp_path / "file" / "below").as_uri())


@pytest.mark.parametrize("text", ["mlflow", "mlflow:", "mlflow:sqlite:///a.db", "mlflow:http://host:5000"])
def test_targets(text: str) -> None:
    assert checked_target(text) == text.partition(":")[2]


@pytest.mark.parametrize(
    "text", ["wandb", "", "mlflowx:a", "MLFLOW", "mlflow:http://me:secret@host", "mlflow:http://[::"]
)
def test_what_is_no_target(text: str) -> None:
    with pytest.raises(InputError, match="--log") as error:
        checked_target(text)
    assert "secret" not in str(error.value)
