"""The vault: under which pseudonym a platform's worker is known here, and how he is found again."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Final

from verifier.plan import chance
from verifier.store import crowd

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

_PSEUDONYM_BYTES: Final = 6


def enter(session: Session, study: Study, platform: str, participant: str) -> crowd.Known:
    """The worker with a platform's id, entered under a pseudonym if he is new; his row stays locked."""
    key = digest(study.secrets.pseudonym, platform, participant)
    pseudonym = _pseudonym(session, study, participant)
    return crowd.enter_worker(session, platform, key, participant, pseudonym)


def digest(secret: str, platform: str, participant: str) -> str:
    """The keyed digest by which a platform's worker is found again: HMAC-SHA256 of platform and id."""
    message = f"{platform}\x1f{participant}".encode()
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _pseudonym(session: Session, study: Study, participant: str) -> str:
    """A random name. A simulated worker has nothing to hide: his follows from the seed, to the same bytes."""
    if crowd.origin(session) == crowd.SIMULATED:
        named = chance.number(study.config.study.seed, "worker", participant)
        return f"w{named % 256**_PSEUDONYM_BYTES:0{2 * _PSEUDONYM_BYTES}x}"
    return f"w{secrets.token_hex(_PSEUDONYM_BYTES)}"
