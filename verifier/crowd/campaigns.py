"""Before anything is published: whether this study may be, there, now; and our account there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import httpx

from analysis.errors import InputError, StateError
from verifier.config import MTurkPlatform
from verifier.crowd.base import ENVIRONMENT, Capability, Requester, require
from verifier.crowd.pacing import Pacer
from verifier.crowd.platforms import adapter_of
from verifier.store import corpora, crowd, facts

if TYPE_CHECKING:
    from verifier.study import Study

ENVIRONMENTS: Final = ("local", "sandbox", "production")
CLOSED: Final = (
    "Amazon says that MTurk closed for good on 30 September 2026. What follows can only work if"
    " platform.production_url names a service that speaks as MTurk did."
)
_SECONDS: Final = 10.0


def check(study: Study, environment: str, capability: Capability) -> None:
    """Refuse what this study cannot do in this environment.

    Raises:
        StateError: the platform cannot, nothing is planned, the study is simulated, or out elsewhere.
        InputError: there is no such environment.
    """
    require(adapter_of(study.config), capability)
    if environment not in ENVIRONMENTS:
        raise InputError("no such environment", got=repr(environment), expected=" or ".join(ENVIRONMENTS))
    with study.read() as session:
        planned, origin = corpora.is_planned(session), crowd.origin(session)
        other = facts.get(session, ENVIRONMENT)
    if not planned:
        raise StateError("nothing is planned", remedy=f"Run: posthoc plan {study.path}")
    if origin == crowd.SIMULATED:
        raise StateError(
            "a simulated crowd has worked in this study, so no people may",
            remedy="Make another study: posthoc init DIR, then import and plan again.",
        )
    if other not in ("", environment):
        raise StateError(
            "the study is published in another environment",
            where="--environment",
            got=environment,
            expected=other,
            remedy="Work of different environments never mixes: make another study.",
        )


def confirmed(study: Study, name: str) -> None:
    """Refuse to spend unless the study's name is said once more.

    Raises:
        InputError: it is another one.
    """
    if name != study.config.study.name:
        raise InputError(
            "the study has another name",
            where="--confirm",
            got=repr(name),
            expected=study.config.study.name,
            remedy="Check that this is the study you mean.",
        )


def reachable(study: Study, environment: str) -> None:
    """Refuse to publish an address at which this very study does not answer.

    Raises:
        StateError: there is none, it is not https outside local, or something else answers there.
    """
    address = study.config.server.public_url
    where = "study.yaml: server.public_url"
    if address is None:
        raise StateError("workers have no address", where=where, expected="an address such as https://...")
    if environment != "local" and not address.startswith("https://"):
        raise StateError("the address is not https", where=where, got=address)
    with study.read() as session:
        nonce = facts.get(session, "nonce")
    remedy = f"Run: posthoc serve {study.path}, and see that the address leads there."
    try:
        told = httpx.get(f"{address.rstrip('/')}/healthz", timeout=_SECONDS).json()
    except (httpx.HTTPError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise StateError(
            "the study does not answer there", where=address, got=type(error).__name__, remedy=remedy
        ) from None
    if not isinstance(told, dict) or told.get("nonce") != nonce:
        raise StateError("another study answers there", where=address, remedy=remedy)


def requester(study: Study, environment: str, pacer: Pacer | None = None) -> Requester:
    """Our account at the study's platform, in an environment."""
    from verifier.crowd.mturk_requester import MTurkRequester  # noqa: PLC0415 - boto3 is slow to load

    platform = study.config.platform
    if not isinstance(platform, MTurkPlatform):
        raise StateError("the platform has no account to call", where="study.yaml: platform.kind")
    with study.read() as session:
        nonce = facts.get(session, "nonce")
    return MTurkRequester(study.config, platform, environment, nonce, pacer or Pacer())


def enter(study: Study, environment: str) -> None:
    """Keep where the study is published."""
    with study.write() as session:
        facts.put(session, ENVIRONMENT, environment)
