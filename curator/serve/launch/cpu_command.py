"""Print the arguments of a server for the CPU, each ended by a zero byte: ``scripts/sglang-cpu start`` uses it."""

from __future__ import annotations

import sys

from curator.serve.launch.arguments import CPU, command_line
from curator.serve.launch.port import LOOPBACK

if __name__ == "__main__":
    words = command_line(sys.argv[1:], {"--host": LOOPBACK, "--port": "30000"}, CPU)
    sys.stdout.write("".join(f"{word}\0" for word in words))
