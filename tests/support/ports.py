"""Ports for servers whose address must be known before they listen, or that come back on the one they had."""

from __future__ import annotations

import atexit
import random
import socket
from contextlib import suppress

# Below the ports that the system gives to whoever asks for none, clients among them.
_FIRST, _LAST = 12_000, 32_000
_TRIES = 1_000


def own() -> int:
    """A port that nothing listens on, and that no other test gets, in whichever process, until this one ends.

    A UDP socket on the port's number says that it is taken: made or refused at once, and gone with us.
    """
    chance = random.SystemRandom()
    for _ in range(_TRIES):
        port = chance.randint(_FIRST, _LAST)
        held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with suppress(OSError):
            held.bind(("127.0.0.1", port))
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
            atexit.register(held.close)
            return port
        held.close()
    raise RuntimeError("no port is free")
