"""An HTTP server in a thread of the test: what the stub, the fault proxy and single answers share."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class QuietHandler(BaseHTTPRequestHandler):
    """Reads a body, writes an answer, and says nothing; a client that has gone is no failure."""

    def log_message(self, *_: object) -> None:
        pass

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def reply(
        self, status: int, content: bytes, length: int | None = None, headers: dict[str, str] | None = None
    ) -> None:
        """Answer; ``length`` tells another one than it is, and ends the connection."""
        try:
            self.send_response(status)
            own = {"Content-Length": str(len(content) if length is None else length)}
            for name, value in {**own, **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError, ValueError):
            pass
        if length is not None:
            self.close_connection = True


class HttpInThread:
    """Serves by a handler until it is stopped.

    Attributes:
        url: its address.
    """

    def __init__(self, handler: type[QuietHandler], port: int = 0) -> None:
        self.http = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.http.daemon_threads = True
        self._thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self._thread.join()
