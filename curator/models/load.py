"""Loading a model whole: transformers fills what a folder lacks with random numbers and goes on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from curator._errors import InputError, first_line
from curator._files import read_json


def load_model(folder: Path, dtype: Literal["float32", "bfloat16"], trust_remote_code: bool = False) -> Any:
    """A causal language model in evaluation dtype, every weight of it from the folder.

    Args:
        folder: a transformers model folder.
        dtype: of the weights.
        trust_remote_code: run the Python files that the folder brings, where it brings any.

    Raises:
        InputError: a file is damaged; weights are missing, left over or of another shape than config.json says; or
            the folder needs its own code and ``trust_remote_code`` is false.
    """
    import torch
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    refuse_own_code(folder, trust_remote_code)
    faults = (OSError, ValueError, RuntimeError, TypeError, AttributeError, LookupError, ArithmeticError)
    # What the folder's own code may raise besides, such as for a package that is not installed.
    theirs = (ImportError, NameError, SyntaxError, AssertionError) if trust_remote_code else ()
    try:
        model, info = AutoModelForCausalLM.from_pretrained(
            folder, dtype=getattr(torch, dtype), output_loading_info=True, trust_remote_code=trust_remote_code
        )
    except (*faults, *theirs, SafetensorError, StrictDataclassError) as error:
        raise InputError(
            f"model {folder}: cannot be loaded ({first_line(error)}); is every file whole?"
        ) from error
    for words, names in (
        ("has no weight", lacking(model, sorted(info["missing_keys"]))),
        ("has a weight that config.json does not know,", sorted(info["unexpected_keys"])),
        ("has a weight of another shape,", sorted(str(entry) for entry in info["mismatched_keys"])),
    ):
        if names:
            raise InputError(
                f"model {folder}: {words} {names[0]} ({len(names)} such); give the whole folder of one model"
            )
    return model


def load_tokenizer(folder: Path, trust_remote_code: bool = False) -> Any:
    """The folder's tokenizer as transformers has it, to be saved beside a checkpoint.

    Raises:
        InputError: it has none, or a damaged one.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(folder, trust_remote_code=trust_remote_code)
    # Damaged files raise anything here: the Rust part has only bare exceptions.
    except Exception as error:
        raise no_tokenizer(folder, error) from error


def no_tokenizer(folder: Path, error: Exception) -> InputError:
    """What is told of a folder whose tokenizer cannot be loaded."""
    return InputError(
        f"model {folder}: its tokenizer cannot be loaded ({first_line(error)}); the folder needs tokenizer.json, "
        "whole and as the model's authors gave it"
    )


def lacking(model: Any, missing: Iterable[str]) -> list[str]:
    """Those of the weights that a folder does not hold which the model needs: a tied head is the embedding."""
    tied = bool(getattr(model.config, "tie_word_embeddings", False))
    return [name for name in missing if not (tied and name.startswith("lm_head"))]


def refuse_own_code(folder: Path, trust_remote_code: bool) -> None:
    """Refuse a folder that cannot be loaded without running the code that it brings, unless that is wanted.

    Raises:
        InputError: names the file that would be run.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    config = read_json(folder / "config.json")
    classes = config.get("auto_map") if isinstance(config, dict) else None
    # Where transformers knows the type it takes its own class, whatever the folder brings.
    if trust_remote_code or not isinstance(classes, dict) or str(config.get("model_type")) in CONFIG_MAPPING_NAMES:
        return
    named = str(classes.get("AutoModelForCausalLM") or next(iter(classes.values()), ""))
    raise InputError(
        f"model {folder}: loading it runs its own code ({named.rpartition('.')[0] or named}.py); read that, then "
        "pass --trust-remote-code, or set `trust_remote_code: true` in the recipe that is ranked"
    )
