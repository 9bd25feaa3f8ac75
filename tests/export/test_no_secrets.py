"""A set folder and what is printed hold no token, and no address that is signed for somebody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from huggingface_hub import close_session, constants
from loopback_hub import LoopbackHub, serving

from curator.export.folder import write_set
from curator.pipeline.build import build_draws
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer

KEY = "sk-of-the-server-and-of-nobody-else"
TEXTS = [
    f"Row {number} of a private data set, which is as long as a sentence may well be." for number in range(90)
]


def test_a_build_from_a_private_data_set_tells_no_secret(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS).encode()
    with serving(LoopbackHub(token="hf_of_somebody_and_secret")) as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.endpoint)
        template = hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setenv("HF_TOKEN", hub.token)
        monkeypatch.setenv("CURATE_API_KEY", KEY)
        close_session()
        # Large enough for the storage host, whose addresses are signed.
        hub.add("o/n", {"train.jsonl": rows}, private=True)
        (tmp_path / "r.yaml").write_text(
            "name: mine\nsize: {samples: 2, tokens: 32}\ntarget: {tasks: {prose: 1}}\n"
            "sources: [{dataset: o/n, task: prose}]\ngates: {length: false}\ncontinuity: {min: false}\n"
        )
        tokenizer = Tokenizer(tiny_model)
        made = build_draws(load_recipe(tmp_path / "r.yaml"), tokenizer, 1, [])[0]
        write_set(made, tokenizer, [], tmp_path / "set", "tiny")
        assert any("/storage/" in path for path in hub.paths())
        assert any(headers.get("authorization") == f"Bearer {hub.token}" for _, _, headers in hub.asked)
        # The storage host is another: the token is not for it.
        assert not any("authorization" in headers for _, path, headers in hub.asked if "/storage/" in path)
    close_session()
    printed = "".join(capfd.readouterr())
    files = {path.name: path.read_bytes() for path in (tmp_path / "set").rglob("*") if path.is_file()}
    assert b"private data set" in files["samples.jsonl"]
    for secret in (hub.token, KEY, "secret-signature", "Bearer"):
        assert secret not in printed
        assert not [name for name, content in files.items() if secret.encode() in content]
