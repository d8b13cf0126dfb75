"""A simulated crowd on a study: its truth, the study marked simulated for good, a server, and the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.errors import InputError, StateError
from verifier import clock
from verifier.config import LinkPlatform
from verifier.corpus import read_corpus
from verifier.crowd import signing
from verifier.plan import draw
from verifier.simulate.doors import Door, LinkDoor
from verifier.simulate.habits import Habits
from verifier.simulate.running import TOGETHER, Acknowledgements, Crowd, run
from verifier.simulate.serving import served
from verifier.simulate.truth import Truth
from verifier.store import corpora, crowd, redirects, work
from verifier.store.truth import source_documents

if TYPE_CHECKING:
    from verifier.study import Study


@dataclass(frozen=True)
class Campaign:
    """What is asked for.

    Attributes:
        workers: how many come at most.
        seed: of their chance.
        habits: how they behave.
        truth: a source of the study, or a corpus file.
        url: a server that runs already; None: one is started for the time of the simulation.
        together: workers in a wave.
        acknowledged: a file that notes every judgment the server said is stored.
    """

    workers: int
    seed: int
    habits: Habits
    truth: str
    url: str | None = None
    together: int = TOGETHER
    acknowledged: Path | None = None


@dataclass(frozen=True)
class Simulated:
    """What came of it: workers by outcome, judgments stored, and the places that what is open still needs."""

    outcomes: Mapping[str, int]
    judgments: int
    places_left: int


def lines(done: Simulated) -> Iterator[str]:
    """What came of it, for people."""
    people = ", ".join(f"{n} {outcome}" for outcome, n in sorted(done.outcomes.items()))
    yield f"{sum(done.outcomes.values())} simulated workers: {people}; {done.judgments} judgments."
    if done.outcomes.get("turned away"):
        yield "Turned away: nothing was open for them when they came, or all that was they had seen."
    if done.outcomes.get("done before"):
        yield "Done before: they had handed in already, in an earlier run with the same seed."
    if done.places_left:
        noun = "place" if done.places_left == 1 else "places"
        yield f"Work for {done.places_left} more {noun} is left: let more workers come, with another --seed."
    else:
        yield "All work is done."


def simulate(
    study: Study, campaign: Campaign, progress: Callable[[int, int], None] = lambda _workers, _judgments: None
) -> Simulated:
    """Let a simulated crowd work on the study, over HTTP like any other.

    Raises:
        StateError: the platform is no plain link, nothing is planned, people have worked here, or no server
            answers.
        InputError: the truth is neither a source nor a corpus file, or does not cover the study.
    """
    platform = study.config.platform
    if not isinstance(platform, LinkPlatform):
        raise StateError(
            "a simulated crowd comes by a plain link",
            where="study.yaml: platform.kind",
            got=platform.kind,
            expected="link",
        )
    truth = truth_of(study, campaign.truth)
    with study.write() as session:
        if not corpora.is_planned(session):
            raise StateError(
                "nothing is planned, so there is nothing to do",
                where=str(study.path),
                remedy=f"Run: posthoc plan {study.path}",
            )
        crowd.mark_simulated(session)
    asked = Crowd(
        campaign.workers,
        campaign.seed,
        campaign.habits,
        truth,
        campaign.together,
        link_door(study),
    )
    with ExitStack() as stack:
        url = campaign.url or stack.enter_context(served(study.path))
        acknowledged = stack.enter_context(Acknowledgements(campaign.acknowledged))
        done = run(
            url,
            asked,
            abandoned=lambda token: let_go(study, token),
            progress=progress,
            acknowledged=acknowledged,
        )
    return Simulated(done.outcomes, done.judgments, draw.open_places(study))


def truth_of(study: Study, named: str) -> Truth:
    """The truth: a source of the study by name, or a corpus file; keys after the study's redirects.

    Raises:
        InputError: it is neither.
    """
    with study.read() as session:
        targets = redirects.current(session)
        documents = source_documents(session, named)
    if not documents:
        path = Path(named)
        if not path.is_file():
            with study.read() as session:
                known = corpora.known_names(session)
            raise InputError(
                "the truth is neither a source of this study nor a file",
                where="--truth",
                got=named,
                remedy=known,
            )
        documents = read_corpus(path)
    return Truth(documents, lambda key: targets.get(key, key))


def link_door(study: Study) -> Callable[[str], Door]:
    """How a worker of a study on a plain link comes: by the link that he would be given."""
    return lambda worker: LinkDoor(signing.told(study, worker))


def let_go(study: Study, token: str) -> None:
    """Let the lease of abandoned work run out at once: a simulated crowd does not wait for the clock."""
    with study.read() as session:
        row = work.assignment_by_token(session, token)
    if row is not None:
        draw.release(study, row.id, state="expired", now=clock.now())
