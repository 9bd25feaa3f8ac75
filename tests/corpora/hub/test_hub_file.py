from __future__ import annotations

import hashlib
import io
import logging
import pickle
import random
from pathlib import Path

import pytest
from huggingface_hub import constants
from loopback_hub import LoopbackHub

from curator._errors import CurateError, DependencyError, InputError
from curator.corpora.hub import hub_file, range_stream
from curator.corpora.hub.hub_file import HubFile

NAME = "us/letters"
SMALL = b'{"text": "a"}\n'
LARGE = random.Random(7).randbytes(50_000)


@pytest.fixture
def commit(hub: LoopbackHub) -> str:
    return hub.add(NAME, {"small.jsonl": SMALL, "large.bin": LARGE})


def small(commit: str) -> HubFile:
    sha1 = hashlib.sha1(b"blob %d\0" % len(SMALL) + SMALL, usedforsecurity=False).hexdigest()
    return HubFile(NAME, commit, "small.jsonl", len(SMALL), git_sha1=sha1)


def large(commit: str) -> HubFile:
    return HubFile(NAME, commit, "large.bin", len(LARGE), sha256=hashlib.sha256(LARGE).hexdigest())


@pytest.fixture
def by_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_file, "WHOLE_BYTES", 0)
    monkeypatch.setattr(range_stream, "BLOCK", 8192)


def content(file: HubFile) -> bytes:
    with file.open() as handle:
        return handle.read()


