"""What every audit runs on: a tiny random Llama, and a set whose rows are hard to hand over whole.

``python scripts/audits/inputs.py WORK`` writes WORK/model and WORK/set.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from curator._files import write_json, write_jsonl
from curator.adapters.stored_set import set_sha256

BOS, EOS = 0, 1
POSITIONS = 256
TEXT = [
    "The ferry leaves the harbour at noon and comes back before the tide turns.",
    "def area(width, height):\n    return width * height\n",
    "She counted the boats again: one, two, three, four, and the one that never left.",
]
# A few tokens, the same row twice, neighbours of equal length, the longest that the model takes, a short end.
LENGTHS = (5, 5, 40, 40, 40, 9, 120, POSITIONS, 64, 17, 17, 33, 3)


def make_model(folder: Path) -> None:
    """A random Llama of two layers, hidden size 128, with a byte-level tokenizer that puts BOS in front."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(TEXT, trainer)
    inner.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", BOS)])
    # EOS as the pad token, as many models have it: an EOS of the set must not be taken for padding.
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, **names)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=POSITIONS,
        bos_token_id=BOS,
        eos_token_id=EOS,
        dtype="bfloat16",
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)


def make_set(folder: Path, model: Path) -> None:
    """A set folder of ragged rows that each begin with BOS; the second repeats the first."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    ids = tokenizer(" ".join(TEXT), add_special_tokens=False)["input_ids"]
    rows: list[list[int]] = []
    for number, length in enumerate(LENGTHS):
        start = random.Random(number).randrange(len(ids))
        body = (ids[start:] + ids * 10)[: length - 1]
        # A document's end inside the row and one at its end, as packing leaves them.
        if length > 16:
            body[8] = body[-1] = EOS
        rows.append(list(rows[0]) if number == 1 else [BOS, *body])
    folder.mkdir(parents=True, exist_ok=True)
    samples = (
        {"id": str(number), "n_tokens": len(row), "input_ids": row, "text": tokenizer.decode(row)}
        for number, row in enumerate(rows)
    )
    write_jsonl(folder / "samples.jsonl", samples)
    write_json(folder / "manifest.json", {"name": "audit", "set_hash": set_sha256(rows)})


if __name__ == "__main__":
    work = Path(sys.argv[1])
    make_model(work / "model")
    make_set(work / "set", work / "model")
    sys.stdout.write(json.dumps({"rows": len(LENGTHS), "tokens": sum(LENGTHS)}) + "\n")
