"""`curate sift`: what the gates say to every row of a file, or other limits say to a set's pool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curator.cli.engine_options import EngineOption, RayAddressOption, engine_workers
from curator.cli.options import WorkersOption
from curator.cli.recipe_options import AllWindowsOption, SetOption, changes

_EPILOG = (
    "Examples: curate sift rows.jsonl --keep kept.jsonl; "
    "curate sift sets/coherent-mix --set continuity.min=3 --html lines.html"
)
JsonLinesFlag = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a row on standard output, nothing else.")
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog=_EPILOG)(sift)


def sift(
    path: Annotated[Path, typer.Argument(metavar="FILE|SET", help="File of rows, or set folder.")],
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", help="Whose gates are asked: the defaults for a file, the set's own for a set."),
    ] = None,
    overrides: SetOption = None,
    text: Annotated[str | None, typer.Option("--text", help="Column of the text (files).")] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="Task of rows that have no column task (files).")
    ] = None,
    all_windows: AllWindowsOption = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="File to write the kept rows to, unchanged (files).")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="HTML file to write as well.")] = None,
    workers: WorkersOption = None,
    engine: EngineOption = "local",
    ray_address: RayAddressOption = None,
    json: JsonLinesFlag = False,
) -> None:
    """Say of every row whether the gates keep it, why not, and its scores.

    A set folder is not built again: the limits are laid on the scores that its pool has stored.
    """
    from curator._errors import InputError
    from curator.cli.sift_output import SiftOutput

    if html is not None:
        _refuse_page(html, path)
    output = SiftOutput(as_json=json)
    if (path / "manifest.json").is_file():
        from curator.cli.sift_set import sift_set

        given = {"--text": text, "--task": task, "--all-windows": all_windows, "--keep": keep}
        given |= {"--engine": engine if engine != "local" else None, "--ray-address": ray_address}
        for option, value in given.items():
            if value:
                raise InputError(f"{option} is for files of rows; {path} is a set, whose texts are not read again")
        document = sift_set(path, recipe, overrides or (), output)
    else:
        from curator.cli.sift_rows import RowOptions, sift_rows

        changed = changes(overrides, all_windows=all_windows)
        with engine_workers(engine, ray_address, workers, output.progress) as found:
            options = RowOptions(recipe, changed, text, task, keep, found)
            document = sift_rows(path, options, output)
    if html is not None:
        from curator.cli.pages import write_page
        from curator.report.sift_html import sift_html

        write_page(html, sift_html(document))
    output.end(document, html)


def _refuse_page(html: Path, path: Path) -> None:
    """Before any work: what is in the page's way."""
    from curator.cli.pages import refuse_in_set, refuse_other_page
    from curator.report.sift_html import sift_html

    refuse_in_set(html, path if path.is_dir() else html)
    nothing = {"rows": 0, "kept": 0, "dropped": 0, "by_reason": {}, "by_task": {}, "words": {}, "scores": []}
    refuse_other_page(html, sift_html(nothing))
