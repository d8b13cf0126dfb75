"""Before anything is published: whether this study may be, there, now; and our account there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import httpx

from analysis.errors import InputError, PosthocError, StateError, plain
from verifier.config import MTurkPlatform, ProlificPlatform
from verifier.crowd import codes
from verifier.crowd.base import ENVIRONMENT, Capability, Requester, require
from verifier.crowd.pacing import Pacer
from verifier.crowd.platforms import adapter_of
from verifier.plan import confirming
from verifier.secrets import platform_token
from verifier.store import corpora, crowd, facts
from verifier.store.forgetting import FORGOTTEN

if TYPE_CHECKING:
    from verifier.study import Study

ENVIRONMENTS: Final = ("local", "sandbox", "production")
CLOSED: Final = (
    "Amazon says that MTurk closed for good on 30 September 2026. What follows can only work if"
    " platform.production_url names a service that speaks as MTurk did."
)
PROLIFIC_TOKEN: Final = "PROLIFIC_TOKEN"  # noqa: S105 - a name
_SECONDS: Final = 10.0


def check(study: Study, environment: str, capability: Capability) -> None:
    """Refuse what this study cannot do in this environment.

    Raises:
        StateError: the platform cannot, nothing is planned, the study is simulated, or out elsewhere.
        InputError: there is no such environment.
    """
    require(adapter_of(study.config), capability)
    if environment not in ENVIRONMENTS:
        raise InputError("no such environment", got=plain(environment), expected=" or ".join(ENVIRONMENTS))
    if environment == "sandbox" and study.config.platform.kind == "prolific":
        raise InputError(
            "Prolific has no sandbox",
            where="--environment",
            got=environment,
            expected="local or production",
            remedy="Try it on a platform of your own: posthoc platform prolific",
        )
    with study.read() as session:
        planned, origin = corpora.is_planned(session), crowd.origin(session)
        rehearsal = facts.get(session, crowd.REHEARSAL)
        other = facts.get(session, ENVIRONMENT)
        forgotten = facts.get(session, FORGOTTEN)
    if forgotten:
        raise StateError(
            "who took part was forgotten, so nothing more can be done with people", got=forgotten
        )
    if not planned:
        raise StateError("nothing is planned", remedy=f"Run: posthoc plan {study.path}")
    if rehearsal and environment != "local":
        raise StateError(
            "this is the copy of a study, made to rehearse on",
            where="--environment",
            got=environment,
            expected="local",
            remedy="Publish the study itself.",
        )
    if origin == crowd.SIMULATED and not rehearsal:
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


def controls_confirmed(study: Study, environment: str) -> None:
    """Refuse to put generated controls before people that nobody has looked at; on this machine they may be.

    Raises:
        StateError: there are such.
    """
    if environment == "local":
        return
    if waiting := confirming.unconfirmed(study.store):
        raise StateError(
            "controls were generated that nobody has confirmed",
            got=f"{waiting} controls",
            expected="a person who has looked at each: a wrong one would fail honest workers",
            remedy=f"Look them through: posthoc controls {study.path} --help",
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
            got=plain(name),
            expected=study.config.study.name,
            remedy="Check that this is the study you mean.",
        )


def reachable(study: Study, environment: str) -> None:
    """Refuse to publish an address at which this very study does not answer.

    Raises:
        StateError: there is none, it is not https outside local, or something else answers there.
    """
    _addressed(study, environment)
    address = str(study.config.server.public_url)
    with study.read() as session:
        nonce = facts.get(session, "nonce")
    remedy = f"Run: posthoc serve {study.path}, and see that the address leads there."
    try:
        told = httpx.get(f"{address.rstrip('/')}/healthz", timeout=_SECONDS).json()
    except (httpx.HTTPError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise StateError(
            "the study does not answer there",
            where=address,
            got="an answer that is not the study's" if isinstance(error, ValueError) else "no answer",
            remedy=remedy,
        ) from None
    if not isinstance(told, dict) or told.get("nonce") != nonce:
        raise StateError("another study answers there", where=address, remedy=remedy)


def lacking(study: Study, environment: str) -> list[str]:
    """What stands in the way of publishing, as far as it can be seen without calling anybody."""
    found: list[str] = []
    for check in (controls_confirmed, _addressed, _credentials):
        try:
            check(study, environment)
        except PosthocError as error:
            found += map(str, error)
    return found


def _addressed(study: Study, environment: str) -> None:
    address = study.config.server.public_url
    where = "study.yaml: server.public_url"
    if address is None:
        raise StateError(
            "workers have no address",
            where=where,
            expected="an address such as https://...",
            remedy="Say where workers reach posthoc serve: server: {public_url: 'https://study.example.org'}",
        )
    if environment != "local" and not address.startswith("https://"):
        raise StateError("the address is not https", where=where, got=address)


def _credentials(study: Study, environment: str) -> None:
    # What boto3 would find for MTurk only a call tells.
    if isinstance(study.config.platform, ProlificPlatform):
        requester(study, environment)


def requester(study: Study, environment: str, pacer: Pacer | None = None) -> Requester:
    """Our account at the study's platform, in an environment."""
    platform = study.config.platform
    if isinstance(platform, ProlificPlatform):
        return _prolific(study, platform, environment, pacer or Pacer())
    if not isinstance(platform, MTurkPlatform):
        raise StateError(
            "the platform has no account to call",
            where="study.yaml: platform.kind",
            got=platform.kind,
            expected="mturk or prolific",
            remedy="Who comes by a link hands in to the study itself: nothing is collected or paid by a call."
            " See posthoc status STUDY and posthoc review STUDY.",
        )
    with study.read() as session:
        nonce = facts.get(session, "nonce")
    from verifier.crowd.mturk_requester import MTurkRequester  # noqa: PLC0415 - boto3 is slow to load

    return MTurkRequester(study.config, platform, environment, nonce, pacer or Pacer())


def _prolific(study: Study, platform: ProlificPlatform, environment: str, pacer: Pacer) -> Requester:
    from verifier.crowd.prolific_account import Marks  # noqa: PLC0415 - other platforms need none of it
    from verifier.crowd.prolific_client import PRODUCTION, ProlificClient  # noqa: PLC0415 - the same
    from verifier.crowd.prolific_requester import ProlificRequester  # noqa: PLC0415 - the same

    token = platform_token(study.path, PROLIFIC_TOKEN)
    if environment == "local":
        address, token = platform.api_url, "local"
    elif token:
        address = PRODUCTION
    else:
        raise StateError(
            "there are no credentials for Prolific",
            where=PROLIFIC_TOKEN,
            remedy=f"Make a token on Prolific's site, and write {PROLIFIC_TOKEN}=... into secrets.env.",
        )
    with study.read() as session:
        nonce = facts.get(session, "nonce")
    marks = Marks(nonce, codes.key(study.secrets.pseudonym, nonce))
    return ProlificRequester(study.config, platform, ProlificClient(address, token), marks, pacer)


def enter(study: Study, environment: str) -> None:
    """Keep where the study is published."""
    with study.write() as session:
        facts.put(session, ENVIRONMENT, environment)
