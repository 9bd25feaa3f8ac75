"""What a ranking is going to do, fixed and written down before it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import curator
from curator._errors import InputError, RefusedError
from curator._files import file_sha256, json_sha256, read_json, write_json
from curator._outputs import Ours
from curator.measure.baseline_settings import DEFAULT_BATCH, DEFAULT_TOKENS, DEFAULT_TOP_K
from curator.pipeline.source_state import sources_sha256
from curator.recipe.load import LoadedRecipe
from curator.recipe.quantize_methods import Scheme
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.interface import Dtype
from curator.serve.open import IN_PROCESS, ServeOptions

NullArm = Literal["no-data", "random-tokens", "second-draw"]
NULL_ARMS: tuple[NullArm, ...] = ("no-data", "random-tokens", "second-draw")
PLAN = "plan.json"
RUN_FOLDER = Ours(
    "a run",
    PLAN,
    "model_hash",
    (
        PLAN,
        ".lock",
        "heldout.jsonl",
        "baseline",
        "arms",
        "pieces",
        "again",
        "ledger.json",
        "ranking.json",
        "report.html",
        "figures",
    ),
)
# The batch size at which the floor is measured beside the primary one.
FLOOR_BATCH = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """One ranking.

    Attributes:
        recipes: the user's arms.
        model: folder of the BF16 model.
        model_name: what the user called it.
        model_hash: its fingerprint.
        quantize: how sets are quantised, one entry a method: an arm is a recipe under one of them. Always W4A4,
            which both schemes are measured of.
        trust_remote_code: run Python code of the model's folder.
        scheme: scheme of the primary number; the other is shown beside it, where it can be measured.
        serving: where models run: in this process, or each in a server of its own.
        measurable: the schemes that can be measured there.
        draws: draws of an arm, the most where there are looks.
        looks: draws at which the run is looked at and beaten arms stop; empty for all draws at once.
        budget: seconds that the run may take by its estimate, from which its draws are fixed at the start.
        nulls: null arms.
        tokens: scored tokens a prompt.
        top_k: length of stored lists.
        batch_size: of the primary number.
        per_task: held-out prompts a kind, when they are made here.
        heldout: the user's own file of prompts, or ``None``.
        dtype: compute type of the measurement; ``None`` for the server's.
        margin: equivalence margin as a share of KL.
        allow_unequal: rank sets of unequal size.
        keep_checkpoints: keep the quantised models.
        out: run folder.
        device: where checkpoints are made; see `find_devices`. Only on a CPU are two of one set bit-identical.
        command: as it was typed, for the report.
    """

    recipes: tuple[LoadedRecipe, ...]
    model: Path
    model_name: str
    model_hash: str
    out: Path
    quantize: tuple[QuantizeSettings, ...] = field(default_factory=lambda: (QuantizeSettings(),))
    trust_remote_code: bool = False
    scheme: Scheme = "W4A4"
    serving: ServeOptions = IN_PROCESS
    measurable: tuple[Scheme, ...] = ("W4A4", "W4A16")
    draws: int = 1
    looks: tuple[int, ...] = ()
    budget: float | None = None
    nulls: tuple[NullArm, ...] = NULL_ARMS
    tokens: int = DEFAULT_TOKENS
    top_k: int = DEFAULT_TOP_K
    batch_size: int = DEFAULT_BATCH
    per_task: int = 16
    heldout: Path | None = None
    dtype: Dtype | None = "float32"
    margin: float = 0.05
    allow_unequal: bool = False
    keep_checkpoints: bool = False
    device: str = "cpu"
    command: str = ""

    def __post_init__(self) -> None:
        names = [loaded.recipe.name for loaded in self.recipes]
        double = next((name for name in names if names.count(name) > 1), None)
        if double:
            paths = ", ".join(str(loaded.path) for loaded in self.recipes if loaded.recipe.name == double)
            raise InputError(f"two recipes are called {double!r} ({paths}); give each a `name:` of its own")
        taken = next((name for name in names if name in NULL_ARMS), None)
        if taken:
            raise InputError(f"a recipe is called {taken!r}, which is the name of a null arm; rename it")
        for settings in self.quantize:
            _refuse_useless(settings, self.scheme)
        methods = [settings.method for settings in self.quantize]
        twice = next((method for method in methods if methods.count(method) > 1), None)
        if twice:
            raise InputError(f"method {twice} is given twice; name each once")
        if self.looks:
            _check_looks(self.looks, self.draws)

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """The schemes measured, the primary one first."""
        return (self.scheme, *(scheme for scheme in self.measurable if scheme != self.scheme))

    @property
    def first_look(self) -> int:
        """Draws of an arm at the first look, all where there are no looks. Null arms are judged at it alone."""
        return self.looks[0] if self.looks else self.draws

    @property
    def first_draws(self) -> dict[str, int]:
        """These draws of every recipe, by its name."""
        return {loaded.recipe.name: self.first_look for loaded in self.recipes}

    def key(self) -> str:
        """Hash of everything that the ranking depends on, the tool's version included."""
        recipes = [[loaded.recipe.name, loaded.sha256, sources_sha256(loaded)] for loaded in self.recipes]
        methods = [settings.used() for settings in self.quantize]
        arms = [recipes, methods, self.draws, list(self.looks), list(self.nulls), self.allow_unequal]
        return json_sha256([curator.__version__, self.fixed(), arms])

    def fixed(self) -> dict[str, Any]:
        """What may not change when a run is continued. Arms may be added, and draws where there are no looks."""
        return {
            "model": self.model_name,
            "model_hash": self.model_hash,
            "trust_remote_code": self.trust_remote_code,
            "scheme": self.scheme,
            "tokens": self.tokens,
            "top_k": self.top_k,
            "batch_size": self.batch_size,
            "per_task": self.per_task,
            "heldout": None if self.heldout is None else file_sha256(self.heldout),
            "dtype": self.dtype,
            "serve": self.serving.fixed(),
            "margin": self.margin,
            "device": None if self.device == "cpu" else self.device,
            # Draws chosen after a look at the results would spoil the error rate that the looks share.
            "looks": list(self.looks) if self.looks and self.budget is None else None,
            "budget": self.budget,
        }


