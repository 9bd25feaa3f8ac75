import importlib.metadata
import re
from functools import lru_cache

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
