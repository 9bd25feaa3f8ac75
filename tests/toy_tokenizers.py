"""Toy tokenizers for tests: bytes and a few merges, saved as a folder that transformers loads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

# Writes BOS in front of a conversation and EOS behind each turn.
TEMPLATE = "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{{ eos_token }}{% endfor %}"
STRICT = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}{{ m['content'] }}{% endfor %}"
)
BOS, EOS = 0, 1


def save_tokenizer(
    folder: Path,
    *,
    marks_start: bool = True,
    template: str | None = TEMPLATE,
    merges: Sequence[tuple[str, str]] = (),
) -> Path:
    """A byte-level tokenizer: ``<s>`` is id 0, ``</s>`` id 1, then the 256 bytes, then the merges.

    Args:
        folder: where it is saved.
        marks_start: whether the post-processor puts ``<s>`` in front of a text.
        template: the chat template.
        merges: in the order of their rank.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = ["<s>", "</s>", *alphabet, *("".join(merge) for merge in merges)]
    vocabulary = {name: place for place, name in enumerate(names)}
    inner = Tokenizer(models.BPE(vocab=vocabulary, merges=list(merges)))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    if marks_start:
        inner.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", BOS)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, bos_token="<s>", eos_token="</s>")
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return folder
