"""What a launch starts in the tests: it can die, hang, be stubborn, leave processes behind, or answer as SGLang.

Run with the server's arguments; ``--fake`` says what it does, and ``--pids FILE`` gets the process ids of it and
of a grandchild that has left its parent and its session.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ORPHAN = """
import os, time
if os.fork():
    os._exit(0)
os.setsid()
os.write(1, f"{os.getpid()}\\n".encode())
time.sleep(600)
"""


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def value(name: str, default: str = "") -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def leave_an_orphan() -> None:
    child = subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    Path(value("--pids")).write_text(f"{os.getpid()} {child.stdout.readline()}")


class Health(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/shout":
            say("[2026-11-30 07:34:38 TP0] torch.OutOfMemoryError: CUDA out of memory")
        if self.path == "/die":
            say("ValueError: what it died of\nEOFError")
            os._exit(7)
        self.send_response(200)
        self.end_headers()


def main() -> None:
    mode, port = value("--fake", "sglang"), int(value("--port", "0"))
    say(f"server_args={sys.argv[1:]} and {sorted(os.environ)}")
    if "--pids" in sys.argv:
        leave_an_orphan()
    if mode == "die":
        say("Traceback (most recent call last):\nRuntimeError: no kernel for this\nEOFError")
        sys.exit(3)
    if mode in ("hang", "stubborn"):
        if mode == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say("Load weight begin")
        time.sleep(600)
    if mode == "healthy":
        ThreadingHTTPServer(("127.0.0.1", port), Health).serve_forever()
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "serve")]
    import stub_sglang

    stub_sglang.VOCABULARY = int(value("--vocabulary", "40"))
    stub_sglang.Stub(port).model["model_path"] = value("--model-path")
    time.sleep(600)


if __name__ == "__main__":
    main()
