"""Completion codes by outcome: one for each way in which a participation can end, the same for everybody."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

COMPLETED: Final = "completed"
FAILED_CHECK: Final = "failed check"
NO_CONSENT: Final = "no consent"
NOTHING_LEFT: Final = "nothing left"
OUTCOMES: Final = (COMPLETED, FAILED_CHECK, NO_CONSENT, NOTHING_LEFT)
_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_LENGTH: Final = 9


def key(secret: str, nonce: str) -> str:
    """What the codes of a study are derived from; nobody outside can guess it."""
    return hmac.new(secret.encode(), f"codes\x1f{nonce}".encode(), hashlib.sha256).hexdigest()


def code(key: str, outcome: str) -> str:
    """The code of an outcome: letters and digits that nobody confuses when copying by hand."""
    number = int.from_bytes(hmac.new(key.encode(), outcome.encode(), hashlib.sha256).digest()[:8])
    letters = []
    for _ in range(_LENGTH):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return "".join(letters)
