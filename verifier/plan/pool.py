"""The pool of a study's controls: given in a file, generated, some only to measure; and decoys."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from analysis.decisions import EDIT, Decision
from analysis.documents import Span
from analysis.schema import DECOY
from verifier.config import StudyConfig
from verifier.plan import chance
from verifier.plan.agreeing import Place
from verifier.plan.controls import POOL_FACTOR, Control, Pool, Use, Wanted, generate
from verifier.plan.drafting import Corpus
from verifier.plan.entities import Entities
from verifier.plan.gate import GATE, MEASURE
from verifier.plan.given import Place as GivenPlace
from verifier.plan.given import read_controls
from verifier.plan.no_entity import Vocabulary

# So many distinct wrong links where the corpus allows: what Sp is estimated from.
DISTINCT_WRONG: Final = 50
# Generated controls have their answers in turn: one of three is a wrong link.
_TURN: Final = 3


@dataclass(frozen=True)
class Made:
    """Controls for a study.

    Attributes:
        given: those of the researcher's file.
        generated: those made from the corpus.
        failures: reason -> segments on which none could be made.
        warnings: what a researcher should know.
        decoys: real tasks with one link put wrong.
        without_decoy: reason -> segments on which none of these could be made.
    """

    given: Sequence[Control] = ()
    generated: Sequence[Control] = ()
    failures: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    decoys: Sequence[Control] = ()
    without_decoy: Mapping[str, int] = field(default_factory=dict)


def make(
    corpus: Corpus,
    segments: Mapping[int, Sequence[tuple[int, Span]]],
    entities: Entities,
    config: StudyConfig,
    *,
    file: Path | None,
    seed: int,
) -> Made:
    """The controls of a study, none generated on a segment that has a given one.

    Args:
        corpus: what is imported.
        segments: document -> its segments.
        entities: where wrong entities come from.
        config: how many, and how.
        file: of the researcher's own; None: there is none.
        seed: the study's.

    Raises:
        InputError: the file has faults.
    """
    given = read_controls(file, _places_by_name(corpus, segments)) if file else []
    decoys = _decoys(corpus, segments, entities, config, seed) if config.controls.decoys else Pool()
    if not config.controls.generate:
        off = {"controls.generate is off": sum(map(len, segments.values()))}
        return Made(given, (), off, (), decoys.controls, decoys.failures)
    taken = {(control.document, control.segment) for control in given}
    answers, per_place = config.controls.answers_per_task, config.place.controls
    least = POOL_FACTOR * per_place
    most = max(-(-DISTINCT_WRONG * _TURN // min(answers, _TURN)), least)
    wanted = Wanted(answers, most, least, config.plan.show == "pooled", room=config.plan.max_annotations)
    pool = _generated(corpus, segments, entities, wanted, taken=taken, seed=seed)
    warnings = []
    if len({source for ran in corpus.ran.values() for source in ran}) == 1:
        warnings.append("Only one source ran: the right answers of generated controls are its word alone.")
    generated = _parted(pool.controls, config.controls.measure, per_place)
    return Made(given, generated, pool.failures, warnings, decoys.controls, decoys.failures)


def _decoys(
    corpus: Corpus,
    segments: Mapping[int, Sequence[tuple[int, Span]]],
    entities: Entities,
    config: StudyConfig,
    seed: int,
) -> Pool:
    """Real tasks as they are, but for one link, drawn by lot of those that all sources agree on: it is wrong.

    No word is added that is no name, and what else is shown there is shown. They may lie on the segments of
    controls, for nobody sees a segment twice.
    """
    least = POOL_FACTOR * config.controls.decoys
    made = _generated(
        corpus,
        segments,
        entities,
        Wanted(
            1,
            max(DISTINCT_WRONG, least),
            least,
            config.plan.show == "pooled",
            (EDIT,),
            config.plan.max_annotations,
        ),
        taken=set(),
        # A lot of their own, so that they are not the wrong links of the controls once more.
        seed=chance.number(seed, DECOY),
    )
    return Pool([_with_use(control, DECOY) for control in made.controls], made.failures)


def more(
    corpus: Corpus,
    segments: Mapping[int, Sequence[tuple[int, Span]]],
    entities: Entities,
    config: StudyConfig,
    *,
    taken: set[tuple[int, int]],
    cycle: Sequence[Decision],
    use: Use,
    in_use: int,
    seed: int,
) -> Pool:
    """Further controls of one kind, the best first; made as those of the first plan.

    Args:
        corpus: what is imported.
        segments: document -> its segments.
        entities: where wrong entities come from.
        config: the study's.
        taken: (document, segment) where none may lie.
        cycle: the right decisions on each.
        use: what their answers do.
        in_use: controls that there are; links that are not sure serve only where these are too few.
        seed: the study's.
    """
    decoy = use == DECOY
    least = POOL_FACTOR * (config.controls.decoys if decoy else config.place.controls)
    most = DISTINCT_WRONG if decoy else -(-DISTINCT_WRONG * _TURN // min(len(cycle), _TURN))
    made = _generated(
        corpus,
        segments,
        entities,
        Wanted(
            len(cycle),
            max(most, least),
            max(least - in_use, 0),
            config.plan.show == "pooled",
            tuple(cycle),
            config.plan.max_annotations,
        ),
        taken=taken,
        seed=chance.number(seed, DECOY) if decoy else seed,
    )
    return Pool([_with_use(control, use) for control in made.controls], made.failures)


def _generated(
    corpus: Corpus,
    segments: Mapping[int, Sequence[tuple[int, Span]]],
    entities: Entities,
    wanted: Wanted,
    *,
    taken: set[tuple[int, int]],
    seed: int,
) -> Pool:
    return generate(
        _places(corpus, segments, taken),
        entities,
        wanted,
        vocabulary=Vocabulary([text.text for text in corpus.texts]),
        seed=seed,
    )


def distinct_wrong(controls: Sequence[Control], corpus: Corpus) -> int:
    """How many different wrong links there are: mention and entity."""
    text = {one.id: one.text for one in corpus.texts}
    return len(
        {
            (text[control.document][known.shown.start : known.shown.end].casefold(), known.shown.key)
            for control in controls
            for known in control.known
            if known.expected == EDIT
        }
    )


def too_few_wrong(found: int, failures: Mapping[str, int]) -> str:
    """What is said where the corpus does not allow as many distinct wrong links as are wanted."""
    most = Counter(failures).most_common(1)
    why = f": {most[0][1]} segments: {most[0][0]}" if most else ""
    return f"Controls hold {found} distinct wrong links of the {DISTINCT_WRONG} wanted{why}."


def _parted(controls: Sequence[Control], measure: int, per_place: int) -> list[Control]:
    """Controls whose answers count, and as many in proportion that only measure."""
    if not measure:
        return list(controls)
    return [
        _with_use(control, MEASURE)
        if number * measure // per_place < (number + 1) * measure // per_place
        else control
        for number, control in enumerate(controls)
    ]


def _with_use(control: Control, use: Use) -> Control:
    known = (replace(one, use=use) if one.use == GATE else one for one in control.known)
    return replace(control, known=tuple(known))


def _places(
    corpus: Corpus, segments: Mapping[int, Sequence[tuple[int, Span]]], taken: set[tuple[int, int]]
) -> list[Place]:
    return [
        Place(text.id, number, text.text, part, corpus.marks.get(text.id, ()), corpus.ran[text.id])
        for text in corpus.texts
        for number, (_, span) in enumerate(segments[text.id])
        if (part := _common(span, text.evaluation)) and corpus.ran.get(text.id)
        if (text.id, number) not in taken
    ]


def _places_by_name(
    corpus: Corpus, segments: Mapping[int, Sequence[tuple[int, Span]]]
) -> dict[str, list[GivenPlace]]:
    places: dict[str, list[GivenPlace]] = defaultdict(list)
    for text in corpus.texts:
        spans = [span for _, span in segments[text.id]]
        places[text.name].append(GivenPlace(text.id, text.dataset, text.language, text.text, spans))
    return places


def _common(one: Span, other: Span) -> Span | None:
    start, end = max(one.start, other.start), min(one.end, other.end)
    return Span(start, end) if start < end else None
