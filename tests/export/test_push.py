"""`curate push`, through the hub's own library to a hub on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from huggingface_hub import close_session, constants
from loopback_hub import serving
from writable_hub import FIRST, WritableHandler, WritableHub

from curator._errors import CurateError, DependencyError, InputError, RefusedError
from curator.cli.push import push
from curator.export.folder import write_set
from curator.export.redistribution import not_passed_on
from curator.pipeline.build import build_draws
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer

TEXTS = [
    "The river rises in the hills and runs through three valleys before it meets the sea.",
    "A lighthouse keeper writes down the hour of every passing ship, and the weather.",
    "Bread rises because yeast eats sugar and breathes out gas, which the dough holds.",
    "The oldest bridge of the town has seven arches, and no two of them are alike.",
]
PUBLISHED = {"README.md", "LICENSE.md", "manifest.json", "recipe.yaml", "samples.jsonl", "samples.parquet"}
MakeSet = Callable[..., Path]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[WritableHub]:
    server = WritableHub()
    with serving(server, WritableHandler):
        monkeypatch.setattr(constants, "ENDPOINT", server.endpoint)
        monkeypatch.setattr("huggingface_hub.hf_api.ENDPOINT", server.endpoint, raising=False)
        template = server.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        # The stand-in has LFS storage; Xet's is a compiled client's own protocol.
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(time, "sleep", lambda _seconds: None)
        monkeypatch.setenv("HF_TOKEN", server.token)
        close_session()
        yield server
        close_session()


@pytest.fixture(scope="module")
def shelf(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> MakeSet:
    """Builds real sets of three sequences, each once."""
    top = tmp_path_factory.mktemp("sets")

    def built(name: str, licence: str, **keys: str) -> Path:
        folder = "-".join((name, licence, *keys.values())).translate(str.maketrans("[], ", "____"))
        if (top / folder).exists():
            return top / folder
        rows = top / f"{folder}.jsonl"
        rows.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
        values = {"export": "[jsonl, parquet, datasets]", **keys}
        recipe = top / f"{folder}.yaml"
        recipe.write_text(
            f"name: {name}\nsize: {{samples: 3, tokens: 32}}\ntarget: {{tasks: {{prose: 1}}}}\n"
            f"sources:\n  - {{files: {rows.name}, task: prose, licence: {licence!r}}}\n"
            "gates: {length: {min_chars: 10}}\ncontinuity: {min: false}\n"
            + "".join(f"{key}: {value}\n" for key, value in values.items())
        )
        tokenizer = Tokenizer(tiny_model)
        made = build_draws(load_recipe(recipe), tokenizer, 1, [])[0]
        write_set(made, tokenizer, [], top / folder, "tiny")
        return top / folder

    return built


@pytest.fixture
def make(shelf: MakeSet, tmp_path: Path) -> MakeSet:
    """A set folder of the test's own, to push or to spoil."""

    def copied(folder: str = "set", name: str = "mine", licence: str = "CC0-1.0", **keys: str) -> Path:
        return Path(shutil.copytree(shelf(name, licence, **keys), tmp_path / folder))

    return copied


def told(capfd: pytest.CaptureFixture[str], folder: Path, repo: str = "me/mine", **options: Any) -> dict[str, Any]:
    capfd.readouterr()
    push(folder, repo, json=True, **options)
    answer: dict[str, Any] = json.loads(capfd.readouterr().out)
    return answer


def test_a_new_set_is_private_whole_and_tagged(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = make()
    answer = told(capfd, folder)
    assert hub.repos["me/mine"].private
    there = hub.files("me/mine")
    # What the gates refused is quoted in pool.parquet and report.html, which stay here.
    assert set(there) == PUBLISHED | set(FIRST)
    assert all(there[name] == (folder / name).read_bytes() for name in PUBLISHED)
    set_hash = json.loads((folder / "manifest.json").read_text())["set_hash"]
    assert hub.tags["me/mine"] == {f"set-{set_hash[:16]}": answer["commit"]}
    assert hub.messages == [(f"mine: set {set_hash[:12]}", f"Set hash (of the token ids): {set_hash}")]
    assert (answer["created"], answer["private"], set(answer["changed"])) == (True, True, PUBLISHED)
    # Both ways of the protocol were taken.
    assert any("/info/lfs/objects/batch" in path for path in hub.paths("POST"))
    assert hub.paths("PUT")


def test_the_second_push_sends_nothing(hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]) -> None:
    folder = make()
    first = told(capfd, folder)
    hub.asked.clear()
    second = told(capfd, folder)
    assert (second["commit"], second["tag"], second["created"]) == (first["commit"], first["tag"], False)
    assert second["changed"] == second["removed"] == []
    assert not hub.paths("PUT") and not [path for path in hub.paths("POST") if "/tag/" not in path]
    assert len(hub.messages) == 1


