"""Runs the calls of one audit, each in a process of its own, and files their results.

``python run.py NAME PYTHON WORK [RESULTS]``

Calls named in `HOLDS` have to hand over the set whole and in order; the others have to fail to. Exit code 1 when
one does not do as it has to.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from curator._files import read_json, write_json

HERE = Path(__file__).resolve().parent
LLAMA = HERE.parents[1] / ".venv-audit-imatrix" / "build" / "bin"
HOLDS = {"printed", "adapted", "adapted_awq", "packed prose"}
ADAPTED = (("printed", "1"), ("adapted", "1"), ("adapted", "2"), ("adapted", "4"))
CALLS = {
    "llm-compressor": (*ADAPTED, ("plain", "1"), ("plain", "4"), ("unshuffled", "1"), ("unshuffled", "4")),
    "auto-round": (*ADAPTED, ("plain", "1")),
    "modelopt": (*ADAPTED, ("adapted_awq", "2"), ("plain", "1"), ("plain", "4")),
    "gptqmodel": (*ADAPTED, ("plain", "1"), ("plain", "4"), ("argument_only", "1")),
    "imatrix": tuple((call, str(LLAMA)) for call in ("packed prose", "columns of numbers", "ragged rows")),
}


def run(name: str, python: str, work: Path, call: str, extra: str) -> dict[str, Any]:
    """One call; its result."""
    script = HERE / f"audit_{name.replace('-', '_')}.py"
    # One thread: the model is tiny, and threads that wait for each other are slow on a busy machine.
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1]), "OMP_NUM_THREADS": "1"}
    command = [python, script, work, call, extra]
    # Some libraries write logs into the folder they are called from.
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=900, check=False, cwd=work
    )
    if done.returncode:
        raise SystemExit(f"{name} {call}: the audit itself failed\n{(done.stdout + done.stderr)[-3000:]}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def main() -> int:
    """Run all calls of one library."""
    name, python, work = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve()
    file = Path(sys.argv[4]) if len(sys.argv) > 4 else HERE / "results.json"
    subprocess.run([sys.executable, HERE / "inputs.py", work], check=True, stdout=subprocess.DEVNULL)
    results, wrong = [], 0
    for call, extra in CALLS[name]:
        result = run(name, python, work, call, extra)
        must = call in HOLDS
        as_it_has_to = result["passed"] is must
        wrong += not as_it_has_to
        results.append({**result, "has_to_pass": must})
        size = f" at batch size {result['batch_size']}" if "batch_size" in result else ""
        found = "whole and in order" if result["passed"] else "not what the set has"
        sys.stdout.write(f"{'ok' if as_it_has_to else 'WRONG'}  {name} {call}{size}: {found}\n")
        sys.stdout.flush()
    filed = read_json(file) if file.exists() else {}
    filed[name] = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "calls": results}
    write_json(file, dict(sorted(filed.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
