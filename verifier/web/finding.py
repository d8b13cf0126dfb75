"""What a search finds, for workers and experts alike: entities of a name, or the one of an address."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.errors import InputError
from verifier.kb.local import Candidate
from verifier.kb.understand import is_address, is_identifier
from verifier.store import redirects
from verifier.web.state import state


def find(query: str, limit: int, language: str) -> tuple[list[Candidate], str | None]:
    """What a name, an address or an identifier may mean, and else the reason why nothing is found."""
    if not (is_address(query) or is_identifier(query)):
        return state().search(query, limit, language)
    try:
        key = state().understand(query, language)
    except InputError as error:
        return [], error.problems[0].what
    with state().study.read() as session:
        resolved = redirects.resolve(session, key)
    return [state().candidate(resolved, language)], None


def same(key: str, found: Sequence[Candidate]) -> set[str]:
    """Which keys of what was found mean the entity of `key`, by whatever name."""
    with state().study.read() as session:
        targets = redirects.resolved(session, {key, *(candidate.key for candidate in found)})
    return {candidate.key for candidate in found if targets[candidate.key] == targets[key]}
