"""The quantisers that a set can be handed to, and the lines of Python that do it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

# What a script stands on where the user's own model folder and output folder belong.
MODEL, OUT = "MODEL", "OUT"


@dataclass(frozen=True, slots=True)
class Target:
    """One library that takes token ids.

    Attributes:
        library: its name in words.
        audited: the version that scripts/audit-adapters was last run with.
        writes: the checkpoint that the lines make.
        imports: import lines.
        body: what follows ``rows = ...``; ``MODEL`` and ``OUT`` are for the user to fill in.
        holds: what the adapter guarantees.
        otherwise: what the library does to the same rows without it.
    """

    library: str
    audited: str
    writes: str
    imports: tuple[str, ...]
    body: tuple[str, ...]
    holds: tuple[str, ...]
    otherwise: tuple[str, ...]

    def script(self, folder: Path, model: str = "", note: str = "") -> str:
        """Python that quantises a model with the set in ``folder``.

        Args:
            folder: the set.
            model: the model's folder or hub id; ``MODEL`` stays in its place when empty.
            note: one line on top, as a comment.
        """
        body = "\n".join(self.body)
        if model:
            body = body.replace(f'"{MODEL}"', _quoted(model))
        top = [f"# {note}", ""] if note else []
        rows = f"rows = read_set({_quoted(str(folder))}).rows"
        return "\n".join([*top, *self.imports, "", rows, body]) + "\n"


def _quoted(text: str) -> str:
    """A string of Python that keeps what can be printed as it is."""
    return json.dumps(text, ensure_ascii=False)


_COMPRESSED = "NVFP4, as compressed-tensors"
_IDS = "the set's token ids reach the model, row by row and in order: none dropped, cut or padded, no BOS added"
_LOAD = f"""model = AutoModelForCausalLM.from_pretrained(
    "{MODEL}", dtype="auto", device_map="auto"
)"""
_TOKENIZER = f'tokenizer = AutoTokenizer.from_pretrained("{MODEL}")'
_NEIGHBOURS = "batch_size=N lets up to N neighbours of equal length go through together; other rows go alone"

TARGETS: dict[str, Target] = {
    "llm-compressor": Target(
        library="llm-compressor",
        audited="0.14.0.1",
        writes=_COMPRESSED,
        imports=(
            "from llmcompressor import oneshot",
            "from llmcompressor.modifiers.gptq import GPTQModifier",
            "from transformers import AutoModelForCausalLM, AutoTokenizer",
            "",
            "from curator.adapters import llm_compressor, read_set",
        ),
        body=(
            _LOAD,
            _TOKENIZER,
            'recipe = GPTQModifier(targets="Linear", scheme="NVFP4", ignore=["lm_head"])',
            "data = llm_compressor.oneshot_arguments(rows, model)",
            "oneshot(model=model, tokenizer=tokenizer, recipe=recipe, **data)",
            f'model.save_pretrained("{OUT}", save_compressed=True)',
            f'tokenizer.save_pretrained("{OUT}")',
        ),
        holds=(_IDS, _NEIGHBOURS),
        otherwise=(
            "shuffles without a seed: two runs may give two checkpoints",
            "with the shuffle off: takes the longest rows first",
            "at more than one row a batch: cuts every row to the shortest of its batch",
            "takes 512 rows of a longer set",
        ),
    ),
    "modelopt": Target(
        library="NVIDIA ModelOpt",
        audited="0.47.0",
        writes="NVFP4, as ModelOpt's unified checkpoint",
        imports=(
            "import modelopt.torch.quantization as mtq",
            "from modelopt.torch.export import export_hf_checkpoint",
            "from transformers import AutoModelForCausalLM, AutoTokenizer",
            "",
            "from curator.adapters import modelopt, read_set",
        ),
        body=(
            _LOAD,
            "mtq.quantize(model, mtq.NVFP4_DEFAULT_CFG, modelopt.forward_loop(rows))",
            f'export_hf_checkpoint(model, export_dir="{OUT}")',
            f'AutoTokenizer.from_pretrained("{MODEL}").save_pretrained("{OUT}")',
        ),
        holds=(_IDS, _NEIGHBOURS),
        otherwise=(
            "its own loop takes texts, not ids, and tokenises them again",
            "cuts at max_sample_length (512)",
            "pads every row on the left to the longest",
        ),
    ),
    "gptqmodel": Target(
        library="GPTQModel",
        audited="7.7.0",
        # Its NVFP4 is for activations, over INT4 weights, and for reading others' checkpoints.
        writes="INT4 weights in groups of 128, not NVFP4, which is none of GPTQModel's checkpoint formats",
        imports=(
            "from gptqmodel import GPTQModel, QuantizeConfig",
            "",
            "from curator.adapters import gptqmodel, read_set",
        ),
        body=(
            f'model = GPTQModel.load("{MODEL}", QuantizeConfig(bits=4, group_size=128))',
            "model.quantize(**gptqmodel.quantize_arguments(rows, model))",
            f'model.save("{OUT}")',
        ),
        holds=(
            _IDS,
            "a row longer than the model's positions is refused, since GPTQModel would cut it",
            _NEIGHBOURS,
        ),
        otherwise=(
            "sorts by length, longest first",
            "drops rows of 10 tokens or fewer (7.7 does so whatever calibration_data_min_length says)",
            "at more than one row a batch: pads the shorter ones",
            "where a row has text beside its ids: tokenises the text again",
        ),
    ),
    "auto-round": Target(
        library="AutoRound",
        audited="0.15.1",
        writes=_COMPRESSED,
        imports=(
            "from auto_round import AutoRound",
            "from transformers import AutoModelForCausalLM, AutoTokenizer",
            "",
            "from curator.adapters import auto_round, read_set",
        ),
        body=(
            _LOAD,
            _TOKENIZER,
            "data = auto_round.auto_round_arguments(rows, model)",
            'rounding = AutoRound(model, tokenizer, scheme="NVFP4", **data)',
            f'rounding.quantize_and_save("{OUT}", format="llm_compressor")',
        ),
        holds=(
            _IDS,
            "batch_size=N: each step learns from N rows drawn at random (its method), one row a forward pass",
            "AutoRound leaves the last position of each row, and ids equal to the pad token's, out of its loss",
        ),
        otherwise=(
            "leaves out rows shorter than seqlen (2048) and takes 128 rows",
            "fails on rows of unequal length at more than one row a batch",
            "texts: tokenises again and cuts at seqlen",
        ),
    ),
}
