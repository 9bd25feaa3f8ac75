"""The text of each single token, as it stands in its sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

# An unfinished character decodes to U+FFFD, and so does a U+FFFD that is really there, which has three tokens at
# most: a run of four of them is waited for.
_PATIENCE = 12
_UNFINISHED = "\N{REPLACEMENT CHARACTER}"


def token_texts(ids: Sequence[int], decode: Callable[[list[int]], str]) -> list[str]:
    """What each token adds to the text. Joined they are the decoded text.

    A token decoded alone may lose its space, or be a part of a character's bytes. So each is decoded after the one
    before it, and the tokens of an unfinished character add nothing until the last one, which adds all of it.

    Args:
        ids: a sequence, or a part of one.
        decode: from ids to text, special tokens included.
    """
    texts: list[str] = []
    context, done = 0, 0
    for at in range(len(ids)):
        after = decode(list(ids[context : at + 1]))
        if after.endswith(_UNFINISHED) and at + 1 - done < _PATIENCE and at + 1 < len(ids):
            texts.append("")
            continue
        texts.append(after[len(decode(list(ids[context:done]))) :])
        context, done = done, at + 1
    return texts
