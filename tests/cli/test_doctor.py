"""`curate doctor` does not call a data set of the hub something that is here."""

from __future__ import annotations

import json
import re
import socket
import sys
from pathlib import Path

import pytest

from curator.cli.doctor import _server, doctor, wrapped
from curator.corpora.shelf import find_card, load_cards
from curator.serve.launch.machine import GPU
from tests.serve.launch.launching import fake_python


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache of the hub, and no network."""
    from huggingface_hub import constants

    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "curate"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tmp_path / "hf"


def statuses(capfd: pytest.CaptureFixture[str]) -> dict[str, str]:
    doctor(json=True)
    findings = json.loads(capfd.readouterr().out)["findings"]
    return {finding["what"]: finding["status"] for finding in findings}


def test_hub_corpora_are_told_as_on_the_hub(hub: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = statuses(capfd)
    for card in load_cards().values():
        assert (found[f"corpus {card.id}"] == "hub") is (card.dataset is not None)
    doctor()
    lines = capfd.readouterr().out.splitlines()
    assert "hub     corpus squad: CC-BY-SA-4.0, not here, fetched when built" in lines
    assert "ok      corpus python-qa: Python-2.0" in lines
    assert "ready: build, quantise, measure in process" in " ".join(lines)


def test_what_was_fetched_is_here(hub: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = find_card("squad").dataset
    assert place is not None and place.revision is not None
    file = hub / f"datasets--{place.id.replace('/', '--')}" / "snapshots" / place.revision / "a.parquet"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x")
    found = statuses(capfd)
    assert (found["corpus squad"], found["corpus c4-en"]) == ("ok", "hub")


def test_offline_is_said(hub: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert statuses(capfd)["corpus squad"] == "offline"
    doctor()
    assert (
        "offline corpus squad: CC-BY-SA-4.0, not in the cache, and HF_HUB_OFFLINE is set\n"
        in capfd.readouterr().out
    )


def test_the_server_that_could_be_started_is_told_with_what_it_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATE_SERVER_PYTHON", str(fake_python(tmp_path)))
    monkeypatch.setattr("curator.serve.launch.machine.find_gpus", lambda: ())
    (found,) = _server()
    runs = "BF16 models, and checkpoints as dequantised twins (W4A16), on the CPU"
    expected = ("ok", f"0.5.23 by {tmp_path / 'fake-python'}: {runs}", "")
    assert (found["status"], found["detail"], found["fix"]) == expected
    # Its torch cannot use the GPU that is there.
    monkeypatch.setattr("curator.serve.launch.machine.find_gpus", lambda: (GPU("NVIDIA B200", (10, 0)),))
    assert _server()[0]["fix"] == "its torch is a CPU build: install one for CUDA to use NVIDIA B200"
    monkeypatch.setenv("CURATE_SERVER_PYTHON", str(tmp_path / "none"))
    assert _server()[0]["status"] == "optional"
    monkeypatch.setenv("CURATE_SERVER_PYTHON", sys.executable)
    assert "has no SGLang; `--url` needs none here" in _server()[0]["detail"]
    assert _server()[0]["fix"].startswith("scripts/sglang-cpu setup")


def test_lines_break_between_words_and_behind_slashes() -> None:
    text = "SGLang: 0.5.23 by /home/somebody/environments/sglang/bin/python: BF16 models"
    assert wrapped(text, 80) == [text]
    # A path that fits a line stays whole.
    assert wrapped(text, 50) == [
        "SGLang: 0.5.23 by",
        "/home/somebody/environments/sglang/bin/python:",
        "BF16 models",
    ]
    assert wrapped(text, 24) == [
        "SGLang: 0.5.23 by /home/",
        "somebody/environments/",
        "sglang/bin/python: BF16",
        "models",
    ]
    # What has no place to break at stays whole.
    assert wrapped("a " + "x" * 30 + " b", 10) == ["a", "x" * 30, "b"]


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_whole_words(
    hub: Path, width: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    doctor()
    piped = capfd.readouterr().out.splitlines()
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    doctor()
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capfd.readouterr().out).splitlines()
    assert max(map(len, shown)) <= width
    assert len(shown) > len(piped)
    # Joined again, and with what broke behind a slash, it is what a pipe gets.
    assert "".join("".join(shown).split()) == "".join("".join(piped).split())
    words = set(" ".join(piped).split())
    assert all(word in words or "/" in word for line in shown for word in line.split())
