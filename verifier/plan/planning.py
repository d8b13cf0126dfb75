"""Plans a study: cuts texts, draws up tasks and controls, costs it all, and stores it in one transaction."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from analysis.decisions import DECISIONS, EDIT
from analysis.documents import Span
from analysis.errors import StateError
from analysis.keys import LINK
from verifier.config import StudyConfig
from verifier.plan import forecast, terms
from verifier.plan.agreeing import Place
from verifier.plan.budget import Design, budget
from verifier.plan.choice import places_needed
from verifier.plan.controls import POOL_FACTOR, POOL_SIZE, Control, Pool, Wanted, generate, require
from verifier.plan.drafting import Corpus, Drafting, by_document
from verifier.plan.draw import capacity
from verifier.plan.entities import CorpusEntities, KbEntities, Names
from verifier.plan.gate import GATE, Gate, gate
from verifier.plan.given import Place as GivenPlace
from verifier.plan.given import read_controls
from verifier.plan.no_entity import Vocabulary
from verifier.plan.report import Added, PlanReport, count
from verifier.plan.split import NAME, VERSION, Whole
from verifier.plan.tasks import Mark, Shown
from verifier.store import claims, corpora, facts, plans, redirects

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

_FACT: Final = "plan_sha256"
_LONG: Final = 5
_FEW_WRONG: Final = 20

Entities = KbEntities | CorpusEntities
PLANNED_WITHOUT: Final = (
    "The study was planned before the knowledge base was built: its cards show what a key alone tells, and"
    " wrong links on its controls are other entities of the corpus. What a later plan adds uses it; as long"
    " as nobody has drawn tasks, all can be planned anew with it: posthoc plan STUDY --afresh"
)


def plan(study: Study, *, dry_run: bool = False, afresh: bool = False, now: datetime) -> PlanReport:
    """Plan whatever of the study is not planned yet.

    The first plan freezes the grid. A later one, after another import, adds tasks for what is new; nothing
    that was planned or drawn moves.

    Args:
        study: open.
        dry_run: draw up and report, store nothing; a plan over the budget's cap is reported, not refused.
        afresh: first take away the plan there is, of which nothing may be drawn.
        now: when cards were looked up.

    Raises:
        StateError: the plan cannot be met; the message says which constraint fails, and by how much.
            Nothing is stored then.
        InputError: the file of controls has faults.
    """
    if dry_run:
        if afresh:
            raise StateError("a rehearsal takes nothing away", remedy="Give --dry-run or --afresh, not both.")
        with study.read() as session:
            return _Planning(study, session, now).run(dry_run=True)
    with study.write(alone=True) as session:
        if afresh:
            _drop(session)
        return _Planning(study, session, now).run(dry_run=False)


def _drop(session: Session) -> None:
    if corpora.is_drawn(session):
        raise StateError(
            "the plan cannot be made anew: workers have drawn from it",
            remedy="Plan without --afresh, which adds what is new, or make another study.",
        )
    corpora.drop_plan(session)


class _Planning:
    """One plan, from reading the study to its report."""

    def __init__(self, study: Study, session: Session, now: datetime) -> None:
        self.study = study
        self.config: StudyConfig = study.config
        self.session = session
        self.warnings: list[str] = list(terms.notices(session, study.config))
        self.targets = redirects.current(session)
        self.corpus = _read(session, self.targets)
        self.now = now
        self.failures: Counter[str] = Counter()
        self.given: list[Control] = []

    def run(self, *, dry_run: bool) -> PlanReport:
        """Draw up, check, store unless it is a rehearsal, report."""
        self._check_frozen()
        first = self.corpus.grid is None
        seed = self.config.study.seed if first else int(facts.get(self.session, "seed") or 0)
        drafting = Drafting(self.corpus, pooled=self.config.plan.show == "pooled", now=self.now)
        entities, close = self._entities()
        with closing(close):
            drafting.cut(self._splitter())
            drafting.draw_up(
                entities.card,
                k=self.config.plan.k,
                repeat_share=self.config.plan.repeat_share,
                seed=seed,
            )
            controls = self._controls(drafting, entities, seed)
        self._warn(drafting, entities, controls)
        report = self._report(drafting, controls, dry_run=dry_run)
        if report.budget.over_cap:
            self._over_cap(report, dry_run=dry_run)
        if not (dry_run or report.nothing_new):
            plans.add(self.session, drafting.rows)
            facts.put(self.session, _FACT, report.plan_sha256)
            terms.record(self.session, self.config, kb=isinstance(entities, KbEntities))
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

    def _splitter(self) -> Whole:
        """The splitter in force: the configured one at first, then the frozen one."""
        configured = Whole(self.config.plan.min_chars)
        grid = self.corpus.grid
        if grid is None:
            return configured
        if (grid.name, grid.version) != (NAME, VERSION):
            raise StateError(
                "the grid was cut by another splitter",
                got=f"{grid.name} {grid.version}",
                expected=f"{NAME} {VERSION}",
                remedy="Plan with the version of posthoc that made it.",
            )
        if grid.parameters != configured.parameters:
            self.warnings.append(
                f"plan.min_chars is {configured.min_chars} now; the grid was frozen at "
                f"{grid.parameters['min_chars']}, which goes on to be used."
            )
        return Whole(**grid.parameters)

    def _entities(self) -> tuple[Entities, Any]:
        """Where cards and wrong entities come from, and what to close afterwards."""
        names = Names(
            (text.text[mark.start : mark.end], mark.key)
            for text in self.corpus.texts
            for mark in self.corpus.marks.get(text.id, ())
            if mark.kind == LINK and mark.key
        )
        if self.study.file(self.config.kb.file).is_file():
            kb = self.study.kb()
            if terms.without_kb(self.session):
                self.warnings.append(PLANNED_WITHOUT)
            return KbEntities(kb, names), kb
        self.warnings.append(
            "The knowledge base is not built: cards show what a key alone tells, wrong links on"
            " controls are other entities of the corpus, which makes them easy. Build one with: posthoc kb"
            " build STUDY FILE, and as long as nobody has drawn tasks plan anew with it: posthoc plan STUDY"
            " --afresh"
        )
        return CorpusEntities(names), _Nothing()

    def _controls(self, drafting: Drafting, entities: Entities, seed: int) -> list[int]:
        """Make controls unless there are some; the segments of all controls, old and new."""
        segments = [segment for _, segment in plans.controls(self.session)]
        per_place = self.config.place.controls
        if per_place and not segments:
            if self.config.controls.file is not None:
                self.given = self._read_given(drafting)
            made = self.given + self._generate(drafting, entities, seed).controls
            for control in made:
                drafting.control(control, entities.card, lambda key: self.targets.get(key, key))
            segments = [drafting.segments[control.document][control.segment][0] for control in made]
        drawable = set(drafting.slots_by_segment()) | {
            count.segment for count in plans.slot_counts(self.session)
        }
        if per_place:
            require(segments, drawable, per_place, self.failures)
        return segments

    def _read_given(self, drafting: Drafting) -> list[Control]:
        places: dict[str, list[GivenPlace]] = defaultdict(list)
        for text in self.corpus.texts:
            spans = [span for _, span in drafting.segments[text.id]]
            places[text.name].append(GivenPlace(text.id, text.dataset, text.language, text.text, spans))
        return read_controls(self.study.file(self.config.controls.file or self.study.path), places)

    def _generate(self, drafting: Drafting, entities: Entities, seed: int) -> Pool:
        """Controls made from the corpus, none on a segment that has a given one."""
        if not self.config.controls.generate:
            self.failures["controls.generate is off"] = sum(map(len, drafting.segments.values()))
            return Pool()
        taken = {(control.document, control.segment) for control in self.given}
        places = [
            Place(
                text.id, number, text.text, part, self.corpus.marks.get(text.id, ()), self.corpus.ran[text.id]
            )
            for text in self.corpus.texts
            for number, (_, span) in enumerate(drafting.segments[text.id])
            if (part := _common(span, text.evaluation)) and self.corpus.ran.get(text.id)
            if (text.id, number) not in taken
        ]
        least = POOL_FACTOR * self.config.place.controls
        pool = generate(
            places,
            entities,
            Wanted(
                answers=self.config.controls.answers_per_task,
                most=max(POOL_SIZE, least),
                least=least,
                pooled=self.config.plan.show == "pooled",
            ),
            vocabulary=Vocabulary([text.text for text in self.corpus.texts]),
            seed=seed,
        )
        self.failures = pool.failures
        if len({source for ran in self.corpus.ran.values() for source in ran}) == 1:
            self.warnings.append(
                "Only one source ran: the right answers of generated controls are its word alone."
            )
        return pool

    def _warn(self, drafting: Drafting, entities: Entities, controls: list[int]) -> None:
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
        added = _added(drafting)
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
        real = capacity(tallies.by_segment, held, self.config.place)
        money = budget(
            self.config,
            tasks=sum(tallies.tasks.values()),
            annotations=sum(source.shown for source in tallies.sources),
            slots_by_segment=list(tallies.by_segment.values()),
            capacity=real,
        )
        numbers = _control_numbers(self.session, drafting, len(controls))
        self._warn_of_places(real, len({*tallies.by_segment, *held}))
        still = Counter(claims.open_by_segment(self.session)) + drafting.slots_by_segment()
        spans = [span.end - span.start for cut in drafting.segments.values() for _, span in cut]
        before = facts.get(self.session, _FACT)
        return PlanReport(
            dry_run=dry_run,
            nothing_new=added.nothing and not rows.reasons and not rows.shown,
            splitter={"name": NAME, "version": VERSION, "parameters": self._splitter_parameters(drafting)},
            show=self.config.plan.show,
            sources=tallies.sources,
            segments=len(spans),
            segment_chars=(min(spans), sum(spans) / len(spans), max(spans)),
            added=added,
            controls=numbers,
            gate=_gate(self.config, numbers),
            budget=money,
            open_places=places_needed(still.values(), capacity(still, held, self.config.place)),
            precision=forecast.precision(tallies, money.places),
            design=Design(),
            warnings=tuple(self.warnings),
            plan_sha256=before if added.nothing and not rows.shown else drafting.digest(before),
        )

    def _warn_of_places(self, real: int, segments: int) -> None:
        """Say why a place is smaller than configured."""
        place = self.config.place
        if real < (wanted := place.tasks - place.controls):
            held = f", and {count(place.controls, 'control')} must lie on others" if place.controls else ""
            self.warnings.append(
                f"Places hold {count(real, 'real task')} in place of {wanted}: there are "
                f"{count(segments, 'segment')}, a worker may see each once{held}. place.pay and place.minutes"
                " are for this smaller place."
            )

    def _splitter_parameters(self, drafting: Drafting) -> dict[str, Any]:
        if self.corpus.grid is not None:
            return self.corpus.grid.parameters
        parameters: dict[str, Any] = drafting.rows.splitter[0]["parameters"]
        return parameters

    def _over_cap(self, report: PlanReport, *, dry_run: bool) -> None:
        money = report.budget
        if dry_run:
            return
        raise StateError(
            f"the plan costs {money.over_cap} {money.currency} more than the budget allows",
            where="study.yaml, budget.cap",
            got=f"{money.places} places, {money.total} {money.currency}",
            expected=f"at most {money.cap} {money.currency}",
            remedy="Raise budget.cap, or lower plan.k, plan.repeat_share or place.pay. Nothing was stored.",
        )


class _Nothing:
    """What is closed where no knowledge base was opened."""

    def close(self) -> None:
        """Nothing to do."""


def _read(session: Session, targets: dict[str, str]) -> Corpus:
    pooled: dict[int, dict[Shown, int]] = defaultdict(dict)
    for document, display, start, end, key in plans.pooled_displays(session):
        pooled[document][Shown(start, end, key)] = display
    return Corpus(
        texts=plans.texts(session),
        marks=by_document(Mark(*row) for row in plans.marks(session, targets)),
        ran=plans.ran(session),
        sources=plans.sources(session),
        grid=plans.grid(session),
        next_ids=plans.next_ids(session),
        cards=plans.cards(session),
        pooled=dict(pooled),
    )


def _added(drafting: Drafting) -> Added:
    rows = drafting.rows
    return Added(
        documents=len({segment["document_id"] for segment in rows.segments}),
        segments=len(rows.segments),
        tasks=sum(task["kind"] == "real" for task in rows.tasks),
        displays=len(rows.displays) - drafting.control_displays,
        slots=len(rows.slots),
        repeated=len(drafting.repeated),
        controls=sum(task["kind"] == "control" for task in rows.tasks),
        cards=len(rows.cards),
    )


def _control_numbers(session: Session, drafting: Drafting, tasks: int) -> dict[str, Any]:
    """Control tasks, their graded displays by right answer, wrong links by difficulty, and the rest."""
    new = ((a["expected"], a["difficulty"], a["use"]) for a in drafting.rows.answers)
    answers = [*plans.answers(session), *new]
    expected = Counter(decision for decision, _, use in answers if use == GATE)
    wrong = Counter(difficulty or "not said" for decision, difficulty, _ in answers if decision == EDIT)
    return {
        "tasks": tasks,
        "expected": {decision: expected[decision] for decision in DECISIONS if expected[decision]},
        "wrong": dict(sorted(wrong.items())),
        "measured": sum(use != GATE for *_, use in answers),
        "displays": plans.control_display_count(session) + drafting.control_displays,
    }


def _gate(config: StudyConfig, numbers: dict[str, Any]) -> Gate | None:
    """What the rule asks of an assignment; None where nothing is graded."""
    graded = sum(numbers["expected"].values())
    if not (config.place.controls and graded):
        return None
    return gate(config.controls.rule, round(config.place.controls * graded / numbers["tasks"]))


def _common(one: Span, other: Span) -> Span | None:
    start, end = max(one.start, other.start), min(one.end, other.end)
    return Span(start, end) if start < end else None
