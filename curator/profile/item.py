"""What a profile holds of one item."""

from __future__ import annotations

from typing import Literal

from curator.profile.frozen import Count, Frozen, Share

GoldType = Literal["letter", "string", "list", "number", "none"]


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
