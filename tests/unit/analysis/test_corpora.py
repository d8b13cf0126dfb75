"""The reader of corpus files is found through its entry point."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from analysis import corpora
from analysis.errors import MissingExtraError, StateError


def install(monkeypatch, *values: str) -> None:
    """Make the given functions the installed readers."""
    found = [EntryPoint(corpora.NAME, value, corpora.GROUP) for value in values]
    monkeypatch.setattr(corpora, "entry_points", lambda **_: found)


def echo(path: Path, **options: object) -> list:
    """A reader that says what it was asked."""
    return [path, options]


def test_the_installed_reader_gets_path_and_options(monkeypatch):
    monkeypatch.setattr(corpora, "echo", echo, raising=False)
    install(monkeypatch, "analysis.corpora:echo")
    path, options = corpora.read_documents("gt.jsonl", language="fr")
    assert path == Path("gt.jsonl")
    assert options == {"language": "fr"}


def test_without_a_reader_the_message_says_what_to_install(monkeypatch):
    install(monkeypatch)
    with pytest.raises(MissingExtraError, match="pip install posthoc"):
        corpora.read_documents("gt.jsonl")


def test_the_same_reader_found_twice_is_one(monkeypatch):
    monkeypatch.setattr(corpora, "echo", echo, raising=False)
    install(monkeypatch, "analysis.corpora:echo", "analysis.corpora:echo")
    assert corpora.read_documents("gt.jsonl")


def test_two_different_readers_are_refused(monkeypatch):
    install(monkeypatch, "one:read", "two:read")
    with pytest.raises(StateError, match="one:read, two:read"):
        corpora.read_documents("gt.jsonl")
