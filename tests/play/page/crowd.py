"""Many browsers in a process of their own: PORT SOCKETS STREAMS. Ends with its standard input, and prints what each has received.

The last stream never reads.
"""

import json
import socket
import sys
import threading
from collections.abc import Callable

from websockets.sync.client import connect
from websockets.typing import Origin


def main() -> None:
    """Follow, watch, and tell."""
    port, sockets, streams = map(int, sys.argv[1:])
    received, leaving = [0] * (sockets + streams), threading.Event()

    def follow(number: int) -> None:
        origin = Origin(f"http://127.0.0.1:{port}")
        with connect(f"ws://127.0.0.1:{port}/events", origin=origin, compression=None) as browser:
            while not leaving.is_set():
                try:
                    received[number] += len(browser.recv(timeout=0.5))
                except TimeoutError:
                    continue

    def watch(number: int) -> None:
        with socket.create_connection(("127.0.0.1", port)) as stream:
            stream.settimeout(0.5)
            stream.sendall(f"GET /camera.mjpeg HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            while not leaving.is_set():
                if number == sockets + streams - 1:
                    received[number] += 1
                    leaving.wait(0.5)
                    continue
                try:
                    received[number] += len(stream.recv(65536))
                except TimeoutError:
                    continue

    work: list[tuple[Callable[[int], None], int]] = [(follow, n) for n in range(sockets)]
    work += [(watch, sockets + n) for n in range(streams)]
    threads = [threading.Thread(target=target, args=(number,), daemon=True) for target, number in work]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    leaving.set()
    for thread in threads:
        thread.join(timeout=10.0)
    sys.stdout.write(json.dumps(received))


main()
