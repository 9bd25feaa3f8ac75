"""One tokenizer, used the same way for calibration sets and for held-out prompts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.corpora.document import Message

# Digits, punctuation, indentation, several scripts: where two versions of a tokenizer first differ.
_PROBE = (
    "In 2024, f(x) = 3.14159*x;\n\tif a<b:\n    return 'naïve'  # 模型 量化 модель مرحبا 12:30:45 1e-5 --- ..."
)


class TemplateRefusal(InputError):
    """The chat template does not take this conversation; another it may."""


class Tokenizer:
    """A model's tokenizer: ids without special tokens added, and the model's chat template.

    Attributes:
        fingerprint: SHA-256 over the vocabulary with its ids, the merges, the ids of a fixed probe text (which
            the other parts of a tokenizer act on), the special ids and the chat template. Equal fingerprints
            mean comparable token ids.
        size: number of ids.
        eos_id: end-of-sequence id, or ``None``.
    """

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer

        try:
            self._inner: Any = AutoTokenizer.from_pretrained(folder)
            # Long documents are cut by us, and counted; the warning about long input would be noise.
            self._inner.model_max_length = int(1e30)
            self.size: int = len(self._inner)
            self.eos_id: int | None = self._inner.eos_token_id
            self.fingerprint: str = self._fingerprint()
        # Damaged files raise anything here: the Rust part has only bare exceptions.
        except Exception as error:
            raise InputError(
                f"model {folder}: its tokenizer cannot be loaded ({_first_line(error)}); the folder needs "
                "tokenizer.json, whole and as the model's authors gave it"
            ) from error

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text; nothing is added."""
        ids: list[int] = self._inner(text, add_special_tokens=False)["input_ids"]
        return ids

    def encode_chat(self, messages: tuple[Message, ...], *, answer_next: bool = False) -> list[int]:
        """Token ids of a conversation in the model's own template, which brings its own special tokens.

        Args:
            messages: the turns.
            answer_next: end with the opening of the assistant's turn.

        Raises:
            InputError: the model has no chat template.
            TemplateRefusal: the template refuses these turns; with the template's own words.
        """
        from jinja2 import TemplateError

        if not self._inner.chat_template:
            raise InputError("the model's tokenizer has no chat template; use plain-text sources with this model")
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            text = self._inner.apply_chat_template(turns, tokenize=False, add_generation_prompt=answer_next)
        except (TemplateError, ValueError, TypeError) as error:
            raise TemplateRefusal(f"the chat template refuses a conversation: {_first_line(error)}") from error
        # Rendered first, then encoded with nothing added: a template that writes BOS gives one, not two.
        return self.encode(text)

    def decode(self, ids: list[int]) -> str:
        """The text of ids, special tokens included."""
        text: str = self._inner.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def sequence_start(self) -> list[int]:
        """What the tokenizer itself puts before a text: ``[bos]`` for many models, ``[]`` for others."""
        plain = self.encode("a")
        marked: list[int] = self._inner("a", add_special_tokens=True)["input_ids"]
        return marked[: marked.index(plain[0])] if plain and plain[0] in marked else []

    def ordinary_ids(self) -> list[int]:
        """All ids that are not special tokens, ascending."""
        special = set(self._inner.all_special_ids) | set(self._inner.added_tokens_decoder)
        return [token for token in range(self.size) if token not in special]

    def _fingerprint(self) -> str:
        special, template = sorted(self._inner.all_special_ids), self._inner.chat_template or ""
        vocabulary = sorted((place, token) for token, place in self._inner.get_vocab().items())
        content = [vocabulary, self._merges(), self.encode(_PROBE), self.size, special, template]
        text = json.dumps(content, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _merges(self) -> list[str]:
        """The merges in their order, or nothing for a tokenizer without them."""
        backend = getattr(self._inner, "backend_tokenizer", None)
        model = json.loads(backend.to_str())["model"] if backend is not None else {}
        # Two ways of writing one file: "a b", and since tokenizers 0.20 ["a", "b"].
        return [merge if isinstance(merge, str) else " ".join(merge) for merge in model.get("merges", [])]


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
