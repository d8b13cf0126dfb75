"""Requesters and workers of a local MTurk, for tests."""

from __future__ import annotations

from typing import Any

import boto3
import httpx
from botocore.config import Config

from verifier.crowd.localmturk.server import LocalMTurk
from verifier.crowd.localmturk.state import State

NAMESPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
QUESTION = (
    f'<ExternalQuestion xmlns="{NAMESPACE}"><ExternalURL>https://study.example/start?a=1&amp;b=2'
    "</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
)


def requester(platform: LocalMTurk, attempts: int = 1) -> Any:
    """An unmodified boto3 client; so many attempts of its own."""
    return boto3.client(
        "mturk",
        endpoint_url=platform.endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106 - opens nothing
        config=Config(retries={"total_max_attempts": attempts, "mode": "standard"}),
    )


def hit_type(client: Any, **more: Any) -> str:
    """A HIT type of one dollar."""
    terms = {"AssignmentDurationInSeconds": 600, "Reward": "1.00", "Title": "Links", "Description": "Look"}
    return client.create_hit_type(**{**terms, **more})["HITTypeId"]


def hit(client: Any, kind: str, **more: Any) -> str:
    """A HIT of a type, for an hour."""
    given = {"HITTypeId": kind, "LifetimeInSeconds": 3600, "Question": QUESTION, **more}
    return client.create_hit_with_hit_type(**given)["HIT"]["HITId"]


class Person:
    """A worker on the platform's site."""

    def __init__(self, platform: LocalMTurk, name: str) -> None:
        self.name = name
        self._site = platform.site

    def get(self, path: str) -> httpx.Response:
        """A page of the site."""
        return httpx.get(f"{self._site}{path}")

    def _post(self, path: str, **fields: str) -> httpx.Response:
        return httpx.post(f"{self._site}{path}", data=fields)

    def accept(self, hit: str) -> str | None:
        """Accept a HIT; the assignment's id, or None if refused."""
        answer = self._post(f"/worker/{self.name}/hit/{hit}/accept")
        return answer.headers["Location"].rsplit("/", 1)[1] if answer.status_code == 303 else None

    def give_back(self, assignment: str) -> int:
        """Return an assignment."""
        return self._post(f"/worker/{self.name}/assignment/{assignment}/return").status_code

    def submit(self, assignment: str, **fields: str) -> int:
        """Send the form of the frame."""
        return self._post("/mturk/externalSubmit", assignmentId=assignment, **fields).status_code

    def do(self, hit: str) -> str:
        """A whole HIT."""
        assignment = self.accept(hit)
        assert assignment is not None
        assert self.submit(assignment, code="done") == 200
        return assignment


def memory(balance: int = 1_000_000) -> State:
    """A state in memory."""
    return State(None, balance)
