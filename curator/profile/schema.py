"""What a profile holds: numbers about an evaluation file, and none of its text.

The frozen form of ``profile.json``: ``curate heldout --from-profile`` and ``curate profile --derive`` read it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

KIND: Literal["curate-profile"] = "curate-profile"
VERSION: Literal[1] = 1

GoldType = Literal["letter", "string", "list", "number", "none"]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Frozen(BaseModel):
    """A part of a profile: unknown keys, other types, NaN and infinity are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SourceFile(Frozen):
    """The evaluation file.

    Attributes:
        name: its name without folders.
        sha256: of its bytes.
        columns: the columns that were read, by what they are: ``task``, ``prompt``, ``gold``, ``messages``.
    """

    name: str
    sha256: str
    columns: dict[str, str]


class TokenizerFacts(Frozen):
    """Whose tokens are counted.

    Attributes:
        model: as the user named it.
        fingerprint: of all that decides ids, template included.
        ids_fingerprint: the same without the template.
        template_tokens: what its chat template adds to a prompt, the answer's opening included; ``None`` without.
    """

    model: str
    fingerprint: str
    ids_fingerprint: str
    template_tokens: int | None


class Settings(Frozen):
    """What the numbers depend on beside the file.

    Attributes:
        windows: stretches scored of a long prompt.
        window_sentences: sentences of each.
        embedder: the sentence embedder's name.
        least_z: continuity of a window below which it counts as low.
        max_random: share of random characters above which an item counts as low.
        near_duplicate: Jaccard index from which two prompts count as one.
        versions: of the measures, by name: numbers of two versions are not compared.
    """

    windows: int
    window_sentences: int
    embedder: str
    least_z: float
    max_random: float
    near_duplicate: float
    versions: dict[str, str]


class Item(Frozen):
    """One item, in the order of the file.

    Attributes:
        row: its line (or row, in tables), from 1.
        task: its task.
        language: BCP 47; ``zxx`` for code, ``und`` without evidence.
        prompt_tokens: tokens of the prompt's text, nothing added.
        gold_tokens: of all gold texts together.
        gold_type: what the gold is.
        output_tokens: of the model's answer, reasoning included; ``None`` without one.
        score: its answer's score; ``None`` without one.
        continuity: mean z of the windows scored; ``None`` without any: too little text, code, or all ruled out.
        continuity_se: standard error of that mean; ``None`` with fewer than two windows scored.
        windows: windows looked at.
        ruled_windows: of these, random text and lists, which are low and not scored.
        low_windows: of all, those that are low.
        random: share of its characters that are random.
        random_kinds: that share by kind, the largest first.
        template: share of its words that are common wording of its task.
        low_continuity: whether it is random, or most of its windows are low.
        low_share: share of its tokens in random text and low windows, as a set's are counted.
        duplicate_of: row of the first item with the same prompt.
        near_duplicate_of: row of the first item with nearly the same prompt.
    """

    row: int
    task: str
    language: str
    prompt_tokens: Count
    gold_tokens: Count
    gold_type: GoldType
    output_tokens: Count | None
    score: float | None
    continuity: float | None
    continuity_se: float | None
    windows: Count
    ruled_windows: Count
    low_windows: Count
    random: Share
    random_kinds: dict[str, Share]
    template: Share
    low_continuity: bool
    low_share: Share
    duplicate_of: int | None
    near_duplicate_of: int | None


class Bin(Frozen):
    """A bin of lengths: above the one before (half of ``upto``), up to ``upto``; 0 is a bin of its own."""

    upto: int
    count: int


class Spread(Frozen):
    """How numbers are spread. Quantiles are linear between neighbours; the histogram has octaves."""

    n: int
    sum: int
    mean: float
    least: int
    p10: float
    median: float
    p90: float
    most: int
    histogram: list[Bin]


class Estimate(Frozen):
    """A mean with its 95 % interval; ``low`` and ``high`` are ``None`` where one item alone cannot tell."""

    n: int
    mean: float
    low: float | None
    high: float | None


class Shares(Frozen):
    """A task's share of all items, and of their tokens."""

    items: Share
    input_tokens: Share
    output_tokens: Share | None
    total_tokens: Share | None


class Continuity(Frozen):
    """Continuity over the items that have one.

    Attributes:
        items: how many.
        windows: windows scored of them.
        ruled_windows: windows of all items that are random text or lists, and were not scored.
        mean: mean of the items' means.
        se: its standard error, from the items' spread.
    """

    items: int
    windows: int
    ruled_windows: int
    mean: float | None
    se: float | None


class LowContinuity(Frozen):
    """Items without continuity, and their share; share of all prompts' tokens without it (`Item.low_share`)."""

    items: int
    item_share: Share
    token_share: Share


class Group(Frozen):
    """The items of a task, or all.

    Attributes:
        items: how many.
        shares: of all items and tokens.
        prompt_tokens: see `Item`.
        gold_tokens: see `Item`.
        output_tokens: of the items that have an output; ``None`` without any.
        languages: items by language, the most first.
        gold_types: items by type of gold, the most first.
        continuity: of the items that were scored.
        low_continuity: items whose text has none.
        random_share: mean of the items' random shares, weighted by their tokens.
        random_kinds: the same by kind.
        template_share: mean of the items' shares of common wording, each item counted once.
        duplicates: items with the prompt of an earlier one.
        near_duplicates: items with nearly the prompt of an earlier one, exact ones left out.
        score: mean score of the items with one.
        reasoning_share: share of the output tokens before the last ``</think>``; ``None`` without outputs.
    """

    items: int
    shares: Shares
    prompt_tokens: Spread
    gold_tokens: Spread
    output_tokens: Spread | None
    languages: dict[str, int]
    gold_types: dict[str, int]
    continuity: Continuity
    low_continuity: LowContinuity
    random_share: Share
    random_kinds: dict[str, Share]
    template_share: Share
    duplicates: int
    near_duplicates: int
    score: Estimate | None
    reasoning_share: Share | None


class Cell(Frozen):
    """Items alike in task, language and lengths; a length's bin is named by its end, as in `Bin`."""

    task: str
    language: str
    prompt_upto: int
    output_upto: int | None
    items: int
    prompt_tokens: int
    output_tokens: int | None


class Counted(Frozen):
    """Tokens that a predictions file tells, of the items for which it tells them, and ours of the same items."""

    items: int
    told: int
    ours: int


class Outputs(Frozen):
    """The predictions file.

    Attributes:
        name: its name without folders.
        sha256: of its bytes.
        items: items with a prediction.
        missing: items without.
        input_tokens: its counts of the prompts against ours by task, with what the chat template adds.
        output_tokens: its counts of the answers against ours of their texts.
    """

    name: str
    sha256: str
    items: int
    missing: int
    input_tokens: dict[str, Counted]
    output_tokens: dict[str, Counted]


class Profile(Frozen):
    """A profile.

    Attributes:
        kind: tells the file.
        version: of this form.
        tool: version of Curate.
        file: the evaluation file.
        tokenizer: whose tokens are counted.
        settings: what the numbers depend on.
        tasks: by task, in the order of the file.
        overall: all items.
        cells: items by task, language and lengths, in that order.
        items: all items.
        outputs: the predictions; ``None`` without.
        warnings: what to know, a sentence each.
    """

    kind: Literal["curate-profile"] = KIND
    version: Literal[1] = VERSION
    tool: str
    file: SourceFile
    tokenizer: TokenizerFacts
    settings: Settings
    tasks: dict[str, Group]
    overall: Group
    cells: list[Cell]
    items: list[Item]
    outputs: Outputs | None
    warnings: list[str]
