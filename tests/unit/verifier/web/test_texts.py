"""Texts for workers: shipped, replaceable, checked before the first worker comes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from analysis.errors import ConfigError, InputError
from verifier import resources
from verifier.config import StudyConfig
from verifier.kb.understand import understand
from verifier.web.languages import Languages
from verifier.web.texts import PAGES, Texts, shipped_languages

STATIC = Path(resources.__file__).parent / "web" / "static"


def joined(folder: Path, pattern: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob(pattern)))


def config(**pages: object) -> StudyConfig:
    return StudyConfig.model_validate({"study": {"name": "a"}, "pages": pages})


def read(folder: Path, study: StudyConfig) -> Texts:
    return Texts(folder, study, study.pages.language)


@pytest.mark.parametrize("language", shipped_languages())
def test_every_shipped_text_can_be_read(tmp_path: Path, language: str) -> None:
    texts = read(tmp_path, config(language=language))
    assert texts.example["language"] == language
    for name in ("consent", *PAGES):
        assert "<h1>" in texts.page(name, code="ABC", finish_url="https://example.org/?a=1&b=2")


def test_the_studys_own_text_wins(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "instructions.html").write_text("<h1>Ours, {{ pay }} {{ currency }}</h1>")
    assert read(tmp_path, config()).page("instructions") == "<h1>Ours, 3.00 USD</h1>"


@pytest.mark.parametrize("page", ["consent", "instructions"])
def test_workers_are_told_of_checks_and_what_follows_from_failing(tmp_path: Path, page: str) -> None:
    values = {"study": {"name": "a"}, "place": {"tasks": 5, "controls": 1}}
    told = read(tmp_path, StudyConfig.model_validate(values)).page(page)
    assert "beforehand" in told
    assert "paid" in told
    review = values | {"controls": {"on_fail": "review"}}
    assert "before it is paid" in read(tmp_path, StudyConfig.model_validate(review)).page(page)
    none = values | {"place": {"controls": 0}}
    assert "beforehand" not in read(tmp_path, StudyConfig.model_validate(none)).page(page)


def test_a_consent_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"consent-v9\.html"):
        read(tmp_path, config(consent="consent-v9"))


def test_a_text_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "thanks.html").write_text("{{ nonsense }} {% if")
    with pytest.raises(ConfigError, match="thanks"):
        read(tmp_path, config())


def test_an_example_whose_spans_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "example.json").write_text(
        '{"text": "ab", "displays": [{"start": 0, "end": 1, "mention": "b", "answer": "keep"}]}'
    )
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, config())
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
        read(tmp_path, config())


def test_a_language_without_texts(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no texts in this language"):
        read(tmp_path, config(language="tlh"))
    assert read(tmp_path, config(language="en-GB")).language == "en-GB"


def test_the_page_uses_no_word_that_is_not_there(tmp_path: Path) -> None:
    """Every word that scripts and templates ask for is in words.json, and none there is idle."""
    words = read(tmp_path, config()).words
    code, pages = joined(STATIC, "*.js"), joined(STATIC.parent / "templates", "*.html")
    asked = set(re.findall(r'say\("(\w+)"', code)) | set(re.findall(r"words\.(\w+)", pages)) - {"get"}
    assert asked - set(words) == set()
    mentioned = set(re.findall(r"\w+", code + pages + joined(STATIC.parent, "*.py")))
    composed = re.compile(r"step_|key_|told_|.*_means$")
    assert {word for word in words if word not in mentioned and not composed.match(word)} == set()


def fields(text: str) -> list[str]:
    """What is filled in; how a number is written is the language's own affair."""
    bare = re.sub(r"(\{\{ *\w+) *\|[^}]*\}\}", r"\1 }}", text)
    return sorted(re.findall(r"\{[a-z]+\}|\{\{.*?\}\}|\{%.*?%\}", bare))


@pytest.mark.parametrize("language", shipped_languages())
def test_every_language_has_what_english_has(language: str) -> None:
    """No word and no page is missing, none is left over, and each fills in the same."""
    english, other = (resources.folder("hit_templates") / name for name in ("en", language))
    assert sorted(path.name for path in other.iterdir()) == sorted(path.name for path in english.iterdir())
    for path in english.glob("*.html"):
        assert fields((other / path.name).read_text("utf-8")) == fields(path.read_text("utf-8")), path.name
    words, theirs = (json.loads((at / "words.json").read_text("utf-8")) for at in (english, other))
    assert list(theirs) == list(words)
    assert {name: fields(text) for name, text in theirs.items()} == {n: fields(t) for n, t in words.items()}


def test_what_the_program_says_in_english_is_said_in_the_workers_language(tmp_path: Path) -> None:
    """Every reason that a pasted address gets is among the words that a language translates."""
    german = read(tmp_path, config(language="de"))
    for raw in ("", "https://example.org/x", "https://en.wikipedia.org/?curid=12", "an unknown name"):
        with pytest.raises(InputError) as refused:
            understand(raw, "en", None)
        sentence = refused.value.problems[0].what
        assert german.told(sentence) != sentence
    assert german.told("Something new.") == "Something new."


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-US,en;q=0.9", "en"),
        ("fr", "fr"),
        ("ja,de;q=0.2", "de"),
        ("", "en"),
        ("ja", "en"),
    ],
)
def test_the_browser_chooses_among_all_languages(tmp_path: Path, accepted: str, language: str) -> None:
    """Those that ship, and one for which the study brings the words."""
    shutil.copytree(resources.folder("hit_templates") / "de", tmp_path / "templates" / "fr")
    asked = parse_accept_header(accepted, LanguageAccept)
    assert Languages(tmp_path, config(language="auto")).chosen(asked).language == language


def test_a_study_in_one_language_is_read_in_it_by_all(tmp_path: Path) -> None:
    asked = parse_accept_header("en", LanguageAccept)
    assert Languages(tmp_path, config(language="de")).chosen(asked).language == "de"


def test_a_fault_names_the_folder_of_its_language(tmp_path: Path) -> None:
    """The study may have words of its own in several languages."""
    (tmp_path / "templates" / "de").mkdir(parents=True)
    (tmp_path / "templates" / "de" / "words.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"templates/de/words\.json"):
        read(tmp_path, config(language="de"))
