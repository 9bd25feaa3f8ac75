"""The recipe schema. Unknown keys are refused; every value keeps its YAML 1.2 meaning."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from curator.corpora.reading import Strict, Word
from curator.recipe.gate_settings import Gates
from curator.recipe.quantize_settings import QuantizeSettings
from curator.recipe.source_kinds import Source
from curator.recipe.target import LONGEST, Target

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
Samples = Annotated[int, Field(ge=1, le=1_000_000)]
Length = Annotated[int, Field(ge=16, le=LONGEST)]


class Lengths(Strict):
    """One part of a set of mixed lengths.

    ``samples``: number of sequences.
    ``tokens``: tokens of each.
    """

    samples: Samples
    tokens: Length


class Size(Strict):
    """How large the set is: so many sequences of so many tokens, or a mix of several lengths.

    ``samples``: number of sequences.
    ``tokens``: tokens of each sequence.
    ``mix``: instead of both, a list of parts with ``samples`` and ``tokens`` each.
    """

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["samples", "tokens"]}, {"required": ["mix"]}]}
    )

    samples: Samples | None = None
    tokens: Length | None = None
    mix: Annotated[list[Lengths], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Size:
        plain = self.samples is not None and self.tokens is not None
        mixed = self.mix is not None and self.samples is None and self.tokens is None
        if not (mixed or (plain and self.mix is None)):
            raise ValueError("give samples and tokens, or a mix (a list of samples and tokens), not both")
        return self

    def lengths(self) -> list[int]:
        """The length of every sequence, longest first."""
        parts = self.mix or [Lengths(samples=self.samples or 0, tokens=self.tokens or 0)]
        return sorted((part.tokens for part in parts for _ in range(part.samples)), reverse=True)

    @property
    def count(self) -> int:
        """Number of sequences."""
        return len(self.lengths())

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence."""
        return self.lengths()[0]

    @property
    def total(self) -> int:
        """Tokens of all sequences."""
        return sum(self.lengths())


class Continuity(Strict):
    """Semantic continuity of prose, scored by sentence embeddings.

    ``min``: the least z-score that is taken: a number, ``auto`` (2.33), or ``false`` to score nothing.
    ``embedder``: a sentence-transformers model: ``all-MiniLM-L6-v2``, which can come with the install, a folder,
    or a hub id such as ``sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2``.
    ``windows``: stretches of 32 sentences that are scored of a long text, spread over all of it; ``all`` for
    every one.
    """

    min: float | Literal["auto", False] = "auto"
    embedder: Word = "all-MiniLM-L6-v2"
    windows: Annotated[int, Field(ge=1)] | Literal["all"] = 4


class Tokens(Strict):
    """How documents become sequences.

    ``template``: ``model`` is the chat template of the model; else the path of a Jinja file, from the folder of
    the file that names it.
    ``refused``: a conversation that the template refuses is left out and counted, or stops the run.
    ``reasoning``: ``keep`` hands it to the template, and where that has no place for reasoning writes it into the
    answer between think tags; ``inline`` so writes all that the template drops, such as the reasoning of earlier
    turns; ``strip`` leaves it out.
    ``separator``: what follows a plain-text document.
    ``bos``: ``auto`` puts the tokenizer's own start token before every sequence when the tokenizer or the
    template writes one; ``sequence`` before every sequence; ``document`` before every document instead;
    ``never`` nowhere. A template's own start at a conversation's head is never a second one, also behind white
    space. Starts before later turns stay where the template writes them by design, save under ``never``; a turn's
    marker that the tokenizer calls its start token is no start and always stays.
    ``pack``: ``concat`` lays documents end to end and cuts; ``bfd`` (best fit decreasing) keeps documents whole,
    has samples generated as long as the room that is left, and fills gaps with beginnings of plain text alone;
    ``none`` gives one document a sequence. Nothing is ever padded.
    """

    template: Word = "model"
    refused: Literal["skip", "stop"] = "skip"
    reasoning: Literal["keep", "inline", "strip"] = "keep"
    separator: Literal["eos", "none"] = "eos"
    bos: Literal["auto", "sequence", "document", "never"] = "auto"
    pack: Literal["concat", "bfd", "none"] = "concat"


class Recipe(Strict):
    """What a calibration set is made of.

    ``name``: what reports, sets and checkpoints call it; a recipe that extends another needs its own.
    ``title``: one line for people.
    ``seed``: every random choice follows from it.
    ``model``: whose tokenizer and chat template are used: a folder, a hub id or an embedded model's name.
    ``size``: how large the set is.
    ``target``: what it is for, as shares of its tokens by task, language and length.
    ``sources``: where the text comes from.
    ``gates``: what is refused.
    ``continuity``: how connected prose must be.
    ``tokens``: how documents become sequences.
    ``export``: the forms in which the set is written.
    ``quantize``: how ``curate quantize`` makes a checkpoint with the set, unless its command line says otherwise.
    ``trust_remote_code``: run Python code that comes with the model's folder. Only for folders that you trust.
    """

    name: str = Field(pattern=NAME, max_length=64)
    title: str = ""
    seed: int = Field(default=0, ge=0, le=2**63 - 1)
    model: Word | None = None
    size: Size
    target: Target
    sources: list[Source] = Field(min_length=1)
    gates: Gates = Gates()
    continuity: Continuity = Continuity()
    tokens: Tokens = Tokens()
    export: list[Literal["jsonl", "parquet", "datasets"]] = Field(default=["jsonl", "parquet"], min_length=1)
    quantize: QuantizeSettings = QuantizeSettings()
    trust_remote_code: bool = False
