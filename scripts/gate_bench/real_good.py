"""Good text that no generator of ours made: pieces of installed files, by class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from gate_bench.installed import SourceFile, dataset_build, library_files, package_files
from gate_bench.pieces import Piece, by_lines, by_sentences, draw_pieces, is_clearly_text, slice_pieces
from gate_bench.vocabulary import LANGUAGES, coding_files

Files = Callable[[], Iterable[SourceFile]]
# One file each, and a class of their own: the first half of the file is for half 0.
ALONE = {
    "zho": "chinese", "jpn": "japanese", "kor": "korean", "ara": "arabic", "hin": "hindi", "tha": "thai",
    "heb": "hebrew",
}  # fmt: skip


@dataclass(frozen=True)
class Pool:
    """A class of real pieces.

    Attributes:
        kind: its name.
        files: gives the files.
        split: how a text falls into parts.
        wanted: a further condition on a piece.
        sliced: whether each file is cut in the middle, instead of being in one half.
    """

    kind: str
    files: Files
    split: Callable[[str], list[str]] = by_lines
    wanted: Callable[[str], bool] | None = None
    sliced: bool = False


def _several(*places: tuple[str, str]) -> Files:
    return lambda: [file for package, pattern in places for file in package_files(package, pattern, 3)]


def _english() -> list[SourceFile]:
    return [file for file in dataset_build("eng") if "weird" not in file.name]


def _other_languages() -> list[SourceFile]:
    return [file for name in LANGUAGES if name not in ALONE for file in dataset_build(name)]


def _own(*places: tuple[str, str]) -> Files:
    """As `_several`, of packages that are one unit: each file by itself."""
    return lambda: [replace(file, unit=file.name) for file in _several(*places)()]


def _library_prose() -> list[SourceFile]:
    """Texts of the standard library's tests, mail among them: each file by itself."""
    files = [*library_files("*/*.txt"), *library_files("test/test_email/data/*.txt")]
    files = [file for file in files if not file.name.endswith("testcases.txt")]
    return [
        replace(file, unit=file.name)
        for file in files
        if "test/test_e" in file.name or "test/test_" not in file.name
    ]


_formula_files = _own(
    ("scipy/stats", "*.py"), ("scipy/special", "*.py"), ("scipy/integrate", "*.py"), ("torch/nn", "*.py"),
    ("torch/optim", "*.py"), ("torch/distributions", "*.py"), ("sklearn/metrics", "*.py"),
    ("sympy/functions", "*.py"),
)  # fmt: skip
_C = (("mypyc/lib-rt", "*.c"), ("numpy", "*.c"), ("numpy", "*.h"), ("sklearn", "*.c"))
_CPP = (("pyarrow", "*.h"), ("pyarrow", "*.cc"), ("torchgen", "*.cpp"), ("sklearn", "*.cpp"))
_CYTHON = (("sklearn", "*.pyx"), ("pyarrow", "*.pyx"), ("scipy", "*.pyx"), ("pyarrow", "*.pxd"))
_TEMPLATES = (("torch", "*.jinja"), ("sklearn", "*.html"), ("datasets", "*.md"), ("importlinter", "*.html"))
_README = (("*.dist-info", "METADATA"), ("*.dist-info", "*.md"), ("sentence_transformers", "*.md"))
_LICENCE = (("*.dist-info", "LICEN*"), ("*.dist-info", "*LICENSE*"), ("*.dist-info", "NOTICE*"))
_REST = (("sklearn", "*.rst"), ("*.dist-info", "*.rst"), ("numpy", "*.rst"), ("*.dist-info", "AUTHORS*"))
_JSON = (
    ("jsonschema", "*.json"), ("license_expression", "*.json"), ("*.dist-info", "*.json"),
    ("setuptools", "*.json"),     ("jsonschema_specifications", "*.json"), ("datasets", "*.json"),
)  # fmt: skip
_CONFIG = (
    ("torchgen", "*.yaml"), ("torch", "*.yaml"), ("*.dist-info", "*.txt"), ("pandas", "*.toml"),
    ("*.dist-info", "WHEEL"), ("setuptools", "*.toml"),
)  # fmt: skip

POOLS = (
    Pool("code:python", lambda: [*library_files("*.py"), *library_files("*/*.py")][::3]),
    Pool("code:c", _several(*_C)),
    Pool("code:c++", _several(*_CPP)),
    Pool("code:cuda", _own(("torch", "*.cuh"))),
    Pool("code:cython", _several(*_CYTHON)),
    Pool("code:fortran", _own(("numpy", "*.f90"), ("numpy", "*.f"))),
    Pool("code:cmake", _own(("torch", "*.cmake"))),
    Pool("code:stubs", _several(("mypy", "*.pyi"), ("scipy-stubs", "*.pyi"), ("pandas-stubs", "*.pyi"))),
    Pool("code:templates", _own(*_TEMPLATES)),
    Pool("code:21-languages", coding_files, sliced=True),
    Pool("prose:english", _english, by_sentences, sliced=True),
    Pool("prose:languages", _other_languages, by_sentences, sliced=True),
    Pool("readme", _several(*_README)),
    Pool("licence", _several(*_LICENCE)),
    Pool("rest", _several(*_REST)),
    Pool("json", _several(*_JSON)),
    Pool("config", _several(*_CONFIG)),
    Pool(
        "numpy-docs",
        _several(("numpy", "*.py"), ("scipy", "*.py"), ("sklearn", "*.py")),
        wanted=lambda text: ">>> " in text,
    ),
    Pool(
        "latex:docs",
        lambda: [file for file in _formula_files() if "math::" in file.text()],
        wanted=lambda text: text.count("\\") >= 3 and ("math:" in text or "frac" in text),
    ),
    Pool("library-text", _library_prose),
)


def real_good(pool: Pool, half: int, count: int, seed: int) -> list[Piece]:
    """Pieces of a class, of one half."""
    if pool.sliced:
        return parts(pool.files(), half, count, (seed, pool.kind), pool.split)
    further = pool.wanted
    wanted = is_clearly_text if further is None else (lambda text: is_clearly_text(text) and further(text))
    return draw_pieces(pool.files(), half, count, (seed, pool.kind), pool.split, wanted)


def one_language(language: str, half: int, count: int, seed: int) -> list[Piece]:
    """Pieces of a language that has a class of its own."""
    return parts(dataset_build(language), half, count, (seed, language), by_sentences)


def mathematics(half: int, count: int, seed: int) -> list[Piece]:
    """Pieces of dataset-build's mathematics, one file."""
    return parts(dataset_build("coding/math"), half, count, (seed, "math"), by_lines)


def parts(
    files: Iterable[SourceFile], half: int, count: int, key: tuple[object, ...], split: Callable[[str], list[str]]
) -> list[Piece]:
    """Pieces of the half's part of each file, the same number of each."""
    listed = list(files)
    each = -(-count // len(listed))
    found = [slice_pieces(file.text(), file.name, half, each, key, split) for file in listed]
    return [piece for pieces in found for piece in pieces][: each * len(listed)]
