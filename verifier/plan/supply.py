"""What plans are made from: the corpus as it is stored, and the entities that are known of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analysis.keys import LINK
from verifier.plan.drafting import Corpus, by_document
from verifier.plan.entities import CorpusEntities, KbEntities, Names
from verifier.plan.tasks import Mark, Shown
from verifier.store import plans

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

Known = KbEntities | CorpusEntities


def corpus(session: Session, targets: Mapping[str, str], *, reuse: bool = False) -> Corpus:
    """All that planning reads of a study.

    Args:
        session: reading or writing.
        targets: the redirects in force.
        reuse: whether displays of earlier plans may stand for what a later source gives.
    """
    displays: dict[int, dict[Shown, list[int]]] = defaultdict(lambda: defaultdict(list))
    if reuse:
        for document, display, start, end, key in plans.real_displays(session):
            displays[document][Shown(start, end, key)].append(display)
    return Corpus(
        texts=plans.texts(session),
        marks=by_document(Mark(*row) for row in plans.marks(session, targets)),
        ran=plans.ran(session),
        sources=plans.sources(session),
        grid=plans.grid(session),
        next_ids=plans.next_ids(session),
        cards=plans.cards(session),
        truth=plans.truth(session),
        displays=dict(displays),
    )


def entities(study: Study, read: Corpus) -> tuple[Known, Any]:
    """Where cards and wrong entities come from, and what to close afterwards.

    The knowledge base, or where none is built the corpus alone.
    """
    names = Names(
        (text.text[mark.start : mark.end], mark.key)
        for text in read.texts
        for mark in read.marks.get(text.id, ())
        if mark.kind == LINK and mark.key
    )
    if study.config.kb.kind == "wikipedia" or study.file(study.config.kb.file).is_file():
        kb = study.kb()
        return KbEntities(kb, names), kb
    return CorpusEntities(names), _Nothing()


class _Nothing:
    """What is closed where no knowledge base was opened."""

    def close(self) -> None:
        """Nothing to do."""
