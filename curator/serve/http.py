"""Requests to a server by URL: a key that is never shown, a few retries, one clear line for each failure."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from curator._errors import InputError, ServerError
from curator.serve.body import Traffic, read_whole
from curator.serve.deadline import DeadlineAdapter
from curator.serve.faults import API_KEY_VARIABLE, Fault, advice, broken, failed, message_of, retry_after

_LOOPBACK = ("localhost", "::1")
_CONNECT_SECONDS = _HEALTH_SECONDS = 30.0
# Between two looks at whether a server is ready.
_FIRST_PAUSE, _LAST_PAUSE = 0.02, 0.5


def unheard() -> None:
    """Tell nobody."""


class _Bearer(AuthBase):
    """Send the key as a Bearer token. An auth object, because a .netrc entry would win over a plain header."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


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
        self._session, self._deadline = requests.Session(), DeadlineAdapter()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, self._deadline)
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
                status = self.health()
                state, limit = f"/health answers {status}", seconds
                if status == 200:
                    return
                if status in {401, 403, 404} or 300 <= status < 400:
                    raise ServerError(f"{self.url}: {state}; {advice(status)}")
            except requests.Timeout:
                state, limit = "/health does not answer", seconds
            except requests.RequestException as error:
                state, limit = broken(error), refused_seconds
            if time.monotonic() - start > limit:
                raise ServerError(f"{self.url}: not ready after {limit:.0f} s ({state}); is the server running?")
            time.sleep(pause)
            pause = min(pause * 2, _LAST_PAUSE)

    def health(self) -> int:
        """The status code of ``/health``; what else the server says there is not read.

        Raises:
            requests.RequestException: it does not answer.
        """
        most = min(self._timeout, _HEALTH_SECONDS)
        with self._one, self._deadline.within(most) as late:
            try:
                answer = self._session.get(f"{self.url}/health", timeout=most, allow_redirects=False, stream=True)
                answer.close()
            except requests.RequestException as error:
                raise (requests.Timeout() if late.is_set() else error) from error
            if late.is_set():
                raise requests.Timeout
        return answer.status_code

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

    def attempt(
        self,
        path: str,
        body: dict[str, Any],
        arrived: Callable[[], None] = unheard,
        loads: Callable[[bytes], Any] = json.loads,
    ) -> Any | Fault:
        """Send ``body`` once.

        Args:
            path: where to.
            body: as JSON.
            arrived: called when the whole of an answer is here, before it is read.
            loads: reads its JSON; ``ValueError`` where it is none.

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
        return _parsed(answer, loads)

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
        # One at a time: what an abandoned pass still waits for must not meet the next one in the server.
        with self._one:
            self.traffic.requests += 1
            self.traffic.sent += len(body or b"")
            start = time.monotonic()
            with self._deadline.within(self._timeout) as late:
                answer = self._tried(method, path, body, headers)
            self.traffic.seconds += time.monotonic() - start
            if late.is_set():
                # What came until then may look like a whole answer.
                answer = Fault("slow", f"no answer in {self._timeout:.0f} s")
            if isinstance(answer, Fault):
                return answer
            self.traffic.received += len(answer.content)
        if answer.status_code >= 500 or answer.status_code == 429:
            return Fault("busy", f"{answer.status_code}: {message_of(answer)}", retry_after(answer))
        return answer

    def _tried(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> requests.Response | Fault:
        try:
            # A server that sends us elsewhere would have the prompts sent there.
            answer = self._session.request(
                method,
                f"{self.url}{path}",
                data=body,
                headers=headers,
                timeout=(min(self._timeout, _CONNECT_SECONDS), self._timeout),
                allow_redirects=False,
                stream=True,
            )
            read_whole(answer)
        except requests.ReadTimeout:
            return Fault("slow", f"no answer in {self._timeout:.0f} s")
        except requests.RequestException as error:
            return Fault("lost", broken(error))
        return answer

    def _refuse(self, answer: requests.Response, path: str) -> None:
        if not answer.ok or answer.is_redirect:
            raise ServerError(
                f"{self.url}{path}: the server refused with {answer.status_code}: {message_of(answer)}"
                f"; {advice(answer.status_code)}"
            )


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


def _parsed(answer: requests.Response, loads: Callable[[bytes], Any] = json.loads) -> Any | Fault:
    """The JSON of an answer that was not refused."""
    try:
        return loads(answer.content)
    # A deep nest or bytes that are no UTF-8 are no JSON of a server's either.
    except (ValueError, RecursionError):
        return Fault("garbled", "the answer is not JSON")
