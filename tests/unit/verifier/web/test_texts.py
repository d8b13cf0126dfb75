"""Texts for workers: shipped, replaceable, checked before the first worker comes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.errors import ConfigError
from verifier import resources
from verifier.config import StudyConfig
from verifier.web.texts import PAGES, Texts

STATIC = Path(resources.__file__).parent / "web" / "static"


def joined(folder: Path, pattern: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob(pattern)))


def config(**pages: object) -> StudyConfig:
    return StudyConfig.model_validate({"study": {"name": "a"}, "pages": pages})


def test_every_shipped_text_can_be_read(tmp_path: Path) -> None:
    texts = Texts(tmp_path, config())
    for name in ("consent", *PAGES):
        assert "<h1>" in texts.page(name, code="ABC", finish_url="https://example.org/?a=1&b=2")


def test_the_studys_own_text_wins(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "instructions.html").write_text("<h1>Ours, {{ pay }} {{ currency }}</h1>")
    assert Texts(tmp_path, config()).page("instructions") == "<h1>Ours, 3.00 USD</h1>"


def test_a_consent_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"consent-v9\.html"):
        Texts(tmp_path, config(consent="consent-v9"))


def test_a_text_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "thanks.html").write_text("{{ nonsense }} {% if")
    with pytest.raises(ConfigError, match="thanks"):
        Texts(tmp_path, config())


def test_an_example_whose_spans_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "example.json").write_text(
        '{"text": "ab", "displays": [{"start": 0, "end": 1, "mention": "b", "answer": "keep"}]}'
    )
    with pytest.raises(ConfigError) as caught:
        Texts(tmp_path, config())
    assert len(caught.value.problems) == 2


def test_a_language_without_texts(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no texts in this language"):
        Texts(tmp_path, config(language="tlh"))
    assert Texts(tmp_path, config(language="en-GB")).language == "en-GB"


def test_the_page_uses_no_word_that_is_not_there(tmp_path: Path) -> None:
    """Every word that scripts and templates ask for is in words.json, and none there is idle."""
    words = Texts(tmp_path, config()).words
    code, pages = joined(STATIC, "*.js"), joined(STATIC.parent / "templates", "*.html")
    asked = set(re.findall(r'say\("(\w+)"', code)) | set(re.findall(r"words\.(\w+)", pages)) - {"get"}
    assert asked - set(words) == set()
    mentioned = set(re.findall(r"\w+", code + pages))
    composed = re.compile(r"step_|key_|.*_means$")
    assert {word for word in words if word not in mentioned and not composed.match(word)} == set()
