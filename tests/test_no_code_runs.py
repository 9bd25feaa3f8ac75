"""Nothing that is read is run: no pickle, no evaluated text, no archive unpacked, anywhere in the package.

The package's syntax trees are read, so that a call that nobody tests is found too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import curator

ROOT = Path(curator.__file__).parent
# Calls that run what they read, or write where the data say.
FORBIDDEN = set(
    """
    eval exec compile __import__ pickle.load pickle.loads pickle.Unpickler marshal.load marshal.loads shelve.open
    dill.load dill.loads joblib.load cloudpickle.load cloudpickle.loads torch.load torch.jit.load torch.hub.load
    pd.read_pickle pandas.read_pickle yaml.unsafe_load yaml.full_load datasets.load_dataset load_dataset os.system
    os.popen runpy.run_path runpy.run_module shutil.unpack_archive tarfile.open zipfile.ZipFile
    """.split()  # noqa: SIM905  (a list of words is easier to read)
)
METHODS = {"extractall", "read_pickle", "unsafe_load"}
# What stands for itself: a server's own class sent to the server that the user started, as source (see the file);
# a child that runs a module of ours by name.
ALLOWED: set[tuple[str, str]] = set()
MODULES = {"pickle", "dill", "joblib", "cloudpickle", "marshal", "shelve"}
# Sends, and never reads.
SENDS = {"serve/forced/request.py"}


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def faults(name: str, tree: ast.Module) -> list[str]:
    """What in a file runs what it reads."""
    found = []
    for called, node in calls(tree):
        keywords = {word.arg: ast.unparse(word.value) for word in node.keywords}
        bad = called in FORBIDDEN or called.rpartition(".")[2] in METHODS
        bad |= keywords.get("allow_pickle") == "True" or keywords.get("weights_only") == "False"
        bad |= keywords.get("shell") == "True" or keywords.get("trust_remote_code") == "True"
        if bad and (name, called) not in ALLOWED:
            found.append(f"{name}:{node.lineno}: {called}")
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if MODULES & {one.partition(".")[0] for one in names} and name not in SENDS:
            found.append(f"{name}:{getattr(node, 'lineno', 0)}: imports {names}")
    return found


def test_no_file_of_the_package_runs_what_it_reads() -> None:
    assert [fault for name, tree in trees() for fault in faults(name, tree)] == []


def test_one_file_sends_a_pickle_and_reads_none() -> None:
    found = {name for name, tree in trees() if any(called.startswith("pickle.") for called, _ in calls(tree))}
    assert found == SENDS
    (tree,) = (tree for name, tree in trees() if name in SENDS)
    assert {called for called, _ in calls(tree) if re.fullmatch(r"pickle\.\w+", called)} == {"pickle.dumps"}


@pytest.mark.parametrize(
    "line",
    [
        "torch.load(path)",
        "np.load(path, allow_pickle=True)",
        "torch.load(path, weights_only=False)",
        "pickle.loads(data)",
        "import pickle",
        "from dill import loads",
        "eval(text)",
        "tar.extractall(folder)",
        "subprocess.run(text, shell=True)",
        "AutoModel.from_pretrained(folder, trust_remote_code=True)",
        "load_dataset(name)",
    ],
)
def test_the_audit_sees(line: str) -> None:
    assert len(faults("x.py", ast.parse(line))) == 1


def test_every_yaml_is_read_by_the_safe_or_the_round_trip_parser() -> None:
    kinds = {
        ast.unparse(next(word.value for word in node.keywords if word.arg == "typ"))
        for _, tree in trees()
        for called, node in calls(tree)
        if called == "YAML"
    }
    assert kinds == {"'safe'", "'rt'", "kind"}  # `kind`: card_file.py hands on one of the two
