"""Requests to a server by URL: a key that is never shown, a few retries, one clear line for each failure."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from curator._errors import InputError, ServerError
from curator.serve.body import Traffic, read_whole

API_KEY_VARIABLE = "CURATE_API_KEY"
_LOOPBACK = ("localhost", "::1")
# Longer than this no server's Retry-After is believed.
_LONGEST_PAUSE = 60.0
_CONNECT_SECONDS = 30.0
# Between two looks at whether a server is ready.
_FIRST_PAUSE, _LAST_PAUSE = 0.02, 0.5


class _Bearer(AuthBase):
    """Send the key as a Bearer token. An auth object, because a .netrc entry would win over a plain header."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


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


class Connection:
    """One HTTP connection to a server; one request at a time.

    Args:
        url: ``http://host:port``, with or without a path.
        timeout: seconds to wait for an answer.
        tries: how often a request is sent when the connection breaks or the server answers 5xx.
        backoff: seconds before the second try; doubled each time.
        key: sent as a Bearer token; left out, what CURATE_API_KEY holds.

    Attributes:
        url: without a slash at its end.
        traffic: what was carried so far.

    Raises:
        InputError: not an HTTP URL.
    """

    def __init__(self, url: str, *, timeout: float, tries: int, backoff: float, key: str | None = None) -> None:
        host = checked_host(url)
        self.url = url.rstrip("/")
        self.traffic = Traffic()
        self._timeout, self._tries, self._backoff = timeout, tries, backoff
        self._one = threading.Lock()
        self._session = requests.Session()
        key = key or os.environ.get(API_KEY_VARIABLE)
        if key:
            self._session.auth = _Bearer(key)
        if host in _LOOPBACK or host.startswith("127."):
            # A proxy set for the outside world cannot reach our own machine.
            self._session.trust_env = False

    def wait_until_healthy(self, seconds: float, refused_seconds: float) -> None:
        """Wait for ``/health`` to answer 200.

        Args:
            seconds: for a server that answers, but is still starting.
            refused_seconds: for an address where nothing listens; a wrong port shows sooner than a slow start.

        Raises:
            ServerError: it did not in that time.
        """
        start, pause = time.monotonic(), _FIRST_PAUSE
        while True:
            try:
                answer = self._session.get(f"{self.url}/health", timeout=min(self._timeout, 30.0))
                state, limit = f"/health answers {answer.status_code}", seconds
                if answer.ok:
                    return
                if answer.status_code in {401, 403, 404}:
                    raise ServerError(f"{self.url}: {state}; {_advice(answer.status_code)}")
            except requests.Timeout:
                state, limit = "/health does not answer", seconds
            except requests.RequestException as error:
                state, limit = _broken(error), refused_seconds
            if time.monotonic() - start > limit:
                raise ServerError(f"{self.url}: not ready after {limit:.0f} s ({state}); is the server running?")
            time.sleep(pause)
            pause = min(pause * 2, _LAST_PAUSE)

    def get(self, *paths: str) -> dict[str, Any]:
        """The JSON object at the first of ``paths`` that the server has.

        Raises:
            ServerError: none, or another failure.
        """
        for path in paths:
            answer = self._send(path)
            if answer.status_code != 404:
                self._refuse(answer, path)
                value = _parsed(answer)
                if isinstance(value, dict):
                    return value
                raise ServerError(f"{self.url}{path}: not a JSON object")
        raise ServerError(f"{self.url}: has no {' or '.join(paths)}; is this an SGLang server?")

    def attempt(self, path: str, body: dict[str, Any], arrived: Callable[[], None] = lambda: None) -> Any | Fault:
        """Send ``body`` once; ``arrived`` is called when the whole of an answer is here, before it is read.

        Returns:
            The JSON answer, or what another try may mend.

        Raises:
            ServerError: the server refused; it would again.
        """
        answer = self._once("POST", path, json.dumps(body, separators=(",", ":")).encode())
        if isinstance(answer, Fault):
            return answer
        self._refuse(answer, path)
        arrived()
        return _parsed(answer)

    def status(self, path: str) -> int:
        """The status code of an empty POST, for endpoints that may be missing or forbidden.

        Raises:
            ServerError: no answer after all tries.
        """
        return self._send(path, "POST").status_code

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def _send(self, path: str, method: str = "GET") -> requests.Response:
        """One of the small requests, with its retries."""
        fault, pause = Fault("lost", ""), self._backoff
        for attempt in range(self._tries):
            if attempt:
                time.sleep(max(pause, fault.pause))
                pause *= 2
            answer = self._once(method, path, None)
            if not isinstance(answer, Fault):
                return answer
            fault = answer
        raise ServerError(failed(f"{self.url}{path}", self._tries, fault))

    def _once(self, method: str, path: str, body: bytes | None) -> requests.Response | Fault:
        # Uncompressed: what is read can then be no more than what was sent.
        headers = {"Accept-Encoding": "identity"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        times = (min(self._timeout, _CONNECT_SECONDS), self._timeout)
        # One at a time: what an abandoned pass still waits for must not meet the next one in the server.
        with self._one:
            self.traffic.requests += 1
            self.traffic.sent += len(body or b"")
            start = time.monotonic()
            try:
                # A server that sends us elsewhere would have the prompts sent there.
                answer = self._session.request(
                    method,
                    f"{self.url}{path}",
                    data=body,
                    headers=headers,
                    timeout=times,
                    allow_redirects=False,
                    stream=True,
                )
                read_whole(answer, start + self._timeout)
            except (requests.ReadTimeout, TimeoutError):
                return Fault("slow", f"no answer in {self._timeout:.0f} s")
            except requests.RequestException as error:
                return Fault("lost", _broken(error))
            finally:
                self.traffic.seconds += time.monotonic() - start
            self.traffic.received += len(answer.content)
        if answer.status_code >= 500 or answer.status_code == 429:
            return Fault("busy", f"{answer.status_code}: {_message(answer)}", _retry_after(answer))
        return answer

    def _refuse(self, answer: requests.Response, path: str) -> None:
        if not answer.ok or answer.is_redirect:
            raise ServerError(
                f"{self.url}{path}: the server refused with {answer.status_code}: {_message(answer)}"
                f"; {_advice(answer.status_code)}"
            )


def failed(where: str, tries: int, fault: Fault) -> str:
    """The message of a request that failed to the end."""
    if fault.kind == "garbled":
        return f"{where}: {fault.text}, {tries} times; is this an SGLang server?"
    advice = (
        "lower the batch size or raise the timeout" if fault.kind == "slow" else "the server's own log says why"
    )
    return f"{where}: failed {tries} times ({fault.text}); {advice}; then run the same command again"


def checked_host(url: str) -> str:
    """The host of an address that a request can be sent to.

    Raises:
        InputError: it is none, or holds what does not belong there.
    """
    if "@" in url:
        # Before anything that would show the address.
        raise InputError(f"url with a user or password: put the key into {API_KEY_VARIABLE} instead")
    try:
        parts = urlsplit(url)
        # The port is read here for its check: a number, up to 65535.
        usable = parts.scheme in {"http", "https"} and parts.port != 0 and not (parts.query or parts.fragment)
        requests.Request("GET", url).prepare()
        # What the look-up of the name would stumble over: empty labels, and labels of more than 63 letters.
        (parts.hostname or "").encode("idna")
    except ValueError:
        usable = False
    if not usable or not parts.hostname:
        raise InputError(f"url {url!r}: not an HTTP address; give one like http://127.0.0.1:30000")
    return parts.hostname


def _parsed(answer: requests.Response) -> Any | Fault:
    """The JSON of an answer that was not refused."""
    try:
        return json.loads(answer.content)
    # A deep nest or bytes that are no UTF-8 are no JSON of a server's either.
    except (ValueError, RecursionError):
        return Fault("garbled", "the answer is not JSON")


def _retry_after(answer: requests.Response) -> float:
    """Seconds, from the header's number; a date is not looked at."""
    value = answer.headers.get("Retry-After", "")
    return min(float(value), _LONGEST_PAUSE) if value.isdecimal() else 0.0


def _advice(status: int) -> str:
    if status in {401, 403}:
        return f"set {API_KEY_VARIABLE} to the server's key"
    if status == 404:
        return "give the address of an SGLang server, without /v1"
    return "nothing was measured with this request"


def _broken(error: requests.RequestException) -> str:
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


def _message(answer: requests.Response) -> str:
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
