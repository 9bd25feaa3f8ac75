"""What a profile holds: numbers about an evaluation file, and none of its text.

The frozen form of ``profile.json``: ``curate heldout --from-profile`` and ``curate profile --derive`` read it.
"""

from __future__ import annotations

from typing import Literal

from curator.profile.figures import Cell, Group
from curator.profile.frozen import Frozen
from curator.profile.item import Item

KIND: Literal["curate-profile"] = "curate-profile"
VERSION: Literal[1] = 1


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
