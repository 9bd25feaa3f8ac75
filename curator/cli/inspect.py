"""`curate inspect`: what is in a set, token by token if asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from curator.cli.output import JsonFlag, console, print_json

_EPILOG = "Example: curate inspect sets/coherent-mix --tokens --sample 3"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog=_EPILOG)(inspect)


def inspect(
    folder: Annotated[Path, typer.Argument(metavar="SET", help="Set folder that curate build made.")],
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Show the samples token by token; needs the set's tokenizer.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=0, help="Only this sample, whole, from 0; implies --tokens."),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="HTML file to write as well.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model whose tokenizer made the set; the recipe's when left out.")
    ] = None,
    coverage: Annotated[
        bool,
        typer.Option("--coverage", help="Run the set through the model: which experts of a MoE does it reach?"),
    ] = False,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="With --coverage: run the code of the model's folder.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show what a set holds: shares, licences, lengths, and with --tokens what the model really sees."""
    from curator._errors import InputError
    from curator.cli.pages import refuse_in_set, write_page
    from curator.cli.set_samples import read_samples
    from curator.report.inspect_summary import inspection
    from curator.report.inspect_tokens import sample_views

    manifest, samples = read_samples(folder)
    if sample is not None and sample >= len(samples):
        raise InputError(f"{folder}: has samples 0 to {len(samples) - 1}, not {sample}")
    if html is not None:
        refuse_in_set(html, folder)
    vocabulary = _vocabulary(folder, manifest, model) if tokens or sample is not None else None
    control = None if vocabulary is None else vocabulary.control
    ends = {} if vocabulary is None else {"end": vocabulary.end, "start": vocabulary.start}
    found = inspection(manifest, samples, control, ends)
    views = [] if vocabulary is None else list(sample_views(samples, manifest, vocabulary, sample))
    if coverage:
        from curator.cli.coverage import measure_coverage

        found = {**found, "coverage": measure_coverage(folder, manifest, samples, model, trust_remote_code)}
    if html is not None:
        from curator.report.inspect_html import inspect_html

        write_page(html, inspect_html(found, _lengths(samples), views))
    if json:
        print_json({**found, "views": views, "html": None if html is None else str(html)})
        return
    _print(found, views, html, only_tokens=sample is not None)


def _print(
    found: Mapping[str, Any], views: Iterable[Mapping[str, Any]], html: Path | None, *, only_tokens: bool
) -> None:
    from curator.report.inspect_terminal import print_inspection, print_samples

    out = console()
    if not only_tokens:
        print_inspection(found, out)
    if "coverage" in found:
        from curator.report.coverage_terminal import print_coverage

        out.print()
        print_coverage(found["coverage"], out)
    if views:
        out.print()
        print_samples(views, out)
    if html is not None:
        out.print(f"written to {html}", markup=False, soft_wrap=True)


def _vocabulary(folder: Path, manifest: Mapping[str, Any], model: str | None) -> Any:
    """What the set's tokenizer tells of its ids."""
    from curator.cli.set_tokenizer import set_tokenizer
    from curator.models.locate import locate_tokenizer
    from curator.report.inspect_tokens import Vocabulary
    from curator.tokens.token_texts import token_texts

    _, _, tokenizer = set_tokenizer(folder, manifest, model, locate_tokenizer)
    return Vocabulary(
        lambda ids: token_texts(ids, tokenizer.decode), tokenizer.control_texts, tokenizer.bos_id, tokenizer.eos_id
    )


def _lengths(samples: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    documents: dict[str, int] = {}
    for sample in samples:
        for part in sample["parts"]:
            documents[part["id"]] = documents.get(part["id"], 0) + part["end"] - part["start"]
    return {"samples": [len(sample["input_ids"]) for sample in samples], "documents": list(documents.values())}
