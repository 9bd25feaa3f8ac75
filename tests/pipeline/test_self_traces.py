"""The shipped recipe of the model's own text, with the embedded model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CURATE = str(Path(sys.executable).with_name("curate"))
# As the recipe is, but for less of it.
SMALL = ("--set", "size.samples=1", "--set", "sources.0.max_new=64", "--set", "sources.1.max_new=64")


@pytest.mark.model
def test_it_builds_from_nothing_but_the_install(tmp_path: Path) -> None:
    def build(name: str) -> dict[str, object]:
        command = [CURATE, "build", "self-traces", *SMALL, "--out", str(tmp_path / name), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
        assert done.returncode == 0, done.stderr
        made: dict[str, object] = json.loads(done.stdout)
        return made

    first = build("one")
    assert first["tokens"] == 512
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert [source["corpus"] for source in manifest["sources"]] == ["self:generate:mcq", "self:generate:qa"]
    # From the answers that are kept, to the same bytes.
    assert build("two")["set_hash"] == first["set_hash"]
