"""The call that an engineer would write with llm-compressor alone: ``by_hand MODEL ROWS METHOD KERNELS OUT``.

``KERNELS`` is ``ours`` or ``theirs``: with ours, what is left of a difference is what our step adds.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Quantise and save."""
    model_path, rows_path, method, kernels, out = sys.argv[1:]
    import torch
    from llmcompressor import oneshot
    from llmcompressor.modifiers.gptq import GPTQModifier
    from llmcompressor.modifiers.quantization import QuantizationModifier
    from torch.utils.data import DataLoader
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if kernels == "ours":
        from curator.quantize.cpu_kernels import register_cpu_kernels

        register_cpu_kernels()
    with open(rows_path, encoding="utf-8") as handle:
        ids = [torch.tensor([row]) for row in json.load(handle)]
    batches = [{"input_ids": row, "attention_mask": torch.ones_like(row)} for row in ids]
    model = AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.bfloat16)
    tokenizer = AutoTokenizer.from_pretrained(model_path)
    modifier = GPTQModifier if method == "gptq" else QuantizationModifier
    oneshot(
        model=model,
        tokenizer=tokenizer,
        recipe=[modifier(targets="Linear", scheme="NVFP4", ignore=["lm_head"])],
        dataset=DataLoader(batches, batch_size=None),
        num_calibration_samples=len(batches),
        max_seq_length=max(row.shape[1] for row in ids),
    )
    model.save_pretrained(out, save_compressed=True)
    tokenizer.save_pretrained(out)


if __name__ == "__main__":
    main()
