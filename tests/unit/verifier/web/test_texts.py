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


@pytest.mark.parametrize("page", ["consent", "instructions"])
def test_workers_are_told_of_checks_and_what_follows_from_failing(tmp_path: Path, page: str) -> None:
    values = {"study": {"name": "a"}, "place": {"tasks": 5, "controls": 1}}
    told = Texts(tmp_path, StudyConfig.model_validate(values)).page(page)
    assert "beforehand" in told
    assert "paid" in told
    review = values | {"controls": {"on_fail": "review"}}
    assert "before it is paid" in Texts(tmp_path, StudyConfig.model_validate(review)).page(page)
    none = values | {"place": {"controls": 0}}
    assert "beforehand" not in Texts(tmp_path, StudyConfig.model_validate(none)).page(page)


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
    said = [problem.what for problem in caught.value]
    assert {"mention is not the text at its span", "answer", "card"} <= set(said)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("thanks.html", b"caf\xe9", "thanks.html: not UTF-8"),
        ("thanks.html", b"{{ 1 / 0 }}", "thanks.html: the template cannot be read"),
        ("thanks.html", b"{{ pay + 1 }}", "thanks.html: the template cannot be read"),
        ("words.json", b"\xff{}", "words.json: not UTF-8"),
        ("words.json", b"{}", "the words 'title' are missing"),
        ("words.json", b"[" * 100_000, "words.json: not valid JSON"),
        ("example.json", b"{}", "not a worked example"),
        ("example.json", b'{"language": "en", "text": "a", "displays": [3]}', "display 0: not an object"),
    ],
)
def test_a_text_of_ones_own_that_is_wrong_is_told_in_words(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / name).write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        Texts(tmp_path, config())


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
    mentioned = set(re.findall(r"\w+", code + pages + joined(STATIC.parent, "*.py")))
    composed = re.compile(r"step_|key_|.*_means$")
    assert {word for word in words if word not in mentioned and not composed.match(word)} == set()
