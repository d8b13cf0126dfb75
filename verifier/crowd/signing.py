"""Signed entry links: only who was given one comes in, and only as the person it was made for."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from analysis.errors import InputError, Problem, StateError
from verifier.config import LinkPlatform
from verifier.crowd.link import LinkAdapter
from verifier.given import text_of
from verifier.store import facts

if TYPE_CHECKING:
    from verifier.crowd.base import Arrival
    from verifier.study import Study

PARAMETER: Final = "sig"
_BYTES: Final = 15


def signature(study: Study, participant: str) -> str:
    """What a link for this participant is signed with: 120 bits that nobody outside can make."""
    with study.read() as session:
        nonce = facts.get(session, "nonce")
    message = f"link\x1f{nonce}\x1f{participant}".encode()
    digest = hmac.new(study.secrets.signing.encode(), message, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:_BYTES]).decode()


def check(study: Study, args: Mapping[str, str], arrival: Arrival) -> None:
    """Refuse a link that is to be signed and is not, or was signed for somebody else.

    Raises:
        InputError: so it is.
    """
    platform = study.config.platform
    if not isinstance(platform, LinkPlatform) or not platform.signed:
        return
    given = args.get(PARAMETER, "")
    if not hmac.compare_digest(given.encode(), signature(study, arrival.participant).encode()):
        raise InputError(
            "the link is not one that was given out",
            where=PARAMETER,
            remedy="Open the link exactly as you were given it.",
        )


def told(study: Study, participant: str) -> dict[str, str]:
    """What the entry link tells for a participant of a plain link."""
    platform = study.config.platform
    if not isinstance(platform, LinkPlatform):
        raise StateError("the study's workers come by no plain link", where="study.yaml: platform.kind")
    signed = {PARAMETER: signature(study, participant)} if platform.signed else {}
    return {platform.parameter: participant, **signed}


def links(study: Study, participants: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The participant and the entry link of each.

    Raises:
        StateError: the study has no public address.
    """
    address = study.config.server.public_url
    if address is None:
        raise StateError(
            "the study has no address to make links of",
            where="study.yaml: server.public_url",
            remedy="Say where workers reach it, such as https://study.example.org",
        )
    for participant in participants:
        yield participant, f"{address.rstrip('/')}/start?{urlencode(told(study, participant))}"


def read(study: Study, path: Path) -> list[str]:
    """The participants of a file, one a line; empty lines are skipped.

    Raises:
        InputError: it cannot be read, or a line is no id that the study can use; all are listed.
    """
    lines = text_of(path).splitlines()
    platform = study.config.platform
    if not isinstance(platform, LinkPlatform):
        raise StateError("the study's workers come by no plain link", where="study.yaml: platform.kind")
    adapter = LinkAdapter(platform)
    found: list[str] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            name = adapter.parse_arrival({platform.parameter: line}).participant
        except InputError as error:
            problem = error.problems[0]
            problems.append(Problem(problem.what, f"{path}:{number}", expected=problem.expected))
            continue
        if name in found:
            problems.append(Problem("the participant stands twice", f"{path}:{number}"))
        found.append(name)
    if problems:
        raise InputError.of(problems)
    return found
