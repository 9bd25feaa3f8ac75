"""A profile as reports get it."""

from __future__ import annotations

from typing import Any

from curator.profile.figures import Estimate
from curator.profile.schema import Counted, Outputs
from tests.profile.made_profiles import CONTEST, Some, made


def contest() -> dict[str, Any]:
    """The contest's figures."""
    return made(*CONTEST).model_dump(mode="json")


def with_outputs() -> dict[str, Any]:
    """The same with a run's counts and scores."""
    shown = contest()
    counted = {task: Counted(items=30, told=110, ours=100) for task in shown["tasks"]}
    outputs = Outputs(
        name="run.jsonl", sha256="1" * 64, items=150, missing=0, input_tokens=counted, output_tokens=counted
    )
    shown["outputs"] = outputs.model_dump(mode="json")
    shown["tasks"]["mcq"]["score"] = Estimate(n=30, mean=0.6, low=0.4232, high=0.7541).model_dump(mode="json")
    shown["tasks"]["mcq"]["reasoning_share"] = 0.97
    return shown


def one_item() -> dict[str, Any]:
    """A file of one item without a token."""
    return made(Some("all", 1, 0, gold="none", language="und")).model_dump(mode="json")


def hostile(bad: str) -> dict[str, Any]:
    """Names that act on terminals and pages."""
    shown = made(Some(bad, 2, 10), Some("x" * 300, 2, 5_000)).model_dump(mode="json")
    shown["file"]["name"] = shown["tokenizer"]["model"] = bad
    shown["warnings"] = [bad, "word " * 60]
    shown["tasks"][bad]["languages"] = {bad: 2}
    return shown
