"""`curate export`: what a quantiser takes, so that a set's own token ids reach the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator.cli.output import JsonFlag, console, next_step, print_json

if TYPE_CHECKING:
    from curator.adapters import StoredSet
    from curator.adapters.imatrix import TextTokenizer

IMATRIX = "imatrix"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate export sets/coherent-mix --to modelopt")(export)


def export(
    calibration_set: Annotated[Path, typer.Argument(metavar="SET", help="Set folder.")],
    to: Annotated[
        str, typer.Option("--to", help="llm-compressor, modelopt, gptqmodel, auto-round, or imatrix (llama.cpp).")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write: the Python script, or the text for imatrix.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="For imatrix: whose tokenizer made the set, if not the recipe's.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Hand a set to a quantiser: the lines of Python for one that takes token ids, a text file for imatrix."""
    from curator._errors import InputError
    from curator.adapters import read_set
    from curator.adapters.targets import TARGETS

    names = [*TARGETS, IMATRIX]
    if to not in names:
        raise InputError(f"--to {to}: unknown; {_nearest(to, names)}")
    if to == IMATRIX and out is None:
        raise InputError("--to imatrix needs --out FILE: llama-imatrix takes a text file")
    stored = read_set(calibration_set)
    result = _text(stored, model, out) if to == IMATRIX and out else _script(stored, calibration_set, to, out)
    if json:
        print_json(result)
        return
    _print(result)


def _script(stored: StoredSet, folder: Path, name: str, out: Path | None) -> dict[str, Any]:
    from curator.adapters.targets import TARGETS

    target = TARGETS[name]
    script = target.script(folder)
    if out:
        _write(out, script)
    return {
        "to": name,
        "library": target.library,
        "audited": target.audited,
        **_counts(stored),
        "script": script,
        "holds": list(target.holds),
        "otherwise": list(target.otherwise),
        "out": str(out) if out else None,
    }


def _text(stored: StoredSet, model: str | None, out: Path) -> dict[str, Any]:
    from curator.adapters.imatrix import text_for_imatrix
    from curator.models.locate import DEFAULT_MODEL

    name = model or (stored.manifest.get("recipe") or {}).get("model") or DEFAULT_MODEL
    made = text_for_imatrix(stored, _tokenizer(name, stored.manifest))
    _write(out, made.text)
    return {
        "to": IMATRIX,
        "library": "llama.cpp",
        **_counts(stored),
        "rows_with_the_same_ids": made.same_ids,
        "rows_that_arrive_whole": made.whole,
        "command": made.command(out),
        "changes": made.changes(),
        "out": str(out),
    }


def _counts(stored: StoredSet) -> dict[str, Any]:
    return {
        "set_hash": stored.manifest["set_hash"],
        "rows": len(stored.rows),
        "tokens": sum(map(len, stored.rows)),
    }


def _tokenizer(model: str, manifest: dict[str, Any]) -> TextTokenizer:
    """The tokenizer that made the set, or a refusal."""
    from transformers import AutoTokenizer

    from curator._errors import RefusedError
    from curator.adapters.imatrix import TextTokenizer
    from curator.models.locate import locate_model
    from curator.tokens.tokenizer import Tokenizer

    folder = locate_model(model)
    ours = Tokenizer(folder)
    facts = manifest.get("tokenizer") or {}
    # Another chat template changes no id of a text that is there already.
    if ours.ids_fingerprint != facts.get("ids_fingerprint"):
        raise RefusedError(f"{model} has another tokenizer than the set; name the set's model with --model")
    # Ours keeps the names of control tokens in prose ordinary; llama-imatrix --parse-special does not.
    theirs: Any = AutoTokenizer.from_pretrained(folder)
    theirs.model_max_length = int(1e30)
    start = ours.sequence_start()
    return TextTokenizer(
        encode=lambda text: theirs(text, add_special_tokens=False, split_special_tokens=False)["input_ids"],
        start=start,
        start_text=ours.decode(start),
        special=frozenset(ours.control_texts),
    )


def _write(out: Path, text: str) -> None:
    """Write ``text``, but over nothing else than the same text."""
    from curator._errors import InputError
    from curator._files import write_text

    if out.exists() and not out.is_file():
        raise InputError(f"{out}: is a folder or a device; name a file")
    if out.exists() and out.read_bytes() != text.encode():
        raise InputError(f"{out}: exists and holds something else; choose another name, or remove it")
    write_text(out, text)


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.lower().replace("_", "-"), names, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(names)}"


def _print(result: dict[str, Any]) -> None:
    shown = console()
    shown.print(f"{result['library']}: {result['rows']:,} rows, {result['tokens']:,} tokens", markup=False)
    if result["out"]:
        shown.print(f"written to {result['out']}", markup=False, soft_wrap=True)
    if "script" in result:
        shown.print()
        # As it is, so that it can be copied: a wrapped line of Python would be another program.
        shown.print(result["script"], markup=False, soft_wrap=True)
    parts = {
        "holds": f"What holds (audited with {result.get('audited')}):",
        "otherwise": f"What {result['library']} does to the same rows otherwise:",
        "changes": "What llama-imatrix changes:",
    }
    for key, title in parts.items():
        if key in result:
            shown.print(title, markup=False)
            for line in result[key]:
                shown.print(_item(line, shown.width), markup=False)
    if "command" in result:
        next_step(result["command"])


def _item(text: str, width: int) -> str:
    from textwrap import fill

    return fill(text, width, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
