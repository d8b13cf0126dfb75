"""Plans a study: cuts texts, draws up tasks and controls, costs it all, and stores it in one transaction."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from analysis.decisions import EDIT
from analysis.errors import StateError
from analysis.keys import LINK
from verifier.config import StudyConfig
from verifier.plan import forecast, outlook, pilot, pool, reach, summing, supply, terms
from verifier.plan import lock as locking
from verifier.plan.budget import budget
from verifier.plan.choice import places_needed
from verifier.plan.controls import POOL_FACTOR, require
from verifier.plan.drafting import Corpus, Drafting, Terms
from verifier.plan.draw import capacity
from verifier.plan.entities import KbEntities
from verifier.plan.report import PlanReport
from verifier.plan.sampling import Sampling
from verifier.plan.splitters import Splitter, configured, recorded
from verifier.plan.supply import Known
from verifier.plan.tables import count
from verifier.store import claims, controls, corpora, facts, plans, redirects

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

_FACT: Final = "plan_sha256"
# The fact that keeps how a study is sampled.
SAMPLING: Final = "sampling"
_LONG: Final = 5
_FEW_WRONG: Final = 20

PLANNED_WITHOUT: Final = (
    "The study was planned before the knowledge base was built: its cards show what a key alone tells, and"
    " wrong links on its controls are other entities of the corpus. What a later plan adds uses it; as long"
    " as nobody has drawn tasks, all can be planned anew with it: posthoc plan STUDY --afresh"
)
UNLOCKED: Final = (
    "The lock of {at} went with the plan that it held. Lock the new one: posthoc plan STUDY --lock"
)
FORGOTTEN: Final = (
    "Controls are made anew, those too that were retired ({number}) where they come up again: look them"
    " through once more before anybody works"
)
WOULD_UNLOCK: Final = (
    "The study is locked since {at}. Planning anew takes that lock away with the plan that it holds: lock the"
    " new one then, with posthoc plan STUDY --afresh --lock"
)


def plan(
    study: Study,
    *,
    dry_run: bool = False,
    afresh: bool = False,
    audit: bool = False,
    lock: bool = False,
    now: datetime,
) -> PlanReport:
    """Plan whatever of the study is not planned yet.

    The first plan freezes the grid. A later one, after another import, adds tasks for what is new; nothing
    that was planned or drawn moves.

    Args:
        study: open.
        dry_run: draw up and report, store nothing; a plan over the budget's cap is reported, not refused.
        afresh: first take away the plan there is, of which nothing may be drawn; a dry run puts it back.
        audit: judge a part of the segments alone, those likelier on which sources disagree.
        lock: write down and hash what will be analysed and how, before anybody judges.
        now: when cards were looked up.

    Raises:
        StateError: the plan cannot be met; the message says which constraint fails, and by how much.
            Nothing is stored then.
        InputError: the file of controls has faults.
    """
    if dry_run:
        with study.read() as session:
            held = locking.current(session) if afresh else None
            if afresh:
                # What a reading session changes is thrown away: the plan stays.
                _drop(session)
            report = _Planning(study, session, now, audit=audit).run(dry_run=True)
            if held:
                report = replace(report, warnings=[*report.warnings, WOULD_UNLOCK.format(at=held.at)])
            return report
    if study.config.kb.kind == "wikipedia":
        # What the network tells is kept, so that nobody waits for it while the database is ours alone.
        with study.read() as session:
            _Planning(study, session, now, audit=audit).run(dry_run=True)
    with study.write(alone=True) as session:
        if lock:
            locking.refuse_if_judged(session)
        gone = locking.current(session) if afresh else None
        retired = sum(state.retired is not None for state in controls.states(session)) if afresh else 0
        if afresh:
            _drop(session)
        report = _Planning(study, session, now, audit=audit).run(dry_run=False)
        locked = locking.put(session, study.config, now) if lock else locking.current(session)
        if gone and not locked:
            report = replace(report, warnings=[*report.warnings, UNLOCKED.format(at=gone.at)])
        if retired:
            report = replace(report, warnings=[*report.warnings, FORGOTTEN.format(number=retired)])
        return replace(report, lock=locked)


def _drop(session: Session) -> None:
    if corpora.is_drawn(session):
        raise StateError(
            "the plan cannot be made anew: workers have drawn from it",
            remedy="Plan without --afresh, which adds what is new, or make another study.",
        )
    corpora.drop_plan(session)


class _Planning:
    """One plan, from reading the study to its report."""

    def __init__(self, study: Study, session: Session, now: datetime, *, audit: bool) -> None:
        self.study = study
        self.config: StudyConfig = study.config
        self.session = session
        self.warnings: list[str] = [
            *terms.notices(session, study.config),
            *locking.notices(session, study.config),
        ]
        self.targets = redirects.current(session)
        reuse = study.config.plan.reuse or study.config.plan.show == "pooled"
        self.corpus = supply.corpus(session, self.targets, reuse=reuse)
        self.now = now
        self.audit = audit
        self.sampling: Sampling | None = None
        self.splitter = self._splitter()

    def run(self, *, dry_run: bool) -> PlanReport:
        """Draw up, check, store unless it is a rehearsal, report."""
        self._check_frozen()
        first = self.corpus.grid is None
        seed = self.config.study.seed if first else int(facts.get(self.session, "seed") or 0)
        drafting = Drafting(self.corpus, pooled=self.config.plan.show == "pooled", now=self.now)
        entities, close = self._entities()
        with closing(close):
            drafting.cut(self.splitter)
            self._select(drafting, seed)
            wanted = self.config.plan
            drafting.make(entities.card, Terms(wanted.k, wanted.repeat_share, wanted.max_annotations, seed))
            controls = self._controls(drafting, entities, seed)
        self._warn(drafting, entities, controls)
        report = self._report(drafting, controls, dry_run=dry_run)
        if report.budget.over_cap and not dry_run:
            reach.refuse_over_cap(report.budget)
        if not (dry_run or report.nothing_new):
            plans.add(self.session, drafting.rows)
            facts.put(self.session, _FACT, report.plan_sha256)
            terms.record(self.session, self.config, kb=isinstance(entities, KbEntities))
            if first and self.sampling is not None:
                facts.put(self.session, SAMPLING, json.dumps(self.sampling.recorded, sort_keys=True))
            facts.put(self.session, "seed", str(seed))
            # Until now name and seed were words in a file; from now on draws and people hang on them.
            facts.put(self.session, "name", self.config.study.name)
        return report

    def _check_frozen(self) -> None:
        """Refuse a study with nothing in it, and one whose way of showing would change half-way."""
        if not self.corpus.texts:
            raise StateError(
                "nothing is imported yet", remedy="Run: posthoc import STUDY FILE --dataset D --source S"
            )
        shown = plans.show_modes(self.session)
        if shown - {self.config.plan.show}:
            raise StateError(
                "what is shown cannot change once it is planned",
                where="study.yaml, plan.show",
                got=self.config.plan.show,
                expected=", ".join(sorted(shown)),
                remedy="Put it back, or make another study.",
            )

    def _splitter(self) -> Splitter:
        """The splitter in force: the configured one at first, then the frozen one."""
        wanted = configured(self.config.plan)
        grid = self.corpus.grid
        if grid is None:
            return wanted
        if (grid.name, grid.parameters) != (wanted.name, wanted.parameters):
            self.warnings.append(
                f"plan.splitter is {wanted.name}, plan.min_chars {wanted.parameters['min_chars']} now; the"
                f" grid was frozen at {grid.parameters['min_chars']} by {grid.name}, which is used further."
            )
        return recorded(grid.name, grid.version, grid.parameters)

    def _select(self, drafting: Drafting, seed: int) -> None:
        """What there could be to judge, and of that the part that is drawn."""
        drafting.draw_up(self.config.plan.max_annotations)
        if self.corpus.grid is not None:
            kept = facts.get(self.session, SAMPLING)
            self.sampling = Sampling.read(json.loads(kept)) if kept else None
            if self.audit and not (self.sampling and self.sampling.audit):
                raise StateError(
                    "an audit is chosen at the first plan",
                    where="--audit",
                    remedy="As long as nobody has drawn tasks: posthoc plan STUDY --afresh --audit",
                )
        else:
            sample = self.config.plan.sample
            if self.audit and sample is not None and sample.unit == "task":
                raise StateError(
                    "an audit draws segments or documents, with what all sources say there",
                    where="study.yaml, plan.sample.unit",
                    got="task",
                    expected="segment or document",
                    remedy="Change it, or plan without --audit. Nothing was stored.",
                )
            units = drafting.units(sample.unit) if sample else 0
            self.sampling = Sampling.of(sample, units, audit=self.audit)
        if self.sampling is not None:
            drafting.sample(self.sampling, seed)

    def _entities(self) -> tuple[Known, Any]:
        """Where cards and wrong entities come from, and what to close afterwards."""
        entities, close = supply.entities(self.study, self.corpus)
        if isinstance(entities, KbEntities):
            if terms.without_kb(self.session):
                self.warnings.append(PLANNED_WITHOUT)
            if self.config.plan.sample is None:
                for language, keys in _by_language(self.corpus).items():
                    entities.fetch(keys, language)
            return entities, close
        self.warnings.append(
            "The knowledge base is not built: cards show what a key alone tells, wrong links on"
            " controls are other entities of the corpus, which makes them easy. Build one with: posthoc kb"
            " build STUDY FILE, and as long as nobody has drawn tasks plan anew with it: posthoc plan STUDY"
            " --afresh"
        )
        return entities, close

    def _controls(self, drafting: Drafting, entities: Known, seed: int) -> list[int]:
        """Make controls unless there are some; the passages of all controls, old and new."""
        before = plans.controls(self.session)
        were = plans.decoys(self.session) if self.config.controls.decoys else set()
        passages = [passage for task, passage in before if task not in were]
        decoys = [passage for task, passage in before if task in were]
        per_place = self.config.place.controls
        made = pool.Made()
        if per_place and not before:
            named = self.config.controls.file
            file = None if named is None else self.study.file(named)
            made = pool.make(self.corpus, drafting.segments, entities, self.config, file=file, seed=seed)
            self.warnings += made.warnings
            every = [*made.given, *made.generated]
            for number, control in enumerate([*every, *made.decoys]):
                given = number < len(made.given)
                drafting.control(control, entities.card, lambda key: self.targets.get(key, key), given=given)
            passages, decoys = (
                [
                    drafting.passages[drafting.segments[control.document][control.segment][0]]
                    for control in some
                ]
                for some in (every, made.decoys)
            )
            wrong = pool.distinct_wrong(every, self.corpus)
            if wrong < pool.DISTINCT_WRONG:
                self.warnings.append(pool.too_few_wrong(wrong, made.failures))
        drawable = set(drafting.slots_by_passage()) | {
            count.passage for count in plans.slot_counts(self.session)
        }
        if per_place:
            # Made once: where fewer were made than are asked for now, draws do with those.
            wanted = min(self.config.controls.decoys, len(decoys)) if before else self.config.controls.decoys
            require(passages, drawable, per_place - wanted, made.failures)
            if wanted:
                require(decoys, drawable, wanted, made.without_decoy, key="controls.decoys")
        return [*passages, *decoys]

    def _warn(self, drafting: Drafting, entities: Known, controls: list[int]) -> None:
        """What a researcher should know before he goes on."""
        terms, per_place = self.config.plan, self.config.place.controls
        if isinstance(entities, KbEntities) and drafting.without_card:
            some = ", ".join(sorted(drafting.without_card)[:3])
            self.warnings.append(
                f"The knowledge base does not know {len(drafting.without_card)} of the entities shown ({some}"
                ", ...): their cards show what the key alone tells."
            )
        if per_place and len(controls) < POOL_FACTOR * per_place:
            self.warnings.append(
                f"The pool has {len(controls)} controls, under {POOL_FACTOR} times what a worker sees:"
                " workers may tell each other."
            )
        wrong = sum(answer["expected"] == EDIT for answer in drafting.rows.answers)
        if drafting.rows.answers and wrong < _FEW_WRONG:
            self.warnings.append(
                f"Controls hold {wrong} wrong links; under {_FEW_WRONG} the correction for verification bias"
                " is uncertain."
            )
        longest = max((span.end - span.start for s in drafting.segments.values() for _, span in s), default=0)
        if longest > _LONG * terms.min_chars:
            self.warnings.append(
                f"The longest segment has {longest} characters: it has no sentence end that cuts no mention."
            )
        if terms.k == 1 and not terms.repeat_share:
            self.warnings.append("Each task is judged once: agreement between workers cannot be measured.")

    def _report(self, drafting: Drafting, controls: list[int], *, dry_run: bool) -> PlanReport:
        rows = drafting.rows
        added = summing.added(drafting)
        tallies = forecast.tallies(self.session, self.corpus, drafting)
        if not tallies.tasks:
            reasons = ", ".join(
                f"{count} {reason}" for reason, count in sorted(Counter(rows.reasons.values()).items())
            )
            raise StateError(
                "no annotation can be shown, so there is no task",
                got=reasons or "no annotations at all",
                remedy="Import annotations that link to an entity inside the evaluation spans.",
            )
        held = set(controls) if self.config.place.controls else set()
        real = capacity(tallies.by_passage, held, self.config.place)
        money = budget(
            self.config,
            tasks=sum(tallies.tasks.values()),
            annotations=sum(source.shown for source in tallies.sources),
            slots_by_passage=list(tallies.by_passage.values()),
            capacity=real,
        )
        design = pilot.design(self.session)
        numbers = summing.control_numbers(self.session, drafting, len(controls))
        reach.check(self.config, money, summing.questions(self.config, numbers))
        self._warn_of_places(real, len({*tallies.by_passage, *held}))
        still = Counter(claims.open_by_passage(self.session)) + drafting.slots_by_passage()
        spans = [span.end - span.start for cut in drafting.segments.values() for _, span in cut]
        before = facts.get(self.session, _FACT)
        return PlanReport(
            dry_run=dry_run,
            nothing_new=added.nothing and not rows.reasons and not rows.shown,
            splitter={
                "name": self.splitter.name,
                "version": self.splitter.version,
                "parameters": self.splitter.parameters,
            },
            sampling=None if self.sampling is None else summing.sampled(self.sampling, drafting),
            show=self.config.plan.show,
            k=self.config.plan.k,
            sources=tallies.sources,
            segments=len(spans),
            segment_chars=(min(spans), sum(spans) / len(spans), max(spans)),
            added=added,
            controls=numbers,
            gate=summing.gate_of(self.config, numbers),
            budget=money,
            open_places=places_needed(still.values(), capacity(still, held, self.config.place)),
            foresight=outlook.foreseen(self.config, tallies, real, design, self.sampling),
            design=design,
            timing=outlook.timed(self.session, self.config, tallies, money, drafting),
            other_way=outlook.other_way(self.config, tallies, money),
            warnings=tuple(self.warnings),
            plan_sha256=before if added.nothing and not rows.shown else drafting.digest(before),
        )

    def _warn_of_places(self, real: int, passages: int) -> None:
        """Say why a place is smaller than configured."""
        place = self.config.place
        if real < (wanted := place.tasks - place.controls):
            held = f", and {count(place.controls, 'control')} must lie on others" if place.controls else ""
            self.warnings.append(
                f"Places hold {count(real, 'real task')} in place of {wanted}: there are "
                f"{count(passages, 'different text')}, a worker may see each once{held}. place.pay and"
                " place.minutes are for this smaller place."
            )


def _by_language(corpus: Corpus) -> dict[str, list[str]]:
    """The entities that may be shown, by the language of the texts that name them."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for text in corpus.texts:
        for mark in corpus.marks.get(text.id, ()):
            if mark.kind == LINK and mark.key:
                found[text.language][mark.key] = None
    return {language: sorted(keys) for language, keys in found.items()}
