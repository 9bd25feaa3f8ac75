"""The bodies of answers: how much came, and no more than can be one."""

from __future__ import annotations

from dataclasses import dataclass

import requests

from curator._errors import ServerError

# More than a batch of 32 lists of a whole window takes, far less than memory.
_MOST_BYTES, _PIECE = 2 << 30, 1 << 16


@dataclass(slots=True)
class Traffic:
    """What a connection carried.

    Attributes:
        requests: sent, those that failed included.
        sent: bytes of request bodies.
        received: bytes of answers' bodies.
        seconds: in which a request was under way.
    """

    requests: int = 0
    sent: int = 0
    received: int = 0
    seconds: float = 0.0


def read_whole(answer: requests.Response) -> None:
    """Read an answer's body.

    Raises:
        ServerError: it is longer than any answer, or compressed though that was not asked.
    """
    parts, length = [], 0
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        answer.close()
        raise ServerError(f"{answer.url}: a compressed answer that was not asked for; is this an SGLang server?")
    for part in answer.iter_content(_PIECE):
        parts.append(part)
        length += len(part)
        if length > _MOST_BYTES:
            answer.close()
            most = f"{_MOST_BYTES >> 30} GiB"
            raise ServerError(f"{answer.url}: an answer of more than {most}; lower the batch size")
    answer._content = b"".join(parts)