def _refuse_useless(settings: QuantizeSettings, scheme: Scheme) -> None:
    if settings.data_acts == "nothing":
        raise RefusedError(
            f"method {settings.method}: a calibration set can change nothing under it, nothing to rank; "
            "measure once with `curate quantize --method rtn` and `curate score`"
        )
    if settings.data_acts == "activation-scales" and scheme == "W4A16":
        raise RefusedError(
            f"method {settings.method} with W4A16: data sets activation scales only, and W4A16 does not use them; "
            "use --method gptq, or --scheme W4A4"
        )


def _check_looks(looks: tuple[int, ...], draws: int) -> None:
    # Inside: the command line imports this module for its help.
    from curator.rank.looks import planned_looks
    from curator.rank.statistics import MIN_DRAWS_PROVISIONAL, MIN_DRAWS_RECIPES

    planned_looks(looks)
    if looks[0] < MIN_DRAWS_PROVISIONAL:
        raise InputError(
            f"looks at {', '.join(map(str, looks))} draws: the variance between draws is not known below "
            f"{MIN_DRAWS_PROVISIONAL}; start at {MIN_DRAWS_RECIPES}, or for provisional verdicts at "
            f"{MIN_DRAWS_PROVISIONAL}"
        )
    if looks[-1] != draws:
        raise InputError(f"the last look is at {looks[-1]} draws, {draws} are planned; leave --draws out")


def fix_plan(plan: Plan) -> None:
    """Write the plan into the run folder, or check that it continues the one there.

    Raises:
        RefusedError: the folder holds a run with other settings; names them.
    """
    if not (plan.out / PLAN).is_file():
        write_json(plan.out / PLAN, plan.fixed())
    refuse_other_plan(plan)


def refuse_other_plan(plan: Plan) -> None:
    """Refuse a folder of a run with other settings, if there is one.

    Raises:
        RefusedError: names them.
    """
    if not (plan.out / PLAN).is_file():
        return
    before = read_json(plan.out / PLAN)
    changed = [
        f"{key} was {before.get(key)!r}, is {value!r}"
        for key, value in plan.fixed().items()
        if before.get(key) != value
    ]
    if changed:
        raise RefusedError(
            f"{plan.out}: this run was started with other settings ({'; '.join(changed)}); use another --out"
        )


def fix_prompts(plan: Plan, sha256: str) -> None:
    """Write down which held-out prompts the run is measured on, or check that they are still those.

    Raises:
        RefusedError: ``heldout.jsonl`` was changed after it was frozen.
    """
    fixed = read_json(plan.out / PLAN)
    if "prompts_sha256" not in fixed:
        write_json(plan.out / PLAN, {**fixed, "prompts_sha256": sha256})
    elif fixed["prompts_sha256"] != sha256:
        raise RefusedError(f"{plan.out}: heldout.jsonl is not what this run was started with; use another --out")
