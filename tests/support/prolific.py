"""The tiny study as a campaign on a local Prolific, and its participants."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from tests.support import campaign as mturk
from tests.support.crowds import NOON, judge
from verifier.crowd import collecting, publishing, review
from verifier.crowd.arrivals import arrive
from verifier.crowd.localprolific.server import LocalProlific
from verifier.crowd.submission import submit
from verifier.study import Study

PAY, FEE = 100, 43


def named(name: str) -> str:
    """A participant's id, from a name that is easier to read."""
    return hashlib.sha256(name.encode()).hexdigest()[:24]


class Participant:
    """A participant on the platform's site."""

    def __init__(self, platform: LocalProlific, name: str) -> None:
        self.id = named(name)
        none = httpx.Limits(max_keepalive_connections=0)
        self._client = httpx.Client(base_url=platform.site, verify=False, limits=none)  # noqa: S501 - no TLS
        self._client.post("/login", data={"id": self.id})

    def studies(self) -> str:
        """The page of all studies."""
        return self._client.get("/studies").text

    def take(self, study: str) -> dict[str, str] | None:
        """Take a place of a study: what the entry link says; None if refused."""
        answer = self._client.post(f"/studies/{study}/take")
        if answer.status_code != 303:
            return None
        return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))

    def complete(self, code: str) -> int:
        """Come back by the completion address."""
        return self._client.get("/submissions/complete", params={"cc": code}).status_code

    def give_back(self, submission: str) -> int:
        """Return a submission."""
        return self._client.post(f"/submissions/{submission}/return").status_code


@contextmanager
def campaign(
    blank: Path,
    folder: Path,
    platform: LocalProlific,
    *,
    cap: str = "20.00",
    public: str = "http://127.0.0.1:9",
    more: str = "",
) -> Iterator[Study]:
    """A copy of the tiny study in `folder`, planned, for the local Prolific."""
    settings = f"kind: prolific, api_url: '{platform.endpoint}', worker_url: '{platform.site}'{more}"
    with mturk.campaign(blank, folder, platform, cap, public, settings=settings) as study:
        yield study


def requester(study: Study) -> Any:
    """Our account, which does not wait."""
    return mturk.requester(study)


def only(platform: LocalProlific) -> str:
    """The one study that is on the platform."""
    (study,) = platform.service.statement()["studies"]
    return study["id"]


def come(study: Study, link: dict[str, str], now: Any = NOON) -> Any:
    """What the task server does when somebody opens the entry link."""
    return arrive(study, link, now)


def work(study: Study, platform: LocalProlific, name: str, hosted: str = "", **how: Any) -> tuple[Any, str]:
    """Somebody takes a place, comes, judges and hands in here: he and the code that he is given."""
    participant = Participant(platform, name)
    link = participant.take(hosted or only(platform))
    assert link is not None
    arrived = come(study, link)
    assert arrived.outcome == "working"
    judge(study, arrived.token, **how)
    return participant, submit(study, arrived.token, NOON).code


def handed_in(study: Study, platform: LocalProlific, count: int) -> None:
    """So many places published, worked on, handed in on both sides, collected, and approved here."""
    publishing.publish(study, requester(study), "local", places=count, now=NOON)
    for number in range(count):
        participant, code = work(study, platform, f"p{number}")
        assert participant.complete(code) == 200
    collecting.collect(study, requester(study), "local", now=NOON, live=True)
    review.decide(study, confirm="tiny", now=NOON)


def statuses(platform: LocalProlific) -> list[str]:
    """The status of every submission on the platform, in the order in which they were begun."""
    return [row["status"] for row in platform.service.statement()["submissions"]]
