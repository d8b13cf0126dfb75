"""Images from Wikipedia and Commons: each fetched once, with author and licence, within limits."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from analysis.errors import InputError, StateError
from verifier.kb import mediawiki
from verifier.kb.answers import Answers
from verifier.kb.asking import Asking, UnansweredError
from verifier.kb.images import LARGEST, Images

_AT_ONCE: Final = 2
_MOST_WAITING: Final = 64
_REST: Final = 60.0


@dataclass(frozen=True)
class Wanted:
    """An image that a MediaWiki names.

    Attributes:
        file: its name there.
        api: the address of the API that tells author and licence.
        address: where it is; None: that API tells it too.
    """

    file: str
    api: str
    address: str | None = None


@dataclass(frozen=True)
class Picture:
    """An image at hand: its name, and who made it under which licence."""

    name: str
    credit: str


class Pictures:
    """Fetches and finds images; safe to share between threads.

    Only addresses that begin as the study says are asked, redirects are not followed, and an image whose
    licence is not told is none.

    Args:
        ask: a connection of its own: where images are slow, nothing else waits.
        answers: what was answered before.
        images: where images lie.
        begins: how their addresses begin; None: there are none.
        now: the clock.
    """

    def __init__(
        self, ask: Asking, answers: Answers, images: Images, begins: str | None, now: Callable[[], datetime]
    ) -> None:
        self._ask = ask
        self._answers = answers
        self._images = images
        self._begins = begins
        self._now = now
        self._turn = threading.Lock()
        self._fetching: set[str] = set()
        self._resting: dict[str, float] = {}
        self._pool: ThreadPoolExecutor | None = None

    def close(self) -> None:
        """Fetch no more."""
        with self._turn:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        self._ask.close()

    def at_hand(self, wanted: Wanted | None) -> Picture | None:
        """An image that was fetched before."""
        found = self._found(wanted) if wanted else None
        return found if isinstance(found, Picture) else None

    def fetch(self, wanted: Wanted | None) -> Picture | None:
        """An image, fetched if it was not yet; None if there is none, or none can be had now."""
        if wanted is None or not self._allowed(wanted.address):
            return None
        found = self._found(wanted)
        if found is None:
            self.ask_credits([wanted])
            if (address := self._address(wanted)) and self._credit(wanted).get("credit"):
                self._keep(wanted, address)
            found = self._found(wanted)
        return found if isinstance(found, Picture) else None

    def ask_credits(self, wanted: Iterable[Wanted]) -> None:
        """Ask for authors and licences that are not known yet, many at a time."""
        missing: dict[str, list[str]] = {}
        for one in wanted:
            if self._allowed(one.address) and not self._asked(one):
                missing.setdefault(one.api, []).append(one.file)
        for api, files in missing.items():
            every = list(dict.fromkeys(files))
            for start in range(0, len(every), mediawiki.FILES):
                self._ask_credits(api, every[start : start + mediawiki.FILES])

    def offer(self, wanted: Wanted | None) -> tuple[str | None, str | None]:
        """What an answer of a search can show at once: an image by name, or one that may be there soon.

        The latter goes by a name that tells nothing; see `soon`.
        """
        if wanted is None or wanted.address is None or not self._allowed(wanted.address):
            return None, None
        found = self._found(wanted)
        if found is not None:
            return (found.name, found.credit) if isinstance(found, Picture) else (None, None)
        token = hashlib.sha256(f"{wanted.api}\n{wanted.file}\n{wanted.address}".encode()).hexdigest()
        if self._answers.latest(f"wanted/{token}") is None:
            self._answers.keep(f"wanted/{token}", asdict(wanted), self._now())
        return token, None

    def soon(self, token: str) -> tuple[bool, Picture | None]:
        """Whether it is known how it stands with an image that was offered, and the image if it is there.

        Nobody waits: what is not there yet is fetched beside the requests, and to be asked for again.
        """
        told = self._answers.latest(f"wanted/{token}")
        if told is None:
            return True, None
        wanted = Wanted(**told.said)
        found = self._found(wanted)
        if found is not None:
            return True, found if isinstance(found, Picture) else None
        with self._turn:
            if self._resting.get(token, 0.0) > time.monotonic():
                return True, None
            if token not in self._fetching and len(self._fetching) < _MOST_WAITING:
                self._fetching.add(token)
                if self._pool is None:
                    self._pool = ThreadPoolExecutor(_AT_ONCE, "images")
                self._pool.submit(self._beside, token, wanted)
        return False, None

    def _beside(self, token: str, wanted: Wanted) -> None:
        try:
            if self.fetch(wanted) is None:
                with self._turn:
                    if len(self._resting) > _MOST_WAITING * _MOST_WAITING:
                        self._resting.clear()
                    self._resting[token] = time.monotonic() + _REST
        finally:
            with self._turn:
                self._fetching.discard(token)

    def _found(self, wanted: Wanted) -> Picture | bool | None:
        """The image at hand; False where it is known to be none; None where nobody has looked."""
        address = self._address(wanted)
        if address is None:
            return False if self._credit(wanted) else None
        answer = self._answers.latest(_of(address))
        if answer is None or not isinstance(answer.said, dict):
            credit = self._credit(wanted)
            return False if credit and not credit.get("credit") else None
        name, by = answer.said.get("name"), answer.said.get("credit")
        return Picture(name, by) if name and by and self._images.holds(name) else False

    def _address(self, wanted: Wanted) -> str | None:
        """Where the image is, if that is where images may come from."""
        address = wanted.address or self._credit(wanted).get("address")
        return str(address) if address and self._allowed(address) else None

    def _allowed(self, address: str | None) -> bool:
        """Whether an image may be fetched there; one that lies nowhere yet may turn out to."""
        return self._begins is not None and (address is None or address.startswith(self._begins))

    def _credit(self, wanted: Wanted) -> dict[str, Any]:
        answer = self._answers.latest(_credit_of(wanted))
        return answer.said if answer and isinstance(answer.said, dict) else {}

    def _asked(self, wanted: Wanted) -> bool:
        """Whether it was told who made an image; those fetched by earlier versions keep it with them."""
        if self._answers.latest(_credit_of(wanted)) is not None:
            return True
        return wanted.address is not None and self._answers.latest(_of(wanted.address)) is not None

    def _ask_credits(self, api: str, files: list[str]) -> None:
        try:
            said = self._ask(api, mediawiki.asking_credits(files))
        except UnansweredError:
            return
        told = mediawiki.credits(said, files)
        self._answers.keep_all(
            {_credit_of(Wanted(file, api)): credit for file, credit in told.items()}, self._now()
        )
        # MediaWiki may cut a long answer short, and say so.
        left = [file for file in files if file not in told]
        if left and told and "continue" in said:
            self._ask_credits(api, left)

    def _keep(self, wanted: Wanted, address: str) -> None:
        body = self._ask.file(address, LARGEST)
        if body is None:
            return
        try:
            name = self._images.keep(body)
        except InputError:
            name = None
        except StateError:
            return
        said = {"name": name, "credit": self._credit(wanted).get("credit")}
        self._answers.keep(_of(address), said, self._now())


def _of(address: str) -> str:
    return f"image/{address}"


def _credit_of(wanted: Wanted) -> str:
    return f"credit/{wanted.api}/{wanted.file}"
