"""Reads the ELEVANT files of ../shared/data as documents, for tests of `analysis` that need real corpora."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.documents import Annotation, Document, Span
from analysis.keys import OTHER, Entity, read_entity

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SYSTEMS = ("rel", "refined", "genre", "baseline")


def need(corpus: str) -> Path:
    """The corpus folder, or a skip that says what is missing."""
    if not (DATA / corpus).is_dir():
        pytest.skip(f"../shared/data/{corpus} is not there")
    return DATA / corpus


def ground_truth(corpus: str) -> list[Document]:
    """The labels of the benchmark file."""
    return list(_read(need(corpus) / "gt.elevant.jsonl", "labels", "entity_id"))


def predictions(corpus: str, system: str) -> list[Document]:
    """What a system linked; a document without `entity_mentions` ran and found nothing."""
    [path] = (need(corpus) / "predictions").glob(f"{system}.elevant.jsonl*")
    return list(_read(path, "entity_mentions", "id"))


def _read(path: Path, field: str, entity: str) -> Iterator[Document]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        row = json.loads(line)
        annotations = tuple(
            Annotation(Span(*mention["span"]), _entity(mention.get(entity)), line=number)
            for mention in row.get(field, ())
        )
        evaluation = Span(*row["evaluation_span"]) if "evaluation_span" in row else None
        yield Document(str(row["id"]), row["text"], annotations, evaluation, line=number)


def _entity(raw: str | None) -> Entity:
    if raw in ("QUANTITY", "DATETIME"):
        return Entity(OTHER, None, raw)
    return read_entity(raw, "en")
