"""The dataset card: what a hub reads, by the hub's published rules, and what people read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from curator.export.card import dataset_card, licence_file
from curator.export.hub_metadata import hub_licence, language_codes, licence_fields, size_category

# A hub's own words for a size; a card with another is refused.
SIZES = {"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M"}


def manifest(**changes: Any) -> dict[str, Any]:
    """A manifest of two documents from two sources."""
    return {
        "name": "mine",
        "title": "Prose: and a colon",
        "draw": 2,
        "set_hash": "ab" * 32,
        "recipe_hash": "cd" * 32,
        "heldout_hash": "12" * 32,
        "model": "owner/model",
        "versions": {"python": "3.11.7", "tokenizers": "0.23.3"},
        "tool": "curate 0.1.0",
        "tokenizer": {"fingerprint": "ef" * 32},
        "samples": 1200,
        "tokens": 614_400,
        "shares": {"prose": 0.625, "code": 0.375},
        "asked": {"prose": 0.6, "code": 0.4},
        "licences": [
            {"licence": "CC-BY-SA-4.0", "documents": 1, "tokens": 384_000},
            {"licence": "Apache-2.0 OR MIT", "documents": 1, "tokens": 230_400},
        ],
        "sources": [source("wiki", "b08601e", "CC-BY-SA-4.0"), source("a|b.jsonl", "", "Apache-2.0 OR MIT")],
        "documents": [
            {"licence": "CC-BY-SA-4.0", "language": "no"},
            {"licence": "Apache-2.0 OR MIT", "language": "zh-Hans"},
        ],
        "warnings": ["asked 10\nrows, got 9"],
        **changes,
    }


def source(corpus: str, revision: str, licence: str) -> dict[str, Any]:
    return {
        "corpus": corpus,
        "revision": revision,
        "licence": licence,
        "task": "prose",
        "documents": 1,
        "tokens_got": 1000,
        "files": {},
    }


def head(card: str) -> dict[str, Any]:
    """The metadata block, as a YAML 1.1 reader sees it."""
    match = re.match(r"---\n(.*?)\n---\n", card, flags=re.DOTALL)
    assert match
    fields: dict[str, Any] = yaml.safe_load(match[1])
    return fields


def test_the_hub_s_own_library_loads_the_card(tmp_path: Path) -> None:
    from huggingface_hub import DatasetCard

    (tmp_path / "README.md").write_text(dataset_card(manifest()), encoding="utf-8")
    card = DatasetCard.load(tmp_path / "README.md")
    assert card.data.pretty_name == "mine (calibration set)"
    # Norwegian stays a word; a script is no language.
    assert card.data.language == ["no", "zh"]
    assert (card.data.license, card.data.license_name, card.data.license_link) == ("other", "mixed", "LICENSE.md")
    assert "# mine" in card.text


def test_fields_are_of_the_hub_s_lists() -> None:
    fields = head(dataset_card(manifest()))
    assert fields["task_categories"] == ["text-generation"]
    assert fields["size_categories"] == ["1K<n<10K"]
    assert all(re.fullmatch("[a-z]{2,3}", code) for code in fields["language"])
    assert fields["configs"] == [
        {"config_name": "default", "data_files": [{"split": "train", "path": "samples.jsonl"}]}
    ]


def test_datasets_reads_the_folder_by_its_card(tmp_path: Path) -> None:
    from datasets import load_dataset

    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "README.md").write_text(dataset_card(manifest()), encoding="utf-8")
    (folder / "samples.jsonl").write_text(json.dumps({"input_ids": [1, 2]}) + "\n")
    # Other JSON beside it, which a reader that guesses would take in.
    (folder / "manifest.json").write_text(json.dumps({"name": "mine"}))
    data = load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert list(data) == ["train"]
    assert data["train"][:] == {"input_ids": [[1, 2]]}


@pytest.mark.parametrize(
    ("licences", "fields"),
    [
        (["Apache-2.0", "Apache-2.0"], {"license": "apache-2.0"}),
        (["CC-BY-SA-4.0"], {"license": "cc-by-sa-4.0"}),
        (["unknown"], {"license": "unknown"}),
        ([], {"license": "unknown"}),
        (["Python-2.0"], {"license": "other", "license_name": "python-2.0", "license_link": "LICENSE.md"}),
        (
            ["Apache-2.0 OR MIT"],
            {"license": "other", "license_name": "apache-2.0-or-mit", "license_link": "LICENSE.md"},
        ),
        (["MIT", "Apache-2.0"], {"license": "other", "license_name": "mixed", "license_link": "LICENSE.md"}),
        (["©"], {"license": "other", "license_name": "unnamed", "license_link": "LICENSE.md"}),
    ],
)
def test_one_known_licence_is_named_and_others_are_written_out(
    licences: list[str], fields: dict[str, str]
) -> None:
    assert licence_fields(licences) == fields


@pytest.mark.parametrize(
    ("spdx", "hub"),
    [
        ("GPL-3.0-or-later", "gpl-3.0"),
        ("LGPL-2.1-only", "lgpl-2.1"),
        ("AGPL-3.0-only", "agpl-3.0"),
        ("GFDL-1.3-no-invariants-or-later", "gfdl"),
        ("ODC-By-1.0", "odc-by"),
        ("ODbL-1.0", "odbl"),
        ("Unlicense", "unlicense"),
        ("Zlib", "zlib"),
        ("GPL-9.0", None),
        ("MIT-0", None),
        ("PSF-2.0", None),
        ("other", None),
    ],
)
def test_spdx_ids_become_the_hub_s(spdx: str, hub: str | None) -> None:
    assert hub_licence(spdx) == hub


def test_tags_without_a_language_are_left_out() -> None:
    assert language_codes(["en-US", "EN", "und", "mul", "yue", "pt_BR", "", "x-private", "english"]) == [
        "en",
        "pt",
        "yue",
    ]
    assert "language" not in head(dataset_card(manifest(documents=[{"licence": "MIT", "language": "und"}])))


@pytest.mark.parametrize(
    ("rows", "category"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (10**6, "1M<n<10M")],
)
def test_sizes_have_the_hub_s_words(rows: int, category: str) -> None:
    assert size_category(rows) == category
    assert category in SIZES


def test_licences_by_tokens_and_whom_the_texts_are_from() -> None:
    for text in (dataset_card(manifest()), licence_file(manifest())):
        assert "| [CC-BY-SA-4.0](https://spdx.org/licenses/CC-BY-SA-4.0.html) | 1 | 384,000 |" in text
        # An expression has no page of its own, and a bar in a name breaks no table.
        assert "| Apache-2.0 OR MIT | 1 | 230,400 |" in text
        assert "| wiki | b08601e | prose | CC-BY-SA-4.0 | 1 | 1,000 |" in text
        assert r"| a\|b.jsonl | not fixed | prose | Apache-2.0 OR MIT | 1 | 1,000 |" in text


def test_local_files_are_fixed_by_their_hashes() -> None:
    one, several = source("a.jsonl", "", "MIT"), source("b/*.txt", "", "MIT")
    one["files"] = {"a.jsonl": "12" * 32}
    several["files"] = {"b/1.txt": "34" * 32, "b/2.txt": "56" * 32}
    card = dataset_card(manifest(sources=[one, several]))
    assert "| a.jsonl | sha256 1212121212121212 | prose |" in card
    assert "| b/*.txt | 2 files, hashes in manifest.json | prose |" in card


def test_the_card_says_how_to_make_the_set_again_and_its_limits() -> None:
    card = dataset_card(manifest())
    assert "curate build recipe.yaml --model owner/model --draw 2 --out mine" in card
    assert "ab" * 32 in card
    assert "prose 62.5% (asked 60.0%), code 37.5% (asked 40.0%)" in card
    assert "- asked 10 rows, got 9\n" in card


@pytest.mark.parametrize("title", ["", "---\nlicense: mit", "a: b # c", "'\"{}[]&*!|>%@`"])
def test_no_title_breaks_the_card(title: str) -> None:
    card = dataset_card(manifest(title=title))
    assert head(card)["license"] == "other"
    assert card.count("\n---\n") == 1
