"""What `curate rank --plan` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curator.cli.output import print_overview

if TYPE_CHECKING:
    from curator.rank.plan import Plan


def show_overview(plan: Plan, *, as_json: bool) -> None:
    """Print what a run would do: arms, draws, prompts, comparisons and estimated time.

    Raises:
        InputError, RefusedError: as a run would.
    """
    from curator.rank.overview import overview

    print_overview(overview(plan), _lines, as_json=as_json)


def _lines(document: dict[str, Any]) -> list[str]:
    arms = document["arms"]
    width = max(len(arm["name"]) for arm in arms)
    methods = max(len(arm["method"]) for arm in arms)
    lines = ["arms, with the sets that are measured of each:"]
    lines += [f"  {arm['name']:<{width}}  {arm['method']:<{methods}}  {_draws(arm)}" for arm in arms]
    kinds = ", ".join(f"{count} {task}" for task, count in document["prompts"].items())
    count = sum(document["prompts"].values())
    lines.append(f"held-out prompts: {count} ({kinds}), {document['tokens_per_prompt']} scored tokens each")
    lines.append(f"compared: {document['comparisons']}")
    if document["looks"]:
        shares = ", ".join(f"{share:.1%}" for share in document["looks"]["shares"])
        draws = ", ".join(map(str, document["looks"]["draws"]))
        lines.append(f"looks: at {draws} draws, with {shares} of the error rate; beaten arms get no more draws")
    if document["budget"]:
        lines.append(f"budget: {document['budget']['words']}")
    lines.append(f"time: {document['estimate']['words']}")
    return [*lines, *(f"note: {note}" for note in document["notes"])]


def _draws(arm: dict[str, Any]) -> str:
    kind = " (null)" if arm["kind"] == "null" else ""
    before = f", {arm['measured']} measured before" if arm["measured"] else ""
    return f"{arm['draws']} draw{'' if arm['draws'] == 1 else 's'}{before}{kind}"
