"""What workers chose, and what sources say: agreement of a study beyond its decisions.

Three things stand beside agreement on decisions. Which entity workers are left with: the one shown where
they verify, their own where they edit, none where they remove. Which entity those chose who edit the same
item. And whether the crowd and a source say the same of an item: the source by having it or not, the crowd
by verifying it or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from analysis.agreement.classes import Classes
from analysis.decided import as_made
from analysis.engine.counts import Codes
from analysis.measured import Measured
from analysis.voices import hear

ENTITY: Final = "chosen entity"
TARGET: Final = "edited target"
STANDS, FALLS = "link", "no link"
_REMOVED: Final = "\0removed"


@dataclass(frozen=True)
class Choices:
    """One entity a worker and item.

    Attributes:
        item: code of `as_made(measured).items`.
        worker: code of the worker.
        document: code of the document.
        label: code of the entity; removal is one of its own.
        edited: the worker chose another entity than the one shown.
    """

    item: Codes
    worker: Codes
    document: Codes
    label: Codes
    edited: Codes


def choices(measured: Measured) -> Choices:
    """The entities that workers are left with, each worker's last word on an item.

    Edits whose entity is not known are left out; "not in the knowledge base" is an entity of its own. So are
    judgments of unknown workers, of whom nobody can tell whether they are two people's.
    """
    if "choices" not in measured.memo:
        measured.memo["choices"] = _choices(as_made(measured))
    found: Choices = measured.memo["choices"]
    return found


def _choices(plain: Measured) -> Choices:
    study = plain.study
    heard = hear(study, plain.policy)
    about = plain.annotations.loc[plain.annotations["shown"], ["annotation", "item", "document_code", "key"]]
    shown = study["credits"].merge(about, on="annotation").drop_duplicates("display").set_index("display")
    display = study["displays"]["display"].to_numpy()[heard.display]
    rows = shown.reindex(display).reset_index(drop=True)
    edited = heard.edit.astype(bool)
    label = rows["key"].astype(object).where(~edited, heard.target.astype(object).to_numpy())
    label = label.where(~heard.remove.astype(bool), _REMOVED)
    frame = pd.DataFrame(
        {
            "item": rows["item"],
            "worker": heard.worker,
            "document": rows["document_code"],
            "label": label,
            "edited": edited,
            "order": heard.order,
        }
    )
    known = frame["item"].notna() & (frame["item"] >= 0) & (frame["worker"] >= 0)
    frame = frame.loc[known].sort_values("order").drop_duplicates(["item", "worker"], keep="last")
    frame = frame.loc[frame["label"].notna()].sort_values(["item", "worker"])
    return Choices(
        frame["item"].to_numpy(np.int64),
        frame["worker"].to_numpy(np.int64),
        frame["document"].to_numpy(np.int64),
        pd.factorize(frame["label"].to_numpy(dtype=object))[0].astype(np.int64),
        frame["edited"].to_numpy(bool),
    )


def crowd_and_source(measured: Measured, dataset: str, source: int) -> tuple[Classes, Codes]:
    """The joint table of the crowd and a source over judged items, by document.

    Items of documents where the source ran: it says link if it has the item; the crowd says link if more than
    half of the workers verified it. Items on which the crowd is tied are left out.

    Returns:
        Classes of two workers (the crowd first) and two categories (`STANDS`, `FALLS`), documents being the
        clusters; and the items.
    """
    plain = as_made(measured)
    view = plain.view(dataset)
    items = plain.items
    document = items["document_code"].to_numpy(np.int64)
    y = items["y"].to_numpy(float)
    kept = (
        items["shown"].to_numpy(bool)
        & items["judged"].to_numpy(bool)
        & items["in_scope"].to_numpy(bool)
        & view.in_documents[document]
        & plain.ran[document, source]
        & (np.nan_to_num(y, nan=0.5) != 0.5)  # noqa: PLR2004 - half is a tie
    )
    rows = np.flatnonzero(kept)
    says = np.stack([y[rows] < 0.5, ~plain.support[rows, source]], axis=1).astype(np.int64)  # noqa: PLR2004 - the same
    return Classes.of_matrix(says, 2, document[rows]), rows
