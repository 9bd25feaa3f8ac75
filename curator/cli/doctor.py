"""`curate doctor`: what this machine can run, and the line that brings what is missing."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from curator._errors import DependencyError, InputError
from curator.cli.output import JsonFlag, console, print_json

if TYPE_CHECKING:
    from curator.corpora.card import Card

_REQUIRED = (
    ("torch", "runs models"),
    ("transformers", "loads models and tokenizers"),
    ("llmcompressor", "quantises"),
    ("compressed-tensors", "NVFP4 checkpoints"),
    ("sentence-transformers", "scores continuity"),
    ("langdetect", "names languages"),
    ("datasets", "exports sets"),
    ("pandas", "tables of scores"),
)

# What stands under the first word behind the mark.
_INDENT = " " * 8


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate doctor --json")(doctor)


def doctor(json: JsonFlag = False) -> None:
    """Say what this machine can run, with the install line for what is missing."""
    findings = [*_packages(), *_offline(), *_server(), *_modelopt(), *_machine()]
    if json:
        print_json({"findings": findings})
    else:
        out = console()
        # A pipe gets a line a finding.
        width = out.width if out.is_terminal else sys.maxsize
        for finding in findings:
            mark = "absent" if finding["status"] == "optional" else finding["status"]
            line = f"{finding['what']}: {finding['detail']}"
            line += f"; {finding['fix']}" if finding["fix"] else ""
            for head, part in zip(
                chain([f"{mark:<7} "], repeat(_INDENT)), wrapped(line, width - len(_INDENT)), strict=False
            ):
                out.print(head + part, markup=False, soft_wrap=True)
        for part in wrapped(_verdict(findings), width):
            out.print(part, style="bold", markup=False, soft_wrap=True)
    missing = [finding["what"] for finding in findings if finding["status"] == "missing"]
    if missing:
        raise DependencyError(f"missing: {', '.join(missing)}")


def wrapped(text: str, width: int) -> list[str]:
    """Lines of a text, broken between words; within a word only behind a slash, and only where it fits no line."""
    lines, line = [], ""
    for word in text.split():
        gap = " " if line else ""
        pieces = [word] if len(word) <= width else re.findall(r"[^/]*/|[^/]+", word)
        for piece in pieces:
            if line and len(line) + len(gap) + len(piece) > width:
                lines.append(line)
                line, gap = "", ""
            line += gap + piece
            gap = ""
    return [*lines, line]


def _verdict(findings: list[dict[str, Any]]) -> str:
    """What can be done here, in one sentence."""
    status = {finding["what"]: finding["status"] for finding in findings}
    if "missing" in status.values():
        return "not ready: install what is missing"
    more = [("SGLang", "measure on servers of its own"), ("ModelOpt", "quantise by modelopt-*")]
    ready = [
        "build",
        "quantise",
        "measure in process",
        *(words for name, words in more if status.get(name) == "ok"),
    ]
    lacking = [words for name, words in more if status.get(name) != "ok"]
    return f"ready: {', '.join(ready)}" + (f"; not here: {', '.join(lacking)}" if lacking else "")


def _finding(what: str, status: str, detail: str, fix: str = "") -> dict[str, Any]:
    return {"what": what, "status": status, "detail": detail, "fix": fix}


def _packages() -> list[dict[str, Any]]:
    found = [_finding("Python", "ok", platform.python_version())]
    for name, use in _REQUIRED:
        try:
            found.append(_finding(name, "ok", f"{version(name)}, {use}"))
        except PackageNotFoundError:
            found.append(_finding(name, "missing", f"not installed; {use}", f"pip install {name}"))
    return found


def _offline() -> list[dict[str, Any]]:
    from curator.corpora.shelf import load_cards
    from curator.models.embedded import EMBEDDED, package_file
    from curator.scores.embedder import HUB_ID, INSTALL, PACKAGE

    found = []
    if importlib.util.find_spec(PACKAGE):
        found.append(_finding("sentence embedder", "ok", f"{PACKAGE} (offline)"))
    else:
        found.append(_finding("sentence embedder", "optional", f"{HUB_ID} will be asked of the hub", INSTALL))
    for model in EMBEDDED.values():
        here = package_file(model) is not None
        status, fix = ("ok", "") if here else ("optional", model.install)
        found.append(
            _finding(f"model {model.name}", status, "embedded, offline" if here else "not installed", fix)
        )
    return [*found, *map(_corpus, load_cards().values())]


def _corpus(card: Card) -> dict[str, Any]:
    from curator.corpora.hub.state import hub_state
    from curator.corpora.shelf import available

    what = f"corpus {card.id}"
    if card.dataset is None:
        fix = available(card)
        return _finding(what, "optional" if fix else "ok", card.licence, fix)
    # Nothing is asked of the hub: `curate ls corpora --probe` does that.
    status, detail = {
        "cached": ("ok", "in the hub's cache"),
        "hub": ("hub", "not here, fetched when built"),
        "offline": ("offline", "not in the cache, and HF_HUB_OFFLINE is set"),
    }[hub_state(card.dataset)]
    return _finding(what, status, f"{card.licence}, {detail}")


def _server() -> list[dict[str, Any]]:
    """What `--serve sglang` would start here."""
    from curator.serve.launch.interpreter import installed_in, server_python
    from curator.serve.launch.machine import find_gpus, what_runs

    try:
        installed = installed_in(server_python())
    except (DependencyError, InputError) as error:
        what, _, fix = str(error).partition("; ")
        return [_finding("SGLang", "optional", f"{what}; `--url` needs none here", fix)]
    gpus = find_gpus()
    runs, fix = what_runs(gpus, installed.cuda)
    return [_finding("SGLang", "ok", f"{installed.sglang} by {installed.python}: {runs}", fix)]


def _modelopt() -> list[dict[str, Any]]:
    from curator.quantize.modelopt.environment import VARIABLE, modelopt_python

    try:
        return [_finding("ModelOpt", "ok", f"{modelopt_python()}, for the methods modelopt-*")]
    except DependencyError:
        detail = "no environment of its own; the methods modelopt-* need it"
        fix = f"scripts/modelopt-env setup, or name one in ${VARIABLE}"
        return [_finding("ModelOpt", "optional", detail, fix)]


def _machine() -> list[dict[str, Any]]:
    found = []
    if importlib.util.find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            major, minor = torch.cuda.get_device_capability()
            native = "native FP4" if major >= 10 else "no FP4 tensor cores: servers run W4A4 weight-only"
            found.append(_finding("GPU", "ok", f"{torch.cuda.get_device_name()}, SM{major}{minor}, {native}"))
        else:
            found.append(_finding("GPU", "optional", "none; everything runs on the CPU, slowly"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    free = shutil.disk_usage(Path.cwd()).free / 2**30
    found.append(
        _finding("machine", "ok", f"{os.cpu_count()} cores, {memory:.0f} GiB memory, {free:.0f} GiB free here")
    )
    if sys.platform != "linux":
        found.append(_finding("platform", "optional", f"{sys.platform}: developed and tested on Linux"))
    return found
