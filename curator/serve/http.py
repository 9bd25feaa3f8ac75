"""Requests to a server by URL: a key that is never shown, a few retries, one clear line for each failure."""

from __future__ import annotations

import os
import time
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from curator._errors import InputError, ServerError

API_KEY_VARIABLE = "CURATE_API_KEY"
_LOOPBACK = ("localhost", "::1")


class _Bearer(AuthBase):
    """Send the key as a Bearer token. An auth object, because a .netrc entry would win over a plain header."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class Connection:
    """One HTTP connection to a server.

    Args:
        url: ``http://host:port``, with or without a path.
        timeout: seconds to wait for an answer.
        tries: how often a request is sent when the connection breaks or the server answers 5xx.
        backoff: seconds before the second try; doubled each time.

    Raises:
        InputError: not an HTTP URL.
    """

    def __init__(self, url: str, *, timeout: float, tries: int, backoff: float) -> None:
        host = checked_host(url)
        self.url = url.rstrip("/")
        self._timeout, self._tries, self._backoff = timeout, tries, backoff
        self._session = requests.Session()
        key = os.environ.get(API_KEY_VARIABLE)
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
        start = time.monotonic()
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
            time.sleep(min(0.5, max(limit, 0.01)))

    def get(self, *paths: str) -> dict[str, Any]:
        """The JSON object at the first of ``paths`` that the server has.

        Raises:
            ServerError: none, or another failure.
        """
        for path in paths:
            answer = self._send("GET", path, None)
            if answer.status_code != 404:
                value = self._json(answer, path)
                if isinstance(value, dict):
                    return value
                raise ServerError(f"{self.url}{path}: not a JSON object")
        raise ServerError(f"{self.url}: has no {' or '.join(paths)}; is this an SGLang server?")

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON answer to ``body``.

        Raises:
            ServerError: the server refused, failed after all tries, or answered something else than JSON.
        """
        return self._json(self._send("POST", path, body), path)

    def status(self, path: str) -> int:
        """The status code of an empty POST, for endpoints that may be missing or forbidden."""
        return self._send("POST", path, None).status_code

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> requests.Response:
        where, pause, last = f"{self.url}{path}", self._backoff, ""
        for attempt in range(self._tries):
            if attempt:
                time.sleep(pause)
                pause *= 2
            try:
                answer = self._session.request(method, where, json=body, timeout=self._timeout)
            except requests.ReadTimeout as error:
                raise ServerError(
                    f"{where}: no answer in {self._timeout:.0f} s; lower the batch size or raise the timeout"
                ) from error
            except requests.RequestException as error:
                last = _broken(error)
                continue
            if answer.status_code < 500 and answer.status_code != 429:
                return answer
            last = f"{answer.status_code}: {_message(answer)}"
        raise ServerError(
            f"{where}: failed {self._tries} times ({last}); the server's own log says why; then run the same "
            "command again"
        )

    def _json(self, answer: requests.Response, path: str) -> Any:
        if not answer.ok:
            raise ServerError(
                f"{self.url}{path}: the server refused with {answer.status_code}: {_message(answer)}"
                f"; {_advice(answer.status_code)}"
            )
        try:
            return answer.json()
        except requests.JSONDecodeError as error:
            raise ServerError(f"{self.url}{path}: the answer is not JSON; is this an SGLang server?") from error


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
    if "reset" in text or "aborted" in text or "prematurely" in text:
        return "the connection was lost"
    if "resolve" in text or "Name or service" in text:
        return "the host name is unknown"
    return type(error).__name__


def _message(answer: requests.Response) -> str:
    """The server's own words, from any of its error bodies."""
    try:
        body = answer.json()
    except requests.JSONDecodeError:
        body = answer.text
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message", inner.get("detail", inner)) if isinstance(inner, dict) else inner
    first: str = (str(body).strip() or "no message").split("\n", 1)[0]
    return first[:300]
