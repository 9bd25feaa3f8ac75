"""What the document says of how a run was led."""

from __future__ import annotations

from typing import Any

from curator.rank.document import drift


def receipt(**machine: Any) -> dict[str, Any]:
    versions = {"torch": "2.13", "llmcompressor": "0.14"}
    return {
        "machine": {
            "devices": ["cpu"],
            "threads": 2,
            "versions": versions | machine.pop("versions", {}),
            **machine,
        }
    }


def test_checkpoints_of_other_versions_or_machines_are_told() -> None:
    assert drift([receipt(), receipt(), {}]) == []
    (told,) = drift([receipt(), receipt(versions={"torch": "2.14"}), receipt(threads=4)])
    assert "(threads 2 and 4; torch 2.13 and 2.14)" in told
    assert "llmcompressor" not in told and "devices" not in told
