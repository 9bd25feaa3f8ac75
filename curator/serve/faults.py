"""What goes wrong with a request, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import requests

API_KEY_VARIABLE = "CURATE_API_KEY"
# Longer than this no server's Retry-After is believed.
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a request got no answer that another try could not get.

    Attributes:
        kind: ``lost`` without a connection or with a broken one, ``slow`` without an answer in time, ``busy``
            after 5xx or 429, ``garbled`` for an answer that is not whole JSON.
        text: the same in words.
        pause: seconds that the server asks to wait.
    """

    kind: Literal["lost", "slow", "busy", "garbled"]
    text: str
    pause: float = 0.0


def failed(where: str, tries: int, fault: Fault) -> str:
    """The message of a request that failed to the end."""
    if fault.kind == "garbled":
        return f"{where}: {fault.text}, {tries} times; is this an SGLang server?"
    advice = (
        "lower the batch size or raise the timeout" if fault.kind == "slow" else "the server's own log says why"
    )
    return f"{where}: failed {tries} times ({fault.text}); {advice}; then run the same command again"


def retry_after(answer: requests.Response) -> float:
    """Seconds, from the header's number; a date is not looked at."""
    value = answer.headers.get("Retry-After", "")
    return min(float(value), _LONGEST_PAUSE) if value.isdecimal() else 0.0


def advice(status: int) -> str:
    """What to do about a status code."""
    if status in {401, 403}:
        return f"set {API_KEY_VARIABLE} to the server's key"
    if 300 <= status < 400:
        return "give the address that it leads to"
    if status == 404:
        return "give the address of an SGLang server, without /v1"
    return "nothing was measured with this request"


def broken(error: requests.RequestException) -> str:
    """Why a connection broke, in a few words: requests' own text nests three exceptions and a memory address."""
    text = str(error)
    if "refused" in text:
        return "connection refused"
    if "timed out" in text:
        return "the answer stopped half-way"
    if any(word in text for word in ("reset", "aborted", "prematurely", "IncompleteRead", "Connection broken")):
        return "the connection was lost"
    if "resolve" in text or "Name or service" in text:
        return "the host name is unknown"
    return type(error).__name__


def message_of(answer: requests.Response) -> str:
    """The server's own words, from any of its error bodies."""
    try:
        body = answer.json()
    except (requests.JSONDecodeError, RecursionError):
        body = answer.text
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message", inner.get("detail", inner)) if isinstance(inner, dict) else inner
    first: str = (str(body).strip() or "no message").split("\n", 1)[0]
    return first[:300]
