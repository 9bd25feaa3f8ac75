from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curator._errors import InputError
from curator.corpora.hub.layout import find_layout
from curator.corpora.hub.local_repository import open_local
from curator.corpora.hub.place import DatasetPlace

HEADER = "---\nlicense: mit\nconfigs:\n{configs}\n---\n# A set\n"


def make(folder: Path, *paths: str, configs: str = "") -> Path:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"text": "a"}\n')
    if configs:
        (folder / "README.md").write_text(HEADER.format(configs=configs))
    return folder


def layout(folder: Path, **keys: Any) -> list[str]:
    place = DatasetPlace(id=str(folder), **keys)
    return [file.path for file in find_layout(open_local(place, folder), place).files]


BY_LANGUAGE = "- config_name: en\n  data_files: en/*.jsonl\n- config_name: de\n  data_dir: de"
WITH_DEFAULT = """- config_name: one
  default: true
  data_files:
  - split: train
    path: b/**
- config_name: two
  data_files: a/*"""
SHARDS = ["data/train-00000-of-00002.jsonl", "data/train-00001-of-00002.jsonl", "data/x-00000-of-00001.jsonl"]
LAYOUTS: list[tuple[list[str], str, str | None]] = [
    (["train.jsonl"], "", None),
    (["only.jsonl"], "", None),
    (["train.jsonl", "test.jsonl"], "", None),
    (["data/train.jsonl", "data/test.jsonl"], "", None),
    (["data/train/a.jsonl", "data/train/deep/b.jsonl", "data/test/a.jsonl"], "", None),
    (SHARDS, "", None),
    (["my_train_set.jsonl", "dev.jsonl", "eval-1.jsonl"], "", None),
    ([".hidden/train.jsonl", "a/training.jsonl", "__pycache__/train.jsonl"], "", None),
    (["train.jsonl", "train2.jsonl", "notes.md"], "", None),
    (["en/a.jsonl", "de/a.jsonl"], BY_LANGUAGE, "en"),
    (["en/a.jsonl", "de/a.jsonl"], BY_LANGUAGE, "de"),
    (
        ["a/1.jsonl", "b/2.jsonl"],
        "- config_name: default\n  data_files:\n  - split: train\n    path: [a/*, b/*]",
        None,
    ),
    (["a/1.jsonl", "b/2.jsonl"], WITH_DEFAULT, None),
    (["a/1.jsonl", "b/2.jsonl"], WITH_DEFAULT, "two"),
]


@pytest.mark.parametrize(("paths", "configs", "config"), LAYOUTS)
def test_files_are_those_that_datasets_itself_would_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str], configs: str, config: str | None
) -> None:
    from datasets import load_dataset_builder

    folder = make(tmp_path / "set", *paths, configs=configs)
    builder = load_dataset_builder(str(folder), config, cache_dir=str(tmp_path / "cache"))
    wanted = builder.config.data_files
    for split in wanted:
        found = [str((folder / path).resolve()) for path in layout(folder, config=config, split=str(split))]
        assert found == sorted(wanted[split]), split
    with pytest.raises(InputError, match=r"no split 'nowhere'; it has: "):
        layout(folder, config=config, split="nowhere")


def test_nearest_names_are_offered(tmp_path: Path) -> None:
    folder = make(tmp_path / "set", "en/a.jsonl", configs="- config_name: english\n  data_files: en/*")
    with pytest.raises(InputError, match=r"no config 'englsh'; did you mean english\?"):
        layout(folder, config="englsh")
    with pytest.raises(InputError, match=r"no split 'trian'; did you mean train\?"):
        layout(folder, split="trian")
    with pytest.raises(InputError, match=r"no split 'train\[:10%\]'; write split: train, and pool_rows"):
        layout(folder, split="train[:10%]")


def test_one_of_several_configs_must_be_chosen(tmp_path: Path) -> None:
    configs = "- config_name: en\n  data_files: en/*\n- config_name: no\n  data_files: no/*"
    folder = make(tmp_path / "set", "en/a.jsonl", "no/a.jsonl", configs=configs)
    with pytest.raises(InputError, match=r"which config\? it has: en, no$"):
        layout(folder)
    assert layout(folder, config="no") == ["no/a.jsonl"]


