"""`curate export`: what a quantiser takes, so that a set's own token ids reach the model."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator.cli.output import JsonFlag, console, next_step, print_json

if TYPE_CHECKING:
    from curator.adapters import StoredSet
    from curator.adapters.imatrix import TextTokenizer
    from curator.tokens.tokenizer import Tokenizer

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
        str | None,
        typer.Option("--model", help="Folder or hub id to fill in; refused when its tokenizer is not the set's."),
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
    if to == IMATRIX and out:
        result = _text(stored, model, out)
    else:
        result = _script(stored, calibration_set, to, model, out)
    if json:
        print_json(result)
        return
    _print(result)


def _script(stored: StoredSet, folder: Path, name: str, model: str | None, out: Path | None) -> dict[str, Any]:
    from curator.adapters.targets import TARGETS
    from curator.models.embedded import EMBEDDED

    target = TARGETS[name]
    if model is None:
        script = target.script(folder, note=_asked(stored.manifest))
    else:
        place, _ = _same_tokenizer(model, stored.manifest)
        # The libraries know folders and hub ids, not our own names.
        script = target.script(folder, str(place) if model in EMBEDDED else model)
    if out:
        _write(out, script)
    return {
        "to": name,
        "library": target.library,
        "audited": target.audited,
        "writes": target.writes,
        "model": model,
        **_counts(stored),
        "script": script,
        "holds": list(target.holds),
        "otherwise": list(target.otherwise),
        "out": str(out) if out else None,
    }


def _text(stored: StoredSet, model: str | None, out: Path) -> dict[str, Any]:
    from curator.adapters.imatrix import text_for_imatrix
    from curator.models.locate import DEFAULT_MODEL

    name = model or _made_by(stored.manifest) or DEFAULT_MODEL
    made = text_for_imatrix(stored, _tokenizer(name, stored.manifest))
    _write(out, made.text)
    return {
        "to": IMATRIX,
        "library": "llama.cpp",
        **_counts(stored),
        "rows_with_the_same_ids": made.same_ids,
        "rows_that_arrive_whole": made.cut.whole,
        "context": made.cut.context,
        "dropped_tokens": made.cut.dropped,
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


def _made_by(manifest: dict[str, Any]) -> str:
    """The model whose tokenizer made the set; empty where the set does not say."""
    recipe = manifest.get("recipe")
    name = manifest.get("model") or (recipe.get("model") if isinstance(recipe, dict) else None)
    return name if isinstance(name, str) else ""


def _ids_of(manifest: dict[str, Any]) -> str:
    facts = manifest.get("tokenizer")
    return str(facts.get("ids_fingerprint") or "") if isinstance(facts, dict) else ""


def _asked(manifest: dict[str, Any]) -> str:
    """What ``MODEL`` has to be, in one line."""
    name, ids = _made_by(manifest), _ids_of(manifest)[:12]
    shown = name if name.isprintable() else dumps(name)
    of = f" (ids {ids})" if ids else ""
    return (
        f"MODEL: {shown}, whose tokenizer made the set{of}" if name else f"MODEL: one with the set's tokenizer{of}"
    )


def _same_tokenizer(model: str, manifest: dict[str, Any]) -> tuple[Path, Tokenizer]:
    """The folder and tokenizer of a model, or a refusal when its ids are not the set's."""
    from curator._errors import RefusedError
    from curator.models.locate import locate_tokenizer
    from curator.tokens.tokenizer import Tokenizer

    folder = locate_tokenizer(model)
    ours, ids = Tokenizer(folder), _ids_of(manifest)
    # Another chat template changes no id of a text that is there already.
    if ours.ids_fingerprint != ids:
        raise RefusedError(
            f"{model} has another tokenizer than the set (ids {ours.ids_fingerprint[:12]}, "
            f"set {ids[:12] or 'not told'}); name the set's model with --model"
        )
    return folder, ours


def _tokenizer(model: str, manifest: dict[str, Any]) -> TextTokenizer:
    """The tokenizer that made the set, as imatrix needs it."""
    from transformers import AutoTokenizer

    from curator.adapters.imatrix import TextTokenizer

    folder, ours = _same_tokenizer(model, manifest)
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
    from curator._files import write_text
    from curator._outputs import refuse_foreign_file

    refuse_foreign_file(out, lambda held: held == text.encode())
    write_text(out, text)


def _nearest(name: str, names: list[str]) -> str:
    from curator._errors import did_you_mean

    return did_you_mean(name.lower().replace("_", "-"), names, f"choose one of {', '.join(names)}")


def _print(result: dict[str, Any]) -> None:
    shown = console()
    shown.print(f"{result['library']}: {result['rows']:,} rows, {result['tokens']:,} tokens", markup=False)
    if result["out"]:
        shown.print(f"written to {result['out']}", markup=False, soft_wrap=True)
    if "script" in result:
        shown.print(_filled(result["writes"], shown.width, "writes: "), markup=False)
        shown.print()
        # As it is, so that it can be copied: a wrapped line of Python would be another program.
        shown.print(result["script"], markup=False, soft_wrap=True)
        if result["model"] is None:
            advice = "--model MODEL compares that model's tokenizer with the set's, and fills it in."
            shown.print(advice, markup=False)
    parts = {
        "holds": f"What holds (audited with {result.get('audited')}):",
        "otherwise": f"What {result['library']} does to the same rows otherwise:",
        "changes": "What llama-imatrix changes:",
    }
    for key, title in parts.items():
        if key in result:
            shown.print(title, markup=False)
            for line in result[key]:
                shown.print(_filled(line, shown.width, "- "), markup=False)
    if "command" in result:
        next_step(result["command"])


def _filled(text: str, width: int, first: str) -> str:
    from textwrap import fill

    return fill(text, width, initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False)
