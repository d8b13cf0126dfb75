"""How a simulated worker finds work on a platform of this machine, and gives it in or gives it back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from html import unescape
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import httpx

from analysis.errors import StateError
from verifier.simulate.client import TaskServer

_SECONDS: Final = 30.0
_TRIES: Final = 20
_PARTICIPANT: Final = 24
_TAKE: Final = re.compile(r'action="(/studies/[0-9a-f]+/take)"')
_BACK: Final = re.compile(r'id="finish" href="([^"]+)"')
_FRAME: Final = re.compile(r'<iframe[^>]* src="([^"]+)"')
_FORM: Final = re.compile(r'<form method="post" action="([^"]+)">(.*?)</form>', re.DOTALL)
_HIDDEN: Final = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


class MTurkDoor:
    """A worker on the site of a local MTurk: finds a HIT, looks at it, accepts it."""

    def __init__(self, site: str, worker: str) -> None:
        self._client = httpx.Client(base_url=site, timeout=_SECONDS, trust_env=False)
        self._worker = "A" + re.sub(r"[^A-Z0-9]", "", worker.upper())
        self._assignment = ""

    def enter(self, server: TaskServer) -> str | None:
        """Find, preview and accept the first HIT, and open what stands in its frame.

        Who comes to a HIT that has no work left for him gives it back and goes.
        """
        for _ in range(_TRIES):
            listed = self._client.get(f"/worker/{self._worker}").text
            found = re.search(rf'href="(/worker/{self._worker}/hit/[A-Z0-9]+)"', listed)
            if found is None:
                return None
            self._look(server, self._client.get(found[1]).text)
            accepted = self._client.post(f"{found[1]}/accept")
            if accepted.is_redirect:
                self._assignment = accepted.headers["location"].rsplit("/", 1)[-1]
                told = _told(self._client.get(accepted.headers["location"]).text)
                token = server.enter(told)
                if token is None:
                    self._return()
                return token
        return None

    def hand_in(self, server: TaskServer, token: str) -> None:
        """Hand in, and send the form of the last page to the platform."""
        server.submit(token)
        form = _FORM.search(server.page(token))
        if form is None:
            raise StateError("the last page has no form that leads back to the platform")
        fields = {unescape(name): unescape(value) for name, value in _HIDDEN.findall(form[2])}
        self._client.post(unescape(form[1]), data=fields).raise_for_status()

    def give_back(self, server: TaskServer, token: str) -> None:  # noqa: ARG002 - as on MTurk, we are not told
        """Press the platform's own button: nobody tells the task server."""
        self._return()

    def close(self) -> None:
        """Leave the site."""
        self._client.close()

    def _return(self) -> None:
        self._client.post(f"/worker/{self._worker}/assignment/{self._assignment}/return")

    def _look(self, server: TaskServer, page: str) -> None:
        """Look at the preview in the frame, as people do."""
        if server.enter(_told(page)) is not None:
            raise StateError("a preview was taken for work")


class ProlificDoor:
    """A participant on the site of a local Prolific: logs in, finds a study, takes a place."""

    def __init__(self, site: str, worker: str) -> None:
        self._client = httpx.Client(base_url=site, timeout=_SECONDS, trust_env=False)
        self._participant = hashlib.sha256(worker.encode()).hexdigest()[:_PARTICIPANT]
        self._submission = ""

    def enter(self, server: TaskServer) -> str | None:
        """Take a place of the first study and follow its link; give it back if no work is left there."""
        self._client.post("/login", data={"id": self._participant})
        found = _TAKE.search(self._client.get("/studies").text)
        taken = self._client.post(found[1]) if found else None
        if taken is None or not taken.is_redirect:
            return None
        told = dict(parse_qsl(urlsplit(taken.headers["location"]).query))
        self._submission = told["SESSION_ID"]
        token = server.enter(told)
        if token is None:
            self._return()
        return token

    def hand_in(self, server: TaskServer, token: str) -> None:
        """Hand in, and follow the last page back to the platform."""
        server.submit(token)
        back = _BACK.search(server.page(token))
        if back is None:
            raise StateError("the last page has no way back to the platform")
        self._client.get(unescape(back[1])).raise_for_status()

    def give_back(self, server: TaskServer, token: str) -> None:  # noqa: ARG002 - as on Prolific, we are not told
        """Press the platform's own button: nobody tells the task server."""
        self._return()

    def close(self) -> None:
        """Leave the site."""
        self._client.close()

    def _return(self) -> None:
        self._client.post(f"/submissions/{self._submission}/return")


def _told(page: str) -> Mapping[str, str]:
    """What the address in the frame of a page tells the task server."""
    frame = _FRAME.search(page)
    if frame is None:
        raise StateError("the platform's page has no frame")
    return dict(parse_qsl(urlsplit(unescape(frame[1])).query))