def test_data_files_by_pattern(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "set", "a/x.jsonl", "a/y.jsonl", "b/x.jsonl", "b/notes.md", configs="- config_name: q"
    )
    assert layout(folder, data_files="a/*.jsonl") == ["a/x.jsonl", "a/y.jsonl"]
    assert layout(folder, data_files="./b/notes.md", split="any") == ["b/notes.md"]
    assert layout(folder, data_files="**/x.jsonl") == ["a/x.jsonl", "b/x.jsonl"]
    odd = make(tmp_path / "odd", "a[1].jsonl", "a1.jsonl", "what? #1.jsonl", "a*.jsonl")
    assert layout(odd, data_files="a[1].jsonl") == ["a[1].jsonl"]
    assert layout(odd, data_files="what? #1.jsonl") == ["what? #1.jsonl"]
    assert layout(odd, data_files="a*.jsonl") == ["a*.jsonl"]
    assert layout(odd) == ["a*.jsonl", "a1.jsonl", "a[1].jsonl", "what? #1.jsonl"]
    with pytest.raises(InputError, match=r"no file matches data_files 'c/\*'; there are: README.md, a/x.jsonl"):
        layout(folder, data_files="c/*")


@pytest.mark.parametrize(
    "pattern",
    ["/etc/passwd", "../other/*", "a/../../x", "https://host/x.jsonl", "file:///etc/passwd", "zip://a::b"],
)
def test_nothing_outside_of_the_data_set_is_read(tmp_path: Path, pattern: str) -> None:
    folder = make(tmp_path / "set", "a.jsonl")
    with pytest.raises(InputError, match="leads out of the data set"):
        layout(folder, data_files=pattern)
    (folder / "README.md").write_text(HEADER.format(configs=f"- config_name: x\n  data_files: '{pattern}'"))
    with pytest.raises(InputError, match="leads out of the data set"):
        layout(folder)
    (folder / "README.md").write_text(HEADER.format(configs=f"- config_name: x\n  data_dir: '{pattern}'"))
    with pytest.raises(InputError, match="leads out of the data set"):
        layout(folder)


@pytest.mark.parametrize("name", ["letters", "with-dash_and.dot"])
def test_script_is_named_and_never_run(tmp_path: Path, name: str) -> None:
    folder = make(tmp_path / name, "data.csv", "more/rows.parquet")
    marker = tmp_path / "ran"
    (folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'w').write('x')\n")
    with pytest.raises(InputError) as caught:
        layout(folder)
    assert str(caught.value) == (
        f"data set {folder}: made by a script ({name}.py), which is not run; read its files "
        f"(data_files: data.csv); data files: data.csv, more/rows.parquet"
    )
    assert layout(folder, data_files="data.csv") == ["data.csv"]
    assert not marker.exists()


def test_most_frequent_format_is_read_and_the_rest_told(tmp_path: Path) -> None:
    folder = make(tmp_path / "set", "train/a.jsonl.gz", "train/b.json", "train/c.parquet", "train/pic.png")
    place = DatasetPlace(id=str(folder))
    found = find_layout(open_local(place, folder), place)
    assert [file.path for file in found.files] == ["train/a.jsonl.gz", "train/b.json"]
    assert found.notes == ("json files are read; left out: train/c.parquet",)


def test_no_readable_file(tmp_path: Path) -> None:
    folder = make(tmp_path / "set", "train/a.zip", "train/b.tar")
    with pytest.raises(InputError, match=r"no file of this split has a format that is read here .*train/a.zip"):
        layout(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no data files are found in it"):
        layout(tmp_path / "empty")


@pytest.mark.parametrize(
    "header",
    [
        "---\nconfigs: 3\n---\n",
        "---\nconfigs:\n- data_files: a\n---\n",
        "---\nconfigs:\n- config_name: x\n  data_files: {a: b}\n---\n",
        "---\nconfigs:\n- config_name: x\n  data_files:\n  - {split: a-b, path: x}\n---\n",
        "---\na: [\n---\n",
        "---\nconfigs: [1, 2]\n---\n",
    ],
)
def test_unusable_card_is_one_line(tmp_path: Path, header: str) -> None:
    folder = make(tmp_path / "set", "train.jsonl")
    (folder / "README.md").write_text(header)
    with pytest.raises(
        InputError, match=r"the header of its README.md cannot be used \(.*name its files"
    ) as caught:
        layout(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "card",
    [
        "# only text\n",
        "---\nlicense: mit\n---\n",
        "---\n---\n",
        "",
        "\ufeff---\nx: 1\nx: 2\n---\n",
        "---\nno end\n",
    ],
)
def test_card_without_configs(tmp_path: Path, card: str) -> None:
    folder = make(tmp_path / "set", "train.jsonl")
    (folder / "README.md").write_text(card, encoding="utf-8")
    assert layout(folder) == ["train.jsonl"]
