"""`curate schema` prints a JSON Schema."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from curator.cli.schema import schema


def test_it_prints_one_json_object_that_is_a_schema(capfd: pytest.CaptureFixture[str]) -> None:
    schema()
    printed = json.loads(capfd.readouterr().out)
    Draft202012Validator.check_schema(printed)
    assert "extends" in printed["properties"]
