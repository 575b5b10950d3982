"""Becomes a referee process: `referee_start.py DESCRIPTOR`, the number of its socket.

Before the first message, the other end writes one line of JSON: where to find modules.
"""

import gc
import json
import socket
import sys


def main() -> None:
    """Find our modules where the starting process finds them, and serve."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    line = bytearray()
    while not line.endswith(b"\n"):
        if not (byte := connection.recv(1)):
            return
        line += byte
    sys.path[:] = json.loads(line)
    # What is imported is no garbage, and stays until the end.
    gc.disable()
    from oddly.tournaments.executors.referee_serving import serve

    gc.freeze()
    gc.enable()
    serve(connection)


if __name__ == "__main__":
    main()
