"""The whole campaign on a copy of the study: published, worked on, collected, reviewed, paid, analysed."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.errors import StateError
from verifier import clock
from verifier.crowd import bonus_file, bonuses, campaigns, collecting, paying, publishing, review, signing
from verifier.crowd.base import Capability
from verifier.crowd.fairness import REASON, fairness
from verifier.crowd.platforms import adapter_of
from verifier.plan import draw, planning
from verifier.plan.draw import ALLOWANCE
from verifier.rehearse import copying, platforms
from verifier.rehearse.account import COLUMNS, Account, account
from verifier.simulate import campaign, running, serving
from verifier.simulate.habits import Habits
from verifier.store import corpora, crowd
from verifier.study import Study

if TYPE_CHECKING:
    from verifier.rehearse.platforms import Local

ENVIRONMENT: Final = "local"
# The first few places go out alone, as a careful person would do it.
_FIRST: Final = 3
_THANKS: Final = "Thank you for careful work."
_BONUS: Final = Decimal("0.25")
_THANKED: Final = 3
# Careful workers who fail the controls under the strictest rule, about.
_FAILING: Final = 0.15
# Who comes last may have seen all that is open.
_SPARE: Final = 20
# Places are let live on each time the platform's clock was put forward by this much.
_OFTEN: Final = timedelta(hours=12)

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Wanted:
    """What is to be rehearsed.

    Attributes:
        platform: link, mturk or prolific; None: the study's own.
        workers: how many come at most; None: as many as all places need, with those done again.
        seed: of their chance.
        habits: how they behave.
        truth: a source of the study, or a corpus file.
        person: called with the address where work is found, and the number handed in so far, until it says
            that the person in the browser is done; None: a simulated crowd comes.
        progress: is told after each wave how many workers came, and how many judgments they made.
    """

    platform: str | None
    workers: int | None
    seed: int
    habits: Habits
    truth: str
    person: Callable[[str, int], bool] | None = None
    progress: Callable[[int, int], None] = lambda _came, _judgments: None


@dataclass(frozen=True)
class Rehearsed:
    """What came of it.

    Attributes:
        folder: of the copy.
        report: the HTML report.
        account: the statement of account.
        places: published.
        outcomes: workers by outcome; empty where a person worked.
        judgments: stored.
        collected: what was handed in on the platform, by what it was.
        approved: paid.
        bonuses: paid.
        places_left: that the open work still needs.
        cap: the budget's, if it has no room for one place more.
    """

    folder: Path
    report: Path
    account: Account
    places: int
    outcomes: dict[str, int]
    judgments: int
    collected: dict[str, int]
    approved: int
    bonuses: int
    places_left: int
    cap: Decimal | None = None


def rehearse(study: Study, wanted: Wanted, tell: Tell) -> Rehearsed:
    """Rehearse a study; nothing is changed in it, and nothing leaves this machine.

    Raises:
        StateError: something does not work, or the account is not equal at the end.
        InputError: no such platform or truth.
    """
    campaign.truth_of(study, wanted.truth)
    kind = wanted.platform or study.config.platform.kind
    platforms.check(kind)
    folder = copying.make(study, kind, clock.now())
    with ExitStack() as stack:
        stack.enter_context(copying.apart())
        tell(f"A copy of the study in {folder}")
        local = stack.enter_context(platforms.started(kind, folder, study.config))
        port = copying.free_port()
        # For a person the pages are on another site than the platform, as they will be.
        host = "localhost" if wanted.person else "127.0.0.1"
        copying.configure(study, folder, local, f"http://{host}:{port}")
        copy = stack.enter_context(Study.open(folder))
        url = _plan_and_serve(stack, copy, port, tell)
        return _Campaign(copy, local, wanted, tell).run(url)


def _plan_and_serve(stack: ExitStack, copy: Study, port: int, tell: Tell) -> str:
    with copy.read() as session:
        planned = corpora.is_planned(session)
    if not planned:
        planning.plan(copy, now=clock.now())
    tell(f"Planned: {draw.open_places(copy)} places")
    url = stack.enter_context(serving.served(copy.path, port=port))
    tell(f"The task server listens at {url}")
    return url


class _Campaign:
    """One rehearsal under way."""

    def __init__(self, study: Study, local: Local, wanted: Wanted, tell: Tell) -> None:
        self._study, self._local, self._wanted, self._tell = study, local, wanted, tell
        self._hosted = Capability.PUBLISH in adapter_of(study.config).capabilities
        self._requester = campaigns.requester(study, ENVIRONMENT) if self._hosted else None
        self._ahead = self._extended = timedelta(0)

    def run(self, url: str) -> Rehearsed:
        """All of it, step by step."""
        places = self._publish()
        worked = self._work(url)
        collected = self._collect()
        approved = self._review()
        extra = self._bonus()
        self._close()
        told = account(self._study, self._local.told() if self._local.told else None)
        _write_account(self._study.path / "account.csv", told)
        report = self._analyze()
        if not told.equal:
            raise StateError(
                "platform and ledger do not say the same",
                where=str(self._study.path / "account.csv"),
                remedy="Look at the lines that stand in one alone.",
            )
        return Rehearsed(
            self._study.path,
            report,
            told,
            places,
            dict(worked.outcomes),
            worked.judgments,
            collected,
            approved,
            extra,
            draw.open_places(self._study),
            self._spent(),
        )

    def _spent(self) -> Decimal | None:
        """The cap, if another place would pass it."""
        terms, cap = self._study.config.place, self._study.config.budget.cap
        with self._study.read() as session:
            committed = crowd.committed(session)
        cost = adapter_of(self._study.config).cost(terms.pay, terms.currency)
        return cap if cap is not None and committed + cost.total > cap else None

    def _publish(self) -> int:
        """A few places first, then all that the cap lets be published; then a longer life for all."""
        if self._requester is None:
            return draw.open_places(self._study)
        campaigns.reachable(self._study, ENVIRONMENT)
        done = 0
        for first in (_FIRST, None):
            found, places = publishing.offer(self._study, ENVIRONMENT, first), first
            if found.committed + found.total > found.cap:
                fits = int((found.cap - found.committed) / found.each.total)
                places = found.out + fits
                self._tell(f"The cap of {found.cap} {found.each.currency} leaves room for {places} places")
            done += publishing.publish(
                self._study, self._requester, ENVIRONMENT, places=places, now=clock.now()
            )
        self._extend()
        self._tell(f"Published {done} places, and extended them")
        return done

    def _work(self, url: str) -> running.Worked:
        if self._wanted.person is not None:
            return self._wait()
        truth = campaign.truth_of(self._study, self._wanted.truth)
        door = self._local.door or campaign.link_door(self._study)
        places = draw.open_places(self._study)
        workers = self._wanted.workers or enough(places, self._wanted.habits)
        self._tell(f"A simulated crowd of at most {workers} workers comes; {places} places are open")
        people = running.Crowd(workers, self._wanted.seed, self._wanted.habits, truth, door=door)
        gone: list[str] = []

        def waved(came: int, judgments: int) -> None:
            """Abandoned work comes back when its time is over: the clock is put forward to then."""
            self._wanted.progress(came, judgments)
            if gone and self._hosted:
                self._advance()
            gone.clear()

        def abandoned(token: str) -> None:
            gone.append(token)
            if not self._hosted:
                campaign.let_go(self._study, token)

        done = running.run(url, people, abandoned=abandoned, progress=waved)
        told = ", ".join(f"{n} {outcome}" for outcome, n in sorted(done.outcomes.items()))
        self._tell(f"A simulated crowd: {told}; {done.judgments} judgments")
        return done

    def _advance(self) -> None:
        """Put the platform's clock forward by the time a worker has; places live on."""
        minutes = float(self._study.config.place.minutes) * ALLOWANCE + 1
        self._local.advance(minutes * 60)
        self._ahead += timedelta(minutes=minutes)
        if self._ahead - self._extended > _OFTEN:
            self._extend()

    def _extend(self) -> None:
        if self._requester is not None and Capability.EXTEND in adapter_of(self._study.config).capabilities:
            now = clock.now() + self._ahead
            publishing.extend(self._study, self._requester, ENVIRONMENT, places=None, now=now)
            self._extended = self._ahead

    def _wait(self) -> running.Worked:
        """Wait for a person in the browser."""
        person, told = self._wanted.person, self._local.told
        address = self._local.site
        if not address:
            ((_, address),) = signing.links(self._study, ["me"])
        while person is not None and not person(address, told().handed_in if told else 0):
            continue
        return running.Worked({}, 0)

    def _collect(self) -> dict[str, int]:
        if self._requester is None:
            return {}
        now = clock.now()
        done = collecting.collect(self._study, self._requester, ENVIRONMENT, now=now, live=True)
        for what, count in sorted(done.found.items()):
            self._tell(f"Collected: {count} {collecting.WORDS[what]}")
        return dict(done.found)

    def _review(self) -> int:
        name = self._study.config.study.name
        found = review.decide(self._study, confirm=name, now=clock.now())
        if self._requester is not None:
            paying.pay(self._study, self._requester, now=clock.now())
        self._tell(f"Reviewed: {len(found.waiting)} approved and paid")
        return len(found.waiting)

    def _bonus(self) -> int:
        """The top-up that is due; where none is, a small bonus for a few, so that it is rehearsed too."""
        fair = fairness(self._study, simulated=True)
        due, amount, reason = fair.assignments, fair.top_up, REASON
        if not due:
            with self._study.read() as session:
                decided = [row.id for row in crowd.submitted(session) if row.decision == "approve"]
            due = tuple(decided[:_THANKED])
            amount, reason = _BONUS, _THANKS
        asked = [bonus_file.Asked("rehearsal", number, None, amount, reason) for number in due]
        found = bonuses.offer(self._study, asked)
        if found.cap is not None and found.due:
            each = found.due[0].amount + found.due[0].fee
            asked = asked[: max(0, int((found.cap - found.committed) / each))]
        if not asked:
            return 0
        if self._requester is not None and bonuses.payable(self._study):
            paid = bonuses.pay(self._study, self._requester, asked, now=clock.now()).done
        else:
            paid = len(bonuses.record(self._study, asked, lambda _rows: None, now=clock.now()).due)
        self._tell(f"Paid {paid} bonuses of {amount} {found.currency}")
        return paid

    def _close(self) -> None:
        if self._requester is None:
            return
        done = publishing.close(self._study, self._requester, ENVIRONMENT, places=None)
        self._tell(f"Closed {done.done} places that nobody took")

    def _analyze(self) -> Path:
        from analysis.output import analyze  # noqa: PLC0415 - takes long to load
        from verifier.exporting import bundle_of  # noqa: PLC0415 - the same

        self._tell("The analysis begins")
        out = self._study.path / "report"
        with bundle_of(self._study.path) as bundle:
            analyze(bundle, out)
        return out / "report.html"


def enough(places: int, habits: Habits) -> int:
    """Workers who can fill so many places, with room for those who leave, fail or find nothing."""
    lost = min(0.9, habits.dropouts + habits.spammers + _FAILING)
    return math.ceil(places / (1 - lost)) + _SPARE


def _write_account(path: Path, told: Account) -> None:
    rows = [
        (number, line.what, line.assignment or "", line.amount, line.fee, line.side)
        for number, line in enumerate(told.lines, 1)
    ]
    bonus_file.write(path, COLUMNS, rows)
