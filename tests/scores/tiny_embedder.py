"""A sentence embedder that is made in a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEXT = "the ferry leaves at seven bread oven baker island pump broke and a new one came"
WORDS = TEXT.split()


def save_model(folder: Path, seed: int = 0, tokens: int = 16, pooling: str = "mean", **settings: Any) -> str:
    """A BERT of two layers and 8 numbers that reads so many tokens; ``settings`` are of its configuration."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("\n".join([*special, *WORDS]) + "\n")
    torch.manual_seed(seed)
    size = len(special) + len(WORDS)
    BertModel(
        BertConfig(
            vocab_size=size,
            hidden_size=8,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=32,
            **settings,
        )
    ).save_pretrained(folder / "bert")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    body = Transformer(str(folder / "bert"), max_seq_length=tokens)
    model = SentenceTransformer(modules=[body, Pooling(8, pooling_mode=pooling)], device="cpu")
    model.save(str(folder / "model"))
    return str(folder / "model")
