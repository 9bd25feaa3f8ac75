from __future__ import annotations

import time

import pytest
from huggingface_hub import constants
from loopback_hub import LoopbackHub

from curator._errors import CurateError, DependencyError, InputError
from curator.corpora.hub.hub_repository import open_hub
from curator.corpora.hub.place import DatasetPlace

NAME = "us/letters"
FILES = {"README.md": b"# letters\n", "data/train.jsonl": b'{"text": "a"}\n', "data/big.jsonl": b"x" * 5000}

BAD_TOKEN = "Invalid credentials in Authorization header"
DISABLED = "Access to this resource is disabled."


def place(**keys: object) -> DatasetPlace:
    return DatasetPlace.model_validate({"id": NAME, **keys})


def test_newest_commit_is_found_and_told(hub: LoopbackHub) -> None:
    commit = hub.add(NAME, FILES)
    repository = open_hub(place())
    assert repository.commit == commit
    assert [(file.path, file.size) for file in repository.files] == [
        ("README.md", 10),
        ("data/big.jsonl", 5000),
        ("data/train.jsonl", 14),
    ]
    assert repository.files[1].sha256 and not repository.files[1].git_sha1
    assert repository.notes == (f"not pinned; write `revision: {commit}` to get the same text again",)


def test_pinned_commit_needs_no_question_about_the_newest(hub: LoopbackHub) -> None:
    old = hub.add(NAME, FILES)
    hub.add(NAME, {"other.txt": b"new"})
    repository = open_hub(place(revision=old))
    assert len(repository.files) == 3
    assert repository.notes == ()
    assert [path for path in hub.paths() if "/revision/" in path] == []
    assert open_hub(place()).files[0].path == "other.txt"


def test_branch_and_tag_names_with_slashes(hub: LoopbackHub) -> None:
    old = hub.add(NAME, FILES)
    hub.repos[NAME].branches["refs/convert/parquet"] = old
    hub.add(NAME, {"other.txt": b"new"})
    assert open_hub(place(revision="refs/convert/parquet")).commit == old


def test_listing_of_many_pages_asks_the_endpoint_only(hub: LoopbackHub) -> None:
    # The loopback's links to further pages name another host: a token must not follow them.
    hub.page = 7
    hub.add(NAME, {f"data/{number:03}.txt": b"t" for number in range(50)})
    assert len(open_hub(place()).files) == 50
    assert len([path for path in hub.paths() if "/tree/" in path]) == 8


def test_listing_of_a_commit_is_asked_for_once(hub: LoopbackHub) -> None:
    commit = hub.add(NAME, FILES)
    first = open_hub(place(revision=commit))
    asked = len(hub.asked)
    assert open_hub(place(revision=commit)) == first
    assert len(hub.asked) == asked


