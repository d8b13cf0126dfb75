"""The search index of a knowledge base: by which words an entity is found, the best known first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from verifier.kb import vocabulary
from verifier.kb.names import fold

FORMAT: Final = "2"

# What a word is in says the mark before it: the first of a name, or in the description. So one index of whole
# words, without places, answers all; it does so by rising id, the best known first, without sorting.
# Beside each word stand how many entities have it, and the best known of them.
FIRST: Final = "^"
TOLD: Final = "~"
TABLES: Final = """
create virtual table words using fts5 (
    said, content='', columnsize=0, detail=none, prefix='1 2 3 4 5 6', tokenize="ascii tokenchars '^~'"
);
create virtual table known using fts5vocab (words, instance);
"""
# The longest beginnings of which the index has a list; of longer ones the words are looked up.
LISTED: Final = 6
_ENDS: Final = """
create index name_compact on name (replace(folded, ' ', ''), entity);
create index name_entity on name (entity);
insert into words (words) values ('optimize');
create table term (term text primary key, entities integer not null, best integer not null) without rowid;
insert into term select term, count(*), min(doc) from known group by term;
"""
_LONGEST: Final = 40
_MOST: Final = 400


def words_of(folded: Iterable[str], description: str | None) -> str:
    """What the index holds of an entity: the words of its names, each once, and of its description."""
    found: dict[str, None] = {}
    for name in folded:
        if not name[0].isalnum():
            # Of marks alone: found only whole.
            continue
        words = name.split()
        found[FIRST + words[0][:_LONGEST]] = None
        found.update(dict.fromkeys(word[:_LONGEST] for word in words))
    if description:
        found.update(dict.fromkeys(TOLD + word[:_LONGEST] for word in fold(description).split()))
    return " ".join(list(found)[:_MOST])


def finish(connection: sqlite3.Connection) -> None:
    """What is made once all entities are in."""
    connection.executescript(_ENDS)
    vocabulary.write(connection)
    connection.executescript("analyze;")
