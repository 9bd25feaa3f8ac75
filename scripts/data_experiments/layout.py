"""Where a scale's texts, recipes, prompts and runs lie, and the plan of each experiment's ranking."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from curator._errors import InputError
from curator._files import file_sha256, write_text
from curator.models.fingerprint import model_fingerprint
from curator.models.locate import locate_model
from curator.rank.plan import Plan
from curator.recipe.load import LoadedRecipe, load_all, load_recipe
from curator.recipe.quantize_overrides import quantize_settings
from curator.recipe.render import to_yaml
from data_experiments.registered import Experiment, PromptKind, Registered, Scale, registered

RECIPES = Path(__file__).with_name("recipes")


@dataclass(frozen=True)
class ExperimentFolder:
    """The folder of one scale's experiments, and what lies where in it.

    Attributes:
        folder: for texts, recipes, prompts and runs.
        scale_name: a scale of the registered plan.
        model: a model's folder.
        draws: in place of the registered number, for a dry run.
        device: in place of the registered one; results tell of it.
    """

    folder: Path
    scale_name: str
    model: str | None = None
    draws: int | None = None
    device: str | None = None

    @cached_property
    def registered(self) -> Registered:
        """The registered plan."""
        return registered()

    @property
    def scale(self) -> Scale:
        """The sizes."""
        return self.registered.scales[self.scale_name]

    @cached_property
    def model_folder(self) -> Path:
        """The model's."""
        return locate_model(self.model or self.scale.model)

    @cached_property
    def as_registered(self) -> bool:
        """Whether model and draws are those registered; else it is a dry run."""
        return self._is_registered_model and self.draws is None

    @cached_property
    def _is_registered_model(self) -> bool:
        if self.model is None:
            return True
        weights = self.model_folder / "model.safetensors"
        return weights.is_file() and file_sha256(weights) == self.scale.weights

    @property
    def model_name(self) -> str:
        """The registered model's, wherever its folder lies; else what was given."""
        return self.scale.model if self._is_registered_model else str(self.model)

    @property
    def texts(self) -> Path:
        """Folder of the pools, the evaluation set and its profile."""
        return self.folder / "texts"

    @property
    def recipes(self) -> Path:
        """Folder of the recipes, in this scale's sizes."""
        return self.folder / "recipes"

    def prompts(self, kind: PromptKind) -> Path:
        """A file of held-out prompts."""
        return self.folder / f"{kind}.jsonl"

    def run(self, kind: PromptKind) -> Path:
        """The run folder of all experiments with the same prompts: they share baseline, null arms and pieces."""
        return self.folder / "runs" / kind

    def ranking(self, experiment: str) -> Path:
        """Folder that keeps an experiment's ranking; the next one in the run folder replaces it there."""
        return self.folder / "rankings" / experiment

    def place_recipe(self, name: str) -> None:
        """Write a recipe of ours with all its values, in this scale's sizes."""
        source = RECIPES / f"{name}.yaml"
        loaded = load_recipe(source, sizes(load_recipe(source), self.scale))
        write_text(self.recipes / f"{name}.yaml", to_yaml(loaded, header=False))

    def plan(self, name: str) -> Plan:
        """An experiment's ranking, as ``curate rank`` makes it of the command that the plan tells.

        Raises:
            InputError: `build` has not been here.
        """
        experiment, scale = self.registered.experiments[name], self.scale
        loaded = tuple(self._loaded(experiment))
        settings = quantize_settings(
            loaded[0].recipe.model_dump(mode="json"),
            str(loaded[0].path),
            [f"quantize.method={self.registered.method}"],
        )
        plan = Plan(
            recipes=loaded,
            model=self.model_folder,
            model_name=self.model_name,
            model_hash=model_fingerprint(self.model_folder),
            out=self.run(experiment.prompts),
            quantize=(settings,),
            draws=self.draws or self.registered.draws,
            nulls=scale.nulls,
            tokens=scale.scored,
            heldout=self.prompts(experiment.prompts),
            allow_unequal=experiment.unequal,
            device=self.device or scale.device,
            command=self._command(experiment),
        )
        return plan

    def _loaded(self, experiment: Experiment) -> list[LoadedRecipe]:
        files = [self.recipes / f"{arm}.yaml" for arm in experiment.arms]
        missing = next((file for file in (*files, self.prompts(experiment.prompts)) if not file.is_file()), None)
        if missing is not None:
            raise InputError(f"{missing}: no such file; run `scripts/what_data_does build` first")
        return load_all(files)

    def _command(self, experiment: Experiment) -> str:
        scale = self.scale
        words = ["curate", "rank", *(str(self.recipes / f"{arm}.yaml") for arm in experiment.arms)]
        words += ["--out", str(self.run(experiment.prompts)), "--model", self.model_name]
        words += ["--method", self.registered.method, "--draws", str(self.draws or self.registered.draws)]
        words += ["--null", ",".join(scale.nulls), "--tokens", str(scale.scored)]
        words += ["--heldout", str(self.prompts(experiment.prompts))]
        words += ["--allow-unequal"] if experiment.unequal else []
        words += ["--device", self.device or scale.device]
        return shlex.join(words)


def sizes(loaded: LoadedRecipe, scale: Scale) -> list[str]:
    """``--set`` options that give a recipe as many tokens as a scale's sets have.

    One length becomes the scale's. A recipe that is about lengths (its own is not 512, or it mixes some, or it is
    compared with such: its name begins with ``lengths``) keeps them, and has more or fewer sequences.

    Raises:
        InputError: its sequences do not add up to the scale's tokens.
    """
    size, total = loaded.recipe.size, scale.samples * scale.tokens
    if not loaded.recipe.name.startswith("lengths"):
        return [f"size.samples={scale.samples}", f"size.tokens={scale.tokens}"]
    times, rest = divmod(total, size.total)
    if rest or not times:
        raise InputError(f"{loaded.path}: {size.total} tokens do not go into the scale's {total}")
    if size.mix is None:
        return [f"size.samples={(size.samples or 0) * times}"]
    parts = ", ".join(f"{{samples: {part.samples * times}, tokens: {part.tokens}}}" for part in size.mix)
    return [f"size.mix=[{parts}]"]
