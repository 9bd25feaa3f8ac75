from __future__ import annotations

from pathlib import Path

import pytest
from huggingface_hub import constants
from loopback_hub import LoopbackHub

from curator.corpora.hub.hub_repository import open_hub
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.hub.state import hub_state, probe

NAME = "us/letters"


def fetch(place: DatasetPlace) -> None:
    repository = open_hub(place)
    repository.source(next(file for file in repository.files if file.path == "a.jsonl")).open().close()


@pytest.mark.parametrize("pinned", [True, False])
def test_state_goes_from_hub_to_cached(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, pinned: bool) -> None:
    commit = hub.add(NAME, {"README.md": b"#", "a.jsonl": b"{}\n"})
    place = DatasetPlace(id=NAME, revision=commit if pinned else None)
    assert hub_state(place) == "hub"
    assert hub.asked == []
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert hub_state(place) == "offline"
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    fetch(place)
    assert hub_state(place) == "cached"
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert hub_state(place) == "cached"


def test_the_card_alone_is_not_the_data(hub: LoopbackHub, tmp_path: Path) -> None:
    commit = hub.add(NAME, {"README.md": b"#", "a.jsonl": b"{}\n"})
    place = DatasetPlace(id=NAME, revision=commit)
    repository = open_hub(place)
    repository.source(repository.files[0]).open().close()
    assert hub_state(place) == "hub"


def test_probe_asks_once_and_says_what_is_wrong(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = hub.add(NAME, {"a.jsonl": b"{}\n"})
    hub.add("us/shut", {"a.jsonl": b"{}\n"}, gated=True)
    hub.add("us/ill", {"a.jsonl": b"{}\n"})
    hub.fail("us/ill", "status", 500, times=9)
    names = (NAME, "us/shut", "us/gone", "us/ill")
    places = [DatasetPlace(id=name, revision=commit if name == NAME else None) for name in names]
    found = probe(places)
    assert found[0] == ""
    assert found[1].startswith("data set us/shut: gated; accept its terms on")
    assert found[2].startswith("data set us/gone: not on the hub, or private")
    assert found[3] == "data set us/ill: 127.0.0.1 answers 500; try again later"
    assert len(hub.asked) == 4
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE is set" in probe(places[:1])[0]
    assert probe([]) == []
