"""What `curate search --plan` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curator.cli.output import print_overview

if TYPE_CHECKING:
    from curator.search.run import SearchPlan


def show_overview(plan: SearchPlan, *, as_json: bool) -> None:
    """Print what a search would do: space, evaluations, prompts and estimated time.

    Raises:
        InputError, RefusedError, DependencyError: as a search would.
    """
    from curator.search.overview import overview

    print_overview(overview(plan), _lines, as_json=as_json)


def _lines(document: dict[str, Any]) -> list[str]:
    before = f", {document['measured']} measured before" if document["measured"] else ""
    known = document["evaluations"]
    number = (
        f"{known}{before}" if known else f"as many as {document['budget']} lets in, told after the first{before}"
    )
    kinds = ", ".join(f"{count} {task}" for task, count in document["prompts"].items())
    count = sum(document["prompts"].values())
    return [
        f"searched: {', '.join(document['over'])} ({document['dimensions']} dimensions)",
        f"written recipes that a mix has to beat: {', '.join(document['written'])}",
        f"evaluations: {number}",
        f"compared: the best mix and the best written recipe, {document['fresh_draws']} fresh draws each, on the "
        "other half of the prompts",
        f"held-out prompts of the search half: about {count} ({kinds}), {document['tokens_per_prompt']} scored "
        "tokens each",
        f"time: {document['estimate']['words']}",
        *(f"note: {note}" for note in document["notes"]),
    ]
