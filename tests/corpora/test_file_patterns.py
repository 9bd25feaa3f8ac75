import os
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.corpora.file_patterns import find_files, passed_over


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def names(folder: Path, *patterns: str) -> list[str]:
    return [file.name for file in find_files(patterns, folder)]


def told(folder: Path, *patterns: str) -> list[str]:
    return passed_over(patterns, folder, find_files(patterns, folder))


def test_paths_are_named_as_the_recipe_writes_them(tmp_path: Path) -> None:
    make(tmp_path, "r/a.jsonl", "d/b.dat")
    assert names(tmp_path / "r", "./a.jsonl", "../d/b.dat") == ["../d/b.dat", "a.jsonl"]
    assert names(tmp_path / "r", str(tmp_path / "d/b.dat")) == [str(tmp_path / "d/b.dat")]


def test_a_folder_gives_its_data_files_in_order(tmp_path: Path) -> None:
    make(
        tmp_path, "d/b.jsonl", "d/a.csv.gz", "d/sub/c.parquet", "d/README.md", "d/.hidden.jsonl", "d/.git/x.json",
        "d/dataset_info.json", "d/notes.dat", "d/sub/z.TXT", "d/sub/essay.md", "d/newsletter.rst",
        "d/sub/e.markdown", "d/LICENSE", "d/LICENCE.txt", "d/sub/readme_zh.md", 
        "d/CHANGELOG-2.rst.gz", "d/readme.jsonl",
    )  # fmt: skip
    wanted = ["d/a.csv.gz", "d/b.jsonl", "d/newsletter.rst", "d/readme.jsonl", "d/sub/c.parquet"]
    wanted += ["d/sub/e.markdown", "d/sub/essay.md", "d/sub/z.TXT"]
    assert names(tmp_path, "d") == names(tmp_path, "d/") == wanted
    assert names(tmp_path / "d", ".") == [name.removeprefix("d/") for name in wanted]


def test_what_a_folder_has_besides_is_told(tmp_path: Path) -> None:
    make(tmp_path, "d/a.md", "d/.DS_Store", "d/.git/x", "e/b.txt")
    assert told(tmp_path, "d", "e", "d/*.md") == []
    make(tmp_path, "d/README.md", "d/sub/two\nlines.bin", "e/notes.dat")
    assert told(tmp_path, "d", "d/", "e", "e/*.dat") == [r"d: passed over 2 files: README.md, sub/two\nlines.bin"]
    make(tmp_path, *(f"d/{number}.bin" for number in range(5)))
    assert told(tmp_path / "d", ".") == [".: passed over 7 files: 0.bin, 1.bin, 2.bin, 3.bin, 4.bin and 2 more"]


def test_patterns(tmp_path: Path) -> None:
    make(tmp_path, "a1.txt", "a2.txt", "b1.txt", "d/a3.txt", "d/e/a4.txt", "d/.h/a5.txt", ".a6.txt")
    assert names(tmp_path, "a*.txt") == ["a1.txt", "a2.txt"]
    assert names(tmp_path, "?1.txt") == ["a1.txt", "b1.txt"]
    assert names(tmp_path, "[!a]*.txt") == ["b1.txt"]
    assert names(tmp_path, "a[2-9].txt") == ["a2.txt"]
    assert names(tmp_path, "*/a*.txt") == ["d/a3.txt"]
    assert names(tmp_path, "**/a*.txt") == ["a1.txt", "a2.txt", "d/a3.txt", "d/e/a4.txt"]
    assert names(tmp_path, "d/**") == ["d/a3.txt", "d/e/a4.txt"]
    assert names(tmp_path, "d/**/a4.txt") == ["d/e/a4.txt"]
    assert names(tmp_path, ".a*.txt") == [".a6.txt"]
    assert names(tmp_path / "d", "../a*.txt") == ["../a1.txt", "../a2.txt"]


