"""The random two-layer model of the tests, for programs that run beside them too."""

from __future__ import annotations

from pathlib import Path

TINY_TEXT = [
    "The ferry leaves the harbour at noon and comes back before the tide turns.",
    "def area(width, height):\n    return width * height\n",
    "What is the capital of France? Paris is the capital of France.",
    "She counted the boats again: one, two, three, four, and the one that never left.",
]
TINY_TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


def save_tiny_llama(folder: Path) -> None:
    """A Llama folder: 2 layers, hidden 64, about 300 byte-level ids, BF16, tied embeddings."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    size = _save_tokenizer(folder)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        # Large enough for peaked distributions: a flat model would hide errors.
        initializer_range=0.15,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=1,
        dtype="bfloat16",
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)


def _save_tokenizer(folder: Path) -> int:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<|start|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(TINY_TEXT, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<|start|>", eos_token="<|end|>", pad_token="<|end|>"
    )
    tokenizer.chat_template = TINY_TEMPLATE
    tokenizer.save_pretrained(folder)
    return len(tokenizer)