def test_whole_file_is_fetched_once_and_used_offline(
    hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert content(small(commit)) == SMALL
    assert content(large(commit)) == LARGE
    asked = len(hub.asked)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert content(pickle.loads(pickle.dumps(small(commit)))) == SMALL
    assert content(large(commit)) == LARGE
    assert len(hub.asked) == asked


def test_what_is_not_cached_cannot_be_read_offline(
    hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(
        DependencyError, match=r"^file small\.jsonl of data set us/letters: not in the cache, and HF_HUB"
    ):
        small(commit).open()
    monkeypatch.setattr(hub_file, "WHOLE_BYTES", 0)
    with pytest.raises(DependencyError, match=r"not in the cache, and HF_HUB_OFFLINE is set; .* dataset: FOLDER$"):
        large(commit).open()
    assert hub.asked == []


def test_download_that_breaks_off_is_continued_at_its_byte(
    hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    hub.fail("/storage/", "cut", 20_000)
    assert content(large(commit)) == LARGE
    ranges = [headers.get("range") for verb, path, headers in hub.asked if verb == "GET" and "/storage/" in path]
    assert ranges == [None, "bytes=20000-"]


@pytest.mark.parametrize("where", ["/resolve/", "/storage/"])
@pytest.mark.parametrize("status", [500, 503])
def test_passing_fault_of_a_download(
    hub: LoopbackHub, commit: str, where: str, status: int, waits: list[float]
) -> None:
    hub.fail(where, "status", status, times=2)
    assert content(large(commit)) == LARGE
    assert waits == [1.0, 2.0]


def test_content_that_is_not_what_the_hub_lists_is_refused_and_not_kept(hub: LoopbackHub, commit: str) -> None:
    hub.fail("/storage/", "lie")
    with pytest.raises(
        DependencyError, match=r"large\.bin of data set us/letters: its content is not what the hub lists"
    ):
        large(commit).open()
    assert content(large(commit)) == LARGE
    hub.fail("small.jsonl", "lie", times=3)
    with pytest.raises(DependencyError, match="its content is not what the hub lists"):
        small(commit).open()
    assert content(small(commit)) == SMALL


def test_file_of_another_size_is_refused(hub: LoopbackHub, commit: str) -> None:
    longer = HubFile(NAME, commit, "small.jsonl", len(SMALL) + 1)
    with pytest.raises(DependencyError, match="its content is not what the hub lists"):
        longer.open()


def test_missing_file(hub: LoopbackHub, commit: str) -> None:
    with pytest.raises(InputError, match=r"^file gone\.txt of data set us/letters: no such file in this revision"):
        HubFile(NAME, commit, "gone.txt", 5).open()


@pytest.mark.parametrize("number", [28, 122])
def test_full_disk(hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def full(*_args: object, **_settings: object) -> str:
        raise OSError(number, "No space left on device")

    monkeypatch.setattr(hub_file, "hf_hub_download", full)
    with pytest.raises(DependencyError, match="the disk is full; free space, or set HF_HOME"):
        small(commit).open()


def test_compiled_downloader_that_fails(
    hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    def broken(*_args: object, **_settings: object) -> str:
        raise RuntimeError("Data processing error: https://signed.address/secret")

    monkeypatch.setattr(hub_file, "hf_hub_download", broken)
    with pytest.raises(
        DependencyError, match="Xet storage failed; try again, or set HF_HUB_DISABLE_XET=1"
    ) as caught:
        small(commit).open()
    assert "secret" not in str(caught.value) and len(waits) == 4


def test_cached_file_that_may_not_be_read(hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small(commit).open().close()

    def refused(*_args: object, **_settings: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(
        DependencyError, match=r"the cached file cannot be read \(Permission denied\); set HF_HOME"
    ):
        small(commit).open()


@pytest.mark.usefixtures("by_ranges")
def test_ranges_give_the_same_bytes_whatever_is_read(hub: LoopbackHub, commit: str) -> None:
    assert content(large(commit)) == LARGE
    with large(commit).open() as handle:
        assert handle.seekable()
        chance = random.Random(3)
        for _ in range(60):
            start, length = chance.randrange(len(LARGE) + 50), chance.choice([0, 1, 10, 9000])
            assert handle.seek(start) == start
            assert handle.read(length) == LARGE[start : start + length]
        assert handle.seek(-10, io.SEEK_END) == len(LARGE) - 10
        assert handle.read() == LARGE[-10:]
        assert handle.read() == b""
    assert all("large.bin" not in path for path in hub.paths("HEAD"))


@pytest.mark.usefixtures("by_ranges")
def test_an_answer_without_a_byte_is_a_failed_try(hub: LoopbackHub, commit: str, waits: list[float]) -> None:
    hub.fail("/storage/", "empty", times=3)
    assert content(large(commit)) == LARGE
    assert waits == [1.0, 2.0, 4.0]
    hub.fail("/storage/", "empty", times=1000)
    with (
        large(commit).open() as handle,
        pytest.raises(DependencyError, match=r"^file large\.bin of data set us/letters: no connection"),
    ):
        handle.read()
    assert waits[3:] == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.usefixtures("by_ranges")
def test_only_what_is_read_is_fetched(hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_file, "_BUFFER", 512)
    with large(commit).open() as handle:
        handle.seek(-100, io.SEEK_END)
        handle.read(100)
        handle.seek(0)
        handle.read(100)
    ranges = [headers["range"] for _, path, headers in hub.asked if "/storage/" in path]
    assert ranges == ["bytes=49152-49999", "bytes=0-8191"]


@pytest.mark.usefixtures("by_ranges")
def test_range_that_breaks_off_is_continued_at_its_byte(hub: LoopbackHub, commit: str, waits: list[float]) -> None:
    hub.fail("/storage/", "cut", 3000, times=2)
    hub.fail("/storage/", "cut", 0)
    hub.fail("/storage/", "reset")
    hub.fail("/storage/", "status", 503)
    assert content(large(commit)) == LARGE
    ranges = [headers["range"] for _, path, headers in hub.asked if "/storage/" in path]
    assert ranges[:4] == ["bytes=0-8191", "bytes=3000-8191", "bytes=6000-8191", "bytes=6000-8191"]
    assert len(waits) == 3


@pytest.mark.usefixtures("by_ranges")
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            "no_range",
            "the server does not give parts of files; fetch it first: hf download --repo-type dataset us/let",
        ),
        ("wrong_range", "the server gives another file than the hub lists"),
    ],
)
def test_server_that_gives_other_bytes_than_asked_for(
    hub: LoopbackHub, commit: str, fault: str, told: str
) -> None:
    with large(commit).open() as handle:
        assert handle.read(10) == LARGE[:10]
        hub.fail("/storage/", fault, times=99)
        handle.seek(40_000)
        with pytest.raises(DependencyError, match=told):
            handle.read(10)


@pytest.mark.usefixtures("by_ranges")
def test_file_that_changed_under_its_name(hub: LoopbackHub, commit: str) -> None:
    other = HubFile(NAME, commit, "large.bin", len(LARGE), sha256="0" * 64)
    with other.open() as handle, pytest.raises(DependencyError, match="gives another file than the hub lists"):
        handle.read(10)
    shorter = HubFile(NAME, commit, "large.bin", len(LARGE) - 1)
    with shorter.open() as handle, pytest.raises(DependencyError, match="gives another file than the hub lists"):
        handle.read(10)


@pytest.mark.usefixtures("by_ranges")
def test_cached_file_is_used_instead_of_ranges(
    hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_file, "WHOLE_BYTES", len(LARGE))
    large(commit).open().close()
    monkeypatch.setattr(hub_file, "WHOLE_BYTES", 0)
    asked = len(hub.asked)
    assert content(large(commit)) == LARGE
    assert len(hub.asked) == asked


def test_token_goes_to_the_hub_only_and_into_no_message(
    hub: LoopbackHub,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    secret = "hf_planted_secret_value"
    hub.token = secret
    monkeypatch.setenv("HF_TOKEN", secret)
    caplog.set_level(logging.DEBUG)
    commit = hub.add(NAME, {"small.jsonl": SMALL, "large.bin": LARGE}, gated=True)
    said = [repr(large(commit)), str(pickle.dumps(large(commit)))]
    assert content(large(commit)) == LARGE
    hub.fail("/resolve/", "status", 401, X_Error_Message="Invalid credentials in Authorization header")
    hub.fail("/resolve/", "status", 403)
    hub.fail("/resolve/", "status", 401, X_Error_Code="GatedRepo")
    hub.fail("/resolve/", "status", 500, times=5)
    hub.fail("/resolve/", "status", 429, times=5)
    hub.fail("/resolve/", "reset", times=5)
    for number in range(6):
        with pytest.raises(CurateError) as caught:
            small(commit).open().close()
        said += [str(caught.value), repr(caught.value), f"{number}"]
    monkeypatch.setattr(hub_file, "WHOLE_BYTES", 0)
    hub.fail("/storage/", "no_range", times=9)
    other = HubFile(NAME, commit, "large.bin", len(LARGE) + 1)
    with other.open() as handle, pytest.raises(CurateError) as caught:
        handle.read(5)
    said += [str(caught.value), *capfd.readouterr()]
    assert [text for text in said if secret in text or "secret-signature" in text] == []
    assert secret not in caplog.text
    to_storage = [headers for _, path, headers in hub.asked if "/storage/" in path]
    assert to_storage and all("authorization" not in headers for headers in to_storage)


@pytest.mark.parametrize("token", ["hf_ümlaut", "hf_line\nbreak", "hf_\u2028x"])
def test_token_that_cannot_be_one(
    hub: LoopbackHub, commit: str, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(CurateError) as caught:
        small(commit).open()
    assert "\n" not in str(caught.value) and token not in str(caught.value)
