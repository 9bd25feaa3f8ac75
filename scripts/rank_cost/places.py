"""Where a ranking's time may go, and the function that it goes into."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from rank_cost.clocks import Clocks

# Not Curate's own: the quantiser, and the model with what is done inside its forward pass.
NOT_OWN = ("quantiser", "model_load", "model_forward", "input_rounding")
_PLACES = {
    "model_load": (
        "curator.serve.in_process:load_model",
        "curator.serve.candidate:_model_of",
        "curator.serve.candidate:_fill",
    ),
    # The activations of W4A4, which a kernel rounds: a part of its forward pass.
    "input_rounding": ("curator.quantize.fake_quant:InputQuantizer._quantised",),
    "quantiser_child": ("curator.quantize.run:_child",),
    "unpack_weights": ("curator.serve.in_process:load_candidate",),
    "top_lists": ("curator.serve.in_process:InProcess._scores",),
    "compare_lists": ("curator.measure.score:_compared", "curator.measure.floors:sparse_divergences"),
    "compare_vocabulary": ("curator.measure.score:divergences",),
    "read_baseline": (
        "curator.measure.baseline:Baseline.__init__",
        "curator.measure.baseline:Baseline.scores",
        "curator.rank.prepare:_stored_baseline",
    ),
    "keep_baseline": (
        "curator.measure.full_logits:FullLogits.keep",
        "curator.measure.collect:save_lists",
        "curator.measure.collect:save_full",
        "curator.measure.collect:hashes",
    ),
    "sets": ("curator.rank.experiment:make_arms",),
    "prompts": ("curator.rank.experiment:frozen_prompts",),
    "layers": ("curator.rank.measure_all:record_layers",),
    "statistics": ("curator.rank.measure_all:judge_all", "curator.rank.measure_all:judge_looks"),
    "document": ("curator.rank.experiment:ranking_document",),
    "report": ("curator.rank.experiment:write_ranking",),
}


def put_clocks(clocks: Clocks) -> None:
    """Put them around all places of this process."""
    for name, places in _PLACES.items():
        clocks.put_around(name, *places)
    from curator.serve.in_process import InProcess

    begin = InProcess.__init__

    def begun(self: InProcess, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        model = self.model
        for name in ("forward", "generate"):
            setattr(model, name, clocks.around("model_forward", getattr(model, name)))

    InProcess.__init__ = begun  # type: ignore[method-assign]


def document(wall: float, here: Mapping[str, float], children: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Seconds by part.

    Args:
        wall: of all.
        here: of this process; ``quantiser_child`` is what it waited for quantising processes.
        children: of each of those, with their ``whole``.

    Returns:
        ``wall_s``, each part that is not Curate's own, ``own_s`` with its ``own_share`` of the wall time, and the
        ``own_parts``. ``quantiser_start``: what was waited for beside the children's work, their imports.
    """
    seconds = defaultdict(float, here)
    waited = seconds.pop("quantiser_child", 0.0)
    for child in children:
        waited -= child["whole"]
        seconds["quantiser"] += child["quantiser"]
        seconds["model_load"] += child["model_load"]
        seconds["quantiser_checks"] += child["whole"] - child["quantiser"] - child["model_load"]
    seconds["quantiser_start"] += waited
    own = wall - sum(seconds[name] for name in NOT_OWN)
    parts = {name: value for name, value in seconds.items() if name not in NOT_OWN}
    parts["start_and_rest"] = own - sum(parts.values())
    return {
        "wall_s": round(wall, 1),
        **{f"{name}_s": round(seconds[name], 1) for name in NOT_OWN},
        "own_s": round(own, 1),
        "own_share": round(own / wall, 4),
        "own_parts": {name: round(value, 2) for name, value in sorted(parts.items(), key=lambda one: -one[1])},
    }