def test_a_name_with_pattern_characters_is_a_name_first(tmp_path: Path) -> None:
    make(tmp_path, "a[1].txt", "a1.txt", "what?.txt")
    assert names(tmp_path, "a[1].txt") == ["a[1].txt"]
    assert names(tmp_path, "what?.txt") == ["what?.txt"]


def test_a_file_counts_once(tmp_path: Path) -> None:
    make(tmp_path, "a.jsonl", "b.jsonl")
    os.symlink("b.jsonl", tmp_path / "link.jsonl")
    assert names(tmp_path, "*.jsonl", "a.jsonl", "./a.jsonl", str(tmp_path / "a.jsonl")) == [
        "a.jsonl",
        "b.jsonl",
    ]


def test_links_that_lead_round_in_circles(tmp_path: Path) -> None:
    make(tmp_path, "d/a.jsonl", "other/b.jsonl")
    os.symlink("..", tmp_path / "d/up")
    os.symlink("../other", tmp_path / "d/other")
    os.symlink("self.jsonl", tmp_path / "d/self.jsonl")
    os.symlink("gone", tmp_path / "d/gone.jsonl")
    os.mkfifo(tmp_path / "d/pipe.jsonl")
    assert {name.rpartition("/")[2] for name in names(tmp_path, "d")} == {"a.jsonl", "b.jsonl"}
    assert "d/a.jsonl" in names(tmp_path, "**/*.jsonl")


def test_names_that_are_not_utf8_or_have_control_characters(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path)
    for name in (b"caf\xe9.jsonl", b"caf\xe8.jsonl", b"two\nlines.jsonl"):
        Path(os.fsdecode(raw + b"/" + name)).write_text("x")
    found = find_files(["*.jsonl"], tmp_path)
    assert [file.name for file in found] == ["caf\\xe8.jsonl", "caf\\xe9.jsonl", "two\\nlines.jsonl"]
    assert all(file.path.read_text() == "x" for file in found)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("rows.json", r"^rows\.json: no such file; there is: rows\.jsonl$"),
        ("d/*.csv", r"^d/\*\.csv: no file has such a name; there is: a\.txt$"),
        ("none/rows.jsonl", r"^none/rows\.jsonl: no such file; nor the folder "),
        ("none/*.jsonl", r"^none/\*\.jsonl: no file has such a name; nor the folder "),
        (
            "empty",
            r"^empty: no data file in this folder .*compressed\); name its files by a pattern",
        ),
        ("other", r"compressed\); it has 1 file: README\.md; name its files by a pattern such as other/\*\*/\*$"),
        ("empty/*", r"no file has such a name; its folder is empty"),
        ("a\0b", "NUL"),
    ],
)
def test_what_means_no_file_is_told_with_what_is_near(tmp_path: Path, pattern: str, words: str) -> None:
    make(tmp_path, "rows.jsonl", "d/a.txt", "other/README.md")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=words):
        find_files([pattern], tmp_path)


def test_brackets_that_are_no_range_are_told(tmp_path: Path) -> None:
    make(tmp_path, "a.jsonl")
    with pytest.raises(InputError, match=r"\[z-a\]\*\.jsonl: the brackets are no range of characters"):
        names(tmp_path, "[z-a]*.jsonl")


def test_two_names_that_look_alike_once_printable_are_refused(tmp_path: Path) -> None:
    make(tmp_path, r"caf\xe9.jsonl")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))).write_text("x")
    with pytest.raises(InputError, match=r"two files have this name once it is made printable"):
        names(tmp_path, "*.jsonl")


def test_a_set_that_was_written_into_a_folder_of_texts_is_no_text_of_it(tmp_path: Path) -> None:
    make(tmp_path, "d/a.jsonl", "d/set/manifest.json", "d/set/samples.jsonl", "d/set/samples.parquet")
    assert names(tmp_path, "d") == ["d/a.jsonl"]