def test_another_state_of_the_set_replaces_the_first(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    first = told(capfd, make())
    hub.add("me/mine", {**hub.files("me/mine"), "notes.txt": b"of the owner"})
    second = told(capfd, make("again", seed="5", export="[jsonl]"))
    # The table of the old rows is gone; what is not of a set is left alone.
    assert second["removed"] == ["samples.parquet"]
    assert set(hub.files("me/mine")) == PUBLISHED - {"samples.parquet"} | {"notes.txt", *FIRST}
    assert set(hub.tags["me/mine"]) == {first["tag"], second["tag"]} and first["tag"] != second["tag"]
    old = hub.repos["me/mine"].commits[hub.tags["me/mine"][first["tag"]]]
    assert pq.read_table(_as_file(old["samples.parquet"])).num_rows == 3


def _as_file(content: bytes) -> Any:
    import io

    return io.BytesIO(content)


@pytest.mark.parametrize(
    ("where", "times"),
    [("/api/datasets/me", 2), ("/repos/create", 1), ("/preupload/", 1), ("/upload/", 2), ("/tag/", 1)],
)
def test_faults_that_pass_are_passed(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str], where: str, times: int
) -> None:
    hub.fail(where, "status", 503, times)
    answer = told(capfd, make())
    assert set(hub.files("me/mine")) == PUBLISHED | set(FIRST)
    assert hub.tags["me/mine"] == {answer["tag"]: answer["commit"]}


def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.lose_answers = 1
    answer = told(capfd, make())
    assert len(hub.messages) == 1
    assert hub.repos["me/mine"].branches["main"] == answer["commit"]
    assert set(answer["changed"]) == PUBLISHED


