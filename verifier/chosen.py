"""Cards of what people chose in place of a link: a bundle says what its entities are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from analysis.keys import NIL
from verifier.plan.entities import card_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.kb.local import Card
    from verifier.study import Study


def with_chosen(study: Study, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The cards, and one for each entity that was chosen and never shown, as the knowledge base has it now.

    Nothing is asked over the network: of a live knowledge base what it told before is taken.
    """
    cards = tables["cards"]
    languages = _chosen(study, tables, set(cards["key"]) | {NIL})
    if not languages or (study.config.kb.kind != "local" and not study.file(study.config.kb.cache).is_file()):
        return cards
    shelf = study.shelf()
    try:
        found = {key: shelf.at_hand(key, language) for key, language in languages.items()}
    finally:
        shelf.close()
    rows = [_row(key, card) for key, card in sorted(found.items()) if card is not None]
    more = pd.DataFrame(rows, columns=cards.columns, dtype="object")
    more = more[~more["card"].isin(cards["card"])]
    return pd.concat([cards, more.drop_duplicates("card")], ignore_index=True) if len(more) else cards


def _chosen(study: Study, tables: Mapping[str, pd.DataFrame], known: set[str]) -> dict[str, str]:
    """Key -> the language of a dataset in which it was chosen, of those that no card shows."""
    chosen = tables["judgments"][["display", "key"]].dropna()
    chosen = chosen[~chosen["key"].isin(known)].drop_duplicates("key")
    where = chosen.merge(tables["displays"][["display", "task"]], on="display")
    where = where.merge(tables["tasks"][["task", "segment"]], on="task")
    where = where.merge(tables["segments"][["segment", "dataset"]], on="segment")
    datasets = study.config.datasets
    return {
        key: datasets[dataset].language if dataset in datasets else "en"
        for key, dataset in zip(where["key"], where["dataset"], strict=True)
    }


def _row(key: str, card: Card) -> dict[str, object]:
    return {
        "card": card_id(card),
        "key": key,
        "title": card.title,
        "description": card.description,
        "extract": card.extract,
        "fetched": card.fetched,
        "image": card.image,
        "image_credit": card.image_credit,
    }
