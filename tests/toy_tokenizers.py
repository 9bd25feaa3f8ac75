"""Toy tokenizers for tests: bytes and a few merges, saved as a folder that transformers loads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Writes BOS in front of a conversation and EOS behind each turn.
TEMPLATE = "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{{ eos_token }}{% endfor %}"
STRICT = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}{{ m['content'] }}{% endfor %}"
)
BOS, EOS = 0, 1
# Leaves reasoning out of all turns but the last, writes tools and calls, and marks turns as some models do.
MARKED = (
    "{% if tools %}<|tools|>{{ tools|tojson }}<|end|>{% endif %}"
    "{% for m in messages %}<|turn|>{{ m.role }}\n"
    "{% if m.reasoning_content and loop.last %}<think>\n{{ m.reasoning_content.strip() }}\n</think>\n\n{% endif %}"
    "{{ m.content.split('</think>')[-1].strip() }}"
    "{% for call in m.tool_calls or [] %}<tool_call>{{ call.function|tojson }}</tool_call>{% endfor %}"
    "<|end|>{% endfor %}{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)
MARKED_TURN, MARKED_END = 256, 257


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


def save_marked(folder: Path, kind: str, *, template: str | None = MARKED) -> Path:
    """A tokenizer with control tokens of every sort, and added tokens that are plain text.

    Args:
        folder: where it is saved.
        kind: ``bytes`` (byte-level BPE), ``metaspace`` (SentencePiece's unigram, whose vocabulary itself holds
            the control tokens), ``prepend`` (BPE over SentencePiece's spaces by a normaliser), ``words`` (whole
            words, control tokens among them) or ``lowercase`` (bytes behind a normaliser that folds case).
        template: the chat template.
    """
    from tokenizers import AddedToken
    from transformers import PreTrainedTokenizerFast

    inner = {"bytes": _bytes, "lowercase": _bytes, "metaspace": _metaspace, "prepend": _prepend, "words": _words}[
        kind
    ]()
    if kind == "lowercase":
        from tokenizers import normalizers

        inner.normalizer = normalizers.Lowercase()
    folded = kind == "lowercase"
    inner.add_special_tokens([AddedToken("<|turn|>", special=True), AddedToken("<|end|>", special=True)])
    inner.add_special_tokens([AddedToken("<|tools|>", special=True, lstrip=True, rstrip=True)])
    inner.add_tokens(
        [
            AddedToken("<think>", normalized=folded),
            AddedToken("</think>", normalized=folded),
            AddedToken("<tool_call>", normalized=False),
            AddedToken("</tool_call>", normalized=False, single_word=True),
            AddedToken("<table>", normalized=False),
            AddedToken("    ", normalized=False),
            AddedToken("harbour", normalized=False),
        ]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|end|>")
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return folder


def _bytes() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={name: place for place, name in enumerate(alphabet)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    return inner


def _metaspace() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = [chr(code) for code in range(33, 127)] + ["\n", "▁", "▁the", "▁th", "he"]
    controls = ["<unk>", "<|turn|>", "<|end|>", "<think>"]
    vocab = [(name, 0.0) for name in controls] + [(name, -2.0 - len(name) / 9) for name in letters]
    inner = Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=False))
    inner.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    inner.decoder = decoders.Metaspace(prepend_scheme="first", split=False)
    return inner


def _prepend() -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers

    names = ["<unk>", "<|turn|>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    names += [chr(code) for code in range(33, 127)] + ["he", "▁t", "▁the"]
    vocab = {name: place for place, name in enumerate(names)}
    merges = [("h", "e"), ("▁", "t"), ("▁t", "he")]
    inner = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    inner.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    inner.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return inner


def _words() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers

    names = ["<unk>", "<|turn|>", "<|end|>", "<think>", "the", "tide", "a", "b", "user"]
    inner = Tokenizer(models.WordLevel({name: place for place, name in enumerate(names)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return inner