def test_a_push_that_was_stopped_goes_on(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = make()
    hub.fail("/commit/", "status", 500, times=9)
    with pytest.raises(DependencyError, match=r"^data set me/mine: 127\.0\.0\.1 answers 500; try again later$"):
        told(capfd, folder)
    hub.faults.clear()
    hub.asked.clear()
    told(capfd, folder)
    # What the storage has is not sent again.
    assert not hub.paths("PUT")
    assert set(hub.files("me/mine")) == PUBLISHED | set(FIRST)


def test_a_public_repository_is_asked_for_by_name(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add("me/open", dict(FIRST))
    with pytest.raises(RefusedError, match="is public already; add --public"):
        told(capfd, make(), "me/open")
    assert set(hub.files("me/open")) == set(FIRST)
    assert not told(capfd, make("other"), "me/open", public=True)["private"]
    assert not told(capfd, make("third"), "me/new", public=True)["private"]
    assert not hub.repos["me/new"].private


def test_what_is_there_is_not_overwritten(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add("me/other", {"train.csv": b"a,b\n"}, private=True)
    with pytest.raises(RefusedError, match=r"me/other: holds train\.csv and no set"):
        told(capfd, make(), "me/other")
    told(capfd, make("first"), "me/mine")
    with pytest.raises(RefusedError, match="me/mine: holds the set 'mine', not 'yours'"):
        told(capfd, make("second", name="yours"), "me/mine")
    hub.add("me/broken", {"manifest.json": b"[" * 100_000}, private=True)
    with pytest.raises(RefusedError, match="holds the set None"):
        told(capfd, make("third"), "me/broken")


CHANGED_BETWEEN = "somebody else changed it meanwhile"


@pytest.mark.parametrize(
    ("where", "status", "what"),
    [
        ("/commit/", 412, CHANGED_BETWEEN),
        ("/commit/", 409, CHANGED_BETWEEN),
        ("/commit/", 413, "finds the set too large"),
        ("/validate-yaml", 400, "look at the head of README"),
        ("/commit/", 403, "the token in HF_TOKEN may not write to me"),
    ],
)
def test_refusals_are_one_line(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str], where: str, status: int, what: str
) -> None:
    hub.fail(where, "status", status, times=9)
    with pytest.raises(CurateError, match=what) as error:
        told(capfd, make())
    assert "\n" not in str(error.value) and hub.token not in str(error.value)


def test_who_may_not_write_is_told(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make()
    with pytest.raises(DependencyError, match="may not write to them"):
        told(capfd, folder, "them/mine")
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(DependencyError, match="does not know the token in HF_TOKEN") as wrong:
        told(capfd, folder)
    assert "hf_wrong" not in str(wrong.value)
    monkeypatch.delenv("HF_TOKEN")
    asked = len(hub.asked)
    with pytest.raises(InputError, match="not signed in; set HF_TOKEN"):
        told(capfd, folder)
    monkeypatch.setenv("HF_TOKEN", hub.token)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DependencyError, match="HF_HUB_OFFLINE is set"):
        told(capfd, folder)
    assert len(hub.asked) == asked and not hub.repos


@pytest.mark.parametrize("name", ["mine", "a/b/c", "me/with space", "me/", "/mine", "../mine", "me/mine\n"])
def test_a_repository_is_named_in_full(make: MakeSet, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--repo .*: .*write owner/name"):
        push(tmp_path, name)


def test_a_dry_run_asks_nobody(hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]) -> None:
    folder = make()
    push(folder, "me/mine", dry_run=True)
    shown = capfd.readouterr().out
    assert not hub.asked
    assert all(name in shown for name in PUBLISHED) and "pool.parquet" not in shown
    # The card, whole, and who would see it.
    assert (folder / "README.md").read_text() in shown
    assert "only its owner sees it" in shown and "licences: CC0-1.0 (3 rows)" in shown
    assert told(capfd, folder, dry_run=True)["dry_run"] is True


def test_a_changed_set_is_refused(hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]) -> None:
    folder = make("a")
    rows = (folder / "samples.jsonl").read_text().splitlines(keepends=True)
    (folder / "samples.jsonl").write_text("".join(rows[:2]))
    with pytest.raises(InputError, match=r"does not match manifest\.json's set_hash"):
        told(capfd, folder)
    folder = make("b")
    other = make("c", seed="5")
    (folder / "samples.parquet").write_bytes((other / "samples.parquet").read_bytes())
    with pytest.raises(InputError, match=r"samples\.parquet: holds other rows than samples\.jsonl"):
        told(capfd, folder)
    (folder / "samples.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"samples\.parquet: is not a set's table"):
        told(capfd, folder)
    (folder / "LICENSE.md").unlink()
    (folder / "samples.parquet").unlink()
    with pytest.raises(InputError, match=r"LICENSE\.md is missing"):
        told(capfd, folder)
    assert not hub.asked


def test_text_that_may_not_be_passed_on_stays_here(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = make(licence="CC-BY-ND-4.0")
    with pytest.raises(RefusedError, match=r"'CC-BY-ND-4\.0', which allows no excerpts.*--allow 'CC-BY-ND-4\.0'"):
        told(capfd, folder)
    assert not hub.asked
    assert told(capfd, folder, allow=["CC-BY-ND-4.0"])["licences"] == {"CC-BY-ND-4.0": 3}
    with pytest.raises(RefusedError, match="'unknown', which nobody says that it may be passed on"):
        told(capfd, make("b", licence="unknown"), allow=["MIT"])


@pytest.mark.parametrize(
    ("expression", "allowed", "granted"),
    [
        ("MIT", [], True),
        ("apache-2.0", [], True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", [], True),
        ("GPL-3.0+", [], True),
        ("CC-BY-SA-4.0 AND ODC-By-1.0", [], True),
        ("CC-BY-NC-SA-4.0", [], True),
        ("CC-BY-NC-ND-4.0", [], False),
        ("CC-BY-ND-4.0 OR MIT", [], True),
        ("CC-BY-ND-4.0 AND MIT", [], False),
        ("CC-BY-ND-4.0 AND MIT", ["cc-by-nd-4.0"], True),
        ("unknown", [], False),
        ("unknown", ["unknown"], True),
        ("NOASSERTION", [], False),
        ("NOASSERTION", ["unknown"], True),
        ("MIT AND unknown", [], False),
        ("LicenseRef-shop", [], False),
        ("LicenseRef-shop", ["LicenseRef-shop"], True),
        ("LicenseRef-shop", ["LicenseRef-other"], False),
        ("no expression at all", [], False),
        ("no expression at all", ["no expression at all"], True),
        ("BUSL-1.1", [], False),
        ("", [], False),
    ],
)
def test_licences_that_grant_passing_on(expression: str, allowed: list[str], granted: bool) -> None:
    assert (not_passed_on(expression, allowed) is None) is granted


def test_secrets_and_paths_of_this_machine(
    hub: WritableHub, make: MakeSet, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = make()
    answer = told(capfd, folder, dry_run=True)
    assert answer["warnings"] == ["nobody looked for personal data: the gate personal_data was off"]
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["recipe"]["sources"][0]["files"] = ["rows.jsonl", "/home/somebody/rows.jsonl"]
    manifest["recipe"]["gates"]["personal_data"] = {"action": "mask"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert told(capfd, folder, dry_run=True)["warnings"] == [
        "recipe.yaml and manifest.json name /home/somebody/rows.jsonl, a path of this machine"
    ]
    recipe = (folder / "recipe.yaml").read_text()
    (folder / "recipe.yaml").write_text(recipe + "# from https://somebody:secret@host/data\n")
    line = recipe.count("\n") + 1
    with pytest.raises(
        RefusedError, match=rf"recipe\.yaml:{line}: holds a token or an address with a password"
    ) as error:
        told(capfd, folder)
    assert "secret@" not in str(error.value)
    assert not hub.asked


def test_the_command_as_it_is_typed(hub: WritableHub, make: MakeSet, tmp_path: Path) -> None:
    folder = make()
    settings = {
        "HF_ENDPOINT": hub.endpoint,
        "HF_TOKEN": hub.token,
        "HF_HOME": str(tmp_path),
        "HF_HUB_DISABLE_XET": "1",
    }
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from curator.cli.main import main; main()",
            "push",
            str(folder),
            "--repo",
            "me/typed",
        ],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert "only its owner sees it" in done.stdout and hub.repos["me/typed"].private
    assert hub.token not in done.stdout + done.stderr
