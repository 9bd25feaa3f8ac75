"""What a profile holds of several items: spreads, means, shares."""

from __future__ import annotations

from curator.profile.frozen import Frozen, Share


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
