"""`curate push`: a set folder on the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator.cli.output import JsonFlag, console, print_json

if TYPE_CHECKING:
    from curator.export.push_plan import PushPlan


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate push sets/coherent-mix --repo me/coherent-mix --dry-run")(push)


def push(
    calibration_set: Annotated[Path, typer.Argument(metavar="SET", help="Set folder.")],
    repo: Annotated[str, typer.Option("--repo", help="Data set of the hub, owner/name; made when there is none.")],
    public: Annotated[bool, typer.Option("--public", help="Everybody may see it; private when left out.")] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="Licence that you have cleared for passing on; may be repeated."),
    ] = None,
    message: Annotated[str | None, typer.Option("--message", help="Message of the commit.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show files and card; nothing is sent and nobody asked.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Publish a set: its samples, manifest, recipe, card and licences, tagged with its hash.

    pool.parquet and report.html stay here: they quote what the gates refused. The token comes from HF_TOKEN or
    `hf auth login`; HF_ENDPOINT names another hub.
    """
    from curator.cli.progress import narrator
    from curator.export.push import checked_repository
    from curator.export.push import push as send
    from curator.export.push_plan import plan_push

    checked_repository(repo)
    plan = plan_push(calibration_set, allow or ())
    words = message or f"{plan.name}: set {plan.set_hash[:12]}"
    document = _document(plan, repo, words, dry_run)
    if dry_run:
        document |= {"private": not public}
    else:
        pushed = send(plan, repo, public, words, narrator())
        document |= {
            "url": pushed.url,
            "commit": pushed.commit,
            "private": pushed.private,
            "created": pushed.created,
            "changed": list(pushed.changed),
            "removed": list(pushed.removed),
        }
    if json:
        print_json(document)
    else:
        _print(document, calibration_set)


def _document(plan: PushPlan, repo: str, message: str, dry_run: bool) -> dict[str, Any]:
    return {
        "repo": repo,
        "dry_run": dry_run,
        "name": plan.name,
        "set_hash": plan.set_hash,
        "tag": plan.tag,
        "message": message,
        "files": [{"path": file.path, "bytes": file.size, "sha256": file.sha256} for file in plan.files],
        "licences": plan.licences,
        "warnings": list(plan.warnings),
    }


def _print(document: dict[str, Any], folder: Path) -> None:
    shown = console()

    def line(text: str) -> None:
        shown.print(text, markup=False)

    who = "only its owner sees it" if document["private"] else "everybody sees it"
    what = "would go" if document["dry_run"] else "is"
    line(f"{document['name']}, set {document['set_hash'][:12]}, {what} on the hub as {document['repo']}; {who}")
    changed = document.get("changed")
    for file in document["files"]:
        state = "" if changed is None else "  sent" if file["path"] in changed else "  was there"
        line(f"  {file['path']:<16} {file['bytes']:>12,} bytes{state}")
    for name in document.get("removed", ()):
        line(f"  {name:<16} taken out: of an earlier state of the set")
    licences = ", ".join(f"{name} ({rows:,} rows)" for name, rows in document["licences"].items())
    line(f"licences: {licences}")
    for warning in document["warnings"]:
        line(f"warning: {warning}")
    if document["dry_run"]:
        line(f"commit message: {document['message']}")
        line(f"tag: {document['tag']}")
        shown.print()
        # As it is: a wrapped line of its head would be another card.
        shown.print((folder / "README.md").read_text("utf-8", "replace"), markup=False, soft_wrap=True)
        return
    line(f"tag {document['tag']}, commit {document['commit'][:12]}")
    shown.print(document["url"], markup=False, soft_wrap=True)
