"""What is kept of an interrupted run that leaves families out, and the blind part."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from gate_bench import blind, blind_sources, leave_one_out
from gate_bench.leave_one_out import LeftOut, missed
from gate_bench.proportions import Share


def test_what_was_found_is_read_again(tmp_path: Path) -> None:
    kept, found = (
        tmp_path / "new" / "left-out.json",
        {("uuid", "strictly"): Share(9, 10), ("hex", "strictly"): Share(1, 2)},
    )
    leave_one_out._write(kept, 3, found)
    assert leave_one_out._read(kept, 3) == found


@pytest.mark.parametrize("change", [{"version": "0"}, {"seed": 4}])
def test_what_another_version_or_seed_found_is_not(tmp_path: Path, change: dict[str, object]) -> None:
    kept = tmp_path / "left-out.json"
    leave_one_out._write(kept, 3, {("uuid", "strictly"): Share(9, 10)})
    kept.write_text(json.dumps(json.loads(kept.read_text()) | change))
    assert leave_one_out._read(kept, 3) == {}
    assert leave_one_out._read(tmp_path / "none.json", 3) == {}


def test_a_family_is_judged_as_the_product_is() -> None:
    found = [
        LeftOut("uuid", {"with spoilt text": Share(89, 100), "strictly": Share(100, 100)}),
        LeftOut("hex", {"with spoilt text": Share(90, 100), "strictly": Share(10, 100)}),
        LeftOut("base64", {"strictly": Share(0, 100)}),
    ]
    assert missed(found) == ["uuid, never seen: recall 0.89"]


def test_without_its_packages_there_is_no_blind_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(blind_sources, "FOLDER", tmp_path)
    assert blind.build_blind(0) == []
    assert "gnome-user-docs" in capsys.readouterr().err


def test_the_blind_part_shares_no_package_with_the_training() -> None:
    from gate_bench.train_packages import _NAMES

    assert not set(blind_sources.PACKAGES) & set(_NAMES)