def test_offline_uses_what_was_seen_and_says_so(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = hub.add(NAME, FILES)
    online = open_hub(place())
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    offline = open_hub(place())
    assert (offline.commit, offline.files) == (commit, online.files)
    assert offline.notes == (f"offline; main is taken to be {commit}, as when it was last fetched",)
    with pytest.raises(DependencyError, match=r"us/never: main was never fetched here, .* dataset: FOLDER$"):
        open_hub(DatasetPlace(id="us/never"))
    with pytest.raises(DependencyError, match=f"revision {'a' * 40}: not in the cache, and HF_HUB_OFFLINE is set"):
        open_hub(place(revision="a" * 40))


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
def test_passing_fault_is_waited_out(hub: LoopbackHub, waits: list[float], status: int) -> None:
    hub.add(NAME, FILES)
    hub.fail("/revision/", "status", status, times=2)
    hub.fail("/tree/", "status", status, times=1)
    assert len(open_hub(place()).files) == 3
    assert waits == [1.0, 2.0, 1.0]


@pytest.mark.parametrize("kind", ["reset", "slow"])
def test_dropped_and_silent_connections_are_tried_again(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for module in ("calls", "hub_repository"):
        monkeypatch.setattr(f"curator.corpora.hub.{module}.TIMEOUT", 0.1)
    hub.add(NAME, FILES)
    hub.fail("/revision/", kind, 0.3, times=1)
    assert len(open_hub(place()).files) == 3


def test_server_that_asks_to_wait_is_obeyed_up_to_a_minute(hub: LoopbackHub, waits: list[float]) -> None:
    hub.add(NAME, FILES)
    hub.fail("/revision/", "status", 429, Retry_After="7")
    assert len(open_hub(place()).files) == 3
    assert waits == [7.0]
    hub.fail("/revision/", "status", 429, Retry_After="3600")
    with pytest.raises(DependencyError, match=r"too many requests to 127\.0\.0\.1; try again in 3600 seconds"):
        open_hub(place())
    assert waits == [7.0]


@pytest.mark.parametrize(
    ("status", "headers", "kind", "told"),
    [
        (404, {"X_Error_Code": "RepoNotFound"}, InputError, "not on the hub, or private"),
        (401, {"X_Error_Code": "RepoNotFound"}, InputError, "not on the hub, or private"),
        (404, {"X_Error_Code": "RevisionNotFound"}, InputError, "no such revision"),
        (401, {"X_Error_Code": "GatedRepo"}, DependencyError, "accept its terms on .*us/letters and set HF_TOKEN"),
        (403, {}, DependencyError, "gated; accept its terms"),
        (403, {"X_Error_Message": DISABLED}, DependencyError, "switched off by the hub"),
        (401, {"X_Error_Message": BAD_TOKEN}, DependencyError, "does not know the token"),
        (500, {}, DependencyError, "answers 500; try again later"),
        (503, {}, DependencyError, "answers 503; try again later"),
        (418, {}, DependencyError, "answers 418"),
        (400, {}, DependencyError, "answers 400"),
    ],
)  # fmt: skip
def test_each_refusal_is_one_clear_line(
    hub: LoopbackHub, status: int, headers: dict[str, str], kind: type[CurateError], told: str
) -> None:
    hub.add(NAME, FILES)
    hub.fail("/api/", "status", status, times=99, **headers)
    with pytest.raises(kind, match=f"^data set us/letters: .*(?:{told})") as caught:
        open_hub(place())
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)


def test_page_instead_of_json(hub: LoopbackHub) -> None:
    hub.add(NAME, FILES)
    hub.fail("/api/", "html", times=99)
    with pytest.raises(DependencyError, match="did not send what was asked for; check HF_ENDPOINT"):
        open_hub(place())


def test_nobody_listens(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(
        DependencyError, match=r"no connection to 127\.0\.0\.1 \(ConnectError\).* dataset: FOLDER$"
    ):
        open_hub(place())
    assert sum(waits) == 15


def test_what_was_fetched_before_is_offered(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.add(NAME, FILES)
    open_hub(place())
    hub.fail("/api/", "status", 503, times=99)
    with pytest.raises(DependencyError, match=r"answers 503; .*; or set HF_HUB_OFFLINE=1 to read what"):
        open_hub(place())


def test_interrupt_ends_the_waiting(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupted)
    hub.fail("/api/", "status", 503, times=99)
    with pytest.raises(KeyboardInterrupt):
        open_hub(place())
    assert len(hub.asked) == 1


@pytest.mark.parametrize("name", ["a b/c", "a/b/c/d", "x--y/..", "a/b.git", "Ünï/code", "a/b?c", "-a/b"])
def test_what_cannot_be_an_id(hub: LoopbackHub, name: str) -> None:
    with pytest.raises(InputError, match="data set "):
        open_hub(DatasetPlace(id=name))


def test_private_set_with_the_right_token(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.add(NAME, FILES, private=True)
    with pytest.raises(InputError, match="not on the hub, or private"):
        open_hub(place())
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    assert len(open_hub(place()).files) == 3
