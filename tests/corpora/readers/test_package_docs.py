import importlib.metadata
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from curator.corpora.document import Document
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import package_docs
from curator.corpora.readers.licence_names import package_licence
from curator.corpora.shelf import find_card


@lru_cache(maxsize=1)
def documents() -> tuple[Document, ...]:
    return tuple(package_docs.read(find_card("package-docs")))


def test_order_ids_and_units() -> None:
    ids = [document.id for document in documents()]
    assert len(ids) == len(set(ids)) > 20
    names = [document.id.split("/")[1] for document in documents()]
    assert names == sorted(names)
    assert "dataset-build" not in names and "curate-nvfp4" not in names
    assert {is_heldout(document.unit) for document in documents()} == {True, False}


def test_what_else_was_imported_changes_nothing(tmp_path: Path) -> None:
    """The finder of the backport, which many packages bring, answers in the place of the standard library's."""
    program = """
import importlib.metadata, sys
from curator.corpora.readers import package_docs
from curator.corpora.shelf import find_card
class Finder:
    find_spec = staticmethod(lambda *_: None)
    find_distributions = staticmethod(lambda *_: [Odd()])
class Odd(importlib.metadata.Distribution):
    def read_text(self, filename): raise KeyError(filename)
    def locate_file(self, path): raise KeyError(path)
def ids():
    return [document.id for document in package_docs.read(find_card("package-docs"))]
before = ids()
sys.meta_path.insert(0, Finder)
assert any(isinstance(one, Odd) for one in importlib.metadata.distributions())
assert ids() == before and len(before) > 20
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


def test_a_package_without_optional_lines_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plainpack-1.0.dist-info"
    folder.mkdir()
    text = "The harbour is deep enough for the ferry at any tide, and the pilots know each of its stones. " * 8
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plainpack\nVersion: 1.0\n\n{text}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    found = [document.id for document in package_docs.read(find_card("package-docs"))]
    assert found == ["package-docs/plainpack/description"]


def test_texts_are_clean() -> None:
    for document in documents():
        outside = re.sub(r"(?ms)^\s*```.*?^\s*```|`[^`\n]+`", "", document.text)
        assert "img.shields.io" not in document.text, document.id
        assert not re.search(r"!\[[^\]]*\]\(|<img|</(p|div|a)>|^\.\. \w+::|<!--", outside, re.M), document.id
        assert not re.search(r"^\|[A-Za-z][\w ]*\|$|`__?(?=[\s.,])|\]\(https?:", outside, re.M), document.id
        assert len(document.text) >= 400


def test_licences_of_well_known_packages() -> None:
    def licence(name: str) -> str:
        return package_licence(importlib.metadata.distribution(name).metadata)  # type: ignore[arg-type]

    assert "BSD-3-Clause" in licence("numpy")
    assert "BSD-3-Clause" in licence("torch")
    assert licence("transformers") == "Apache-2.0"
    assert licence("rich") == "MIT"


def test_stubs_are_of_their_package() -> None:
    assert package_docs.package_unit("pandas-stubs") == package_docs.package_unit("pandas")
    assert package_docs.package_unit("types-requests") == "package:requests"
    assert package_docs.normal_name("Ruamel.Yaml__clib") == "ruamel-yaml-clib"
