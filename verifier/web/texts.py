"""The texts that workers read: templates that ship with the program, each replaceable by the study's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound
from jinja2.exceptions import TemplateError
from markupsafe import Markup

from analysis.decisions import DECISIONS
from analysis.errors import ConfigError, Problem
from verifier import resources
from verifier.config import StudyConfig
from verifier.plan.draw import ALLOWANCE

# What a template can do wrong when it is filled in.
_TEMPLATE_FAULTS: Final = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
PAGES = (
    "instructions",
    "example",
    "thanks",
    "nothing_left",
    "already_done",
    "excluded",
    "expired",
    "returned",
    "no_consent",
    "not_found",
    "preview",
)


def shipped_languages() -> list[str]:
    """The languages that ship with the program, in order."""
    return sorted(path.name for path in resources.folder("hit_templates").iterdir() if path.is_dir())


class Texts:
    """Renders the texts of one study in one language.

    `templates/` of the study comes first, then what ships for the language.
    """

    def __init__(self, folder: Path, config: StudyConfig, language: str) -> None:
        shipped = resources.folder("hit_templates")
        languages = shipped_languages()
        self.language = language
        own = folder / "templates"
        base = self.language if self.language in languages else self.language.split("-")[0]
        if base not in languages and not any((at / "words.json").is_file() for at in (own, own / language)):
            raise ConfigError(
                "no texts in this language",
                where="study.yaml: pages.language",
                got=self.language,
                expected=" or ".join(languages),
                remedy=f"Choose one of them, or put your own texts into {own}.",
            )
        self._consent = config.pages.consent
        # The film above the instructions, and its captions; they are the study's own.
        self.film = own / config.pages.video if config.pages.video else None
        self._values = _values(config, language)
        self._folders = [own / self.language, own, shipped / base]
        self._environment = Environment(
            loader=FileSystemLoader(self._folders),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.words: dict[str, str] = self._json("words.json")
        self.example: dict[str, Any] = self._json("example.json")
        self._check()

    def page(self, name: str, **values: Any) -> Markup:
        """The text `name`, filled in; `consent` is the version that the study names."""
        template = self._environment.get_template(f"{self._file(name)}.html")
        return Markup(template.render({**self._values, **values}))  # noqa: S704 - autoescaped by its template

    def told(self, sentence: str) -> str:
        """A sentence that the program says in English, in this language where its words hold it."""
        return self.words.get(_told().get(sentence, ""), sentence)

    def _file(self, name: str) -> str:
        return self._consent if name == "consent" else name

    def _where(self, name: str) -> str:
        """Which file a text is read from: the study and each language have one of this name."""
        found = next((at for at in self._folders if (at / name).is_file()), None)
        if found is None:
            return f"{name} ({self.language})"
        study = self._folders[1].parent
        shown = found.relative_to(study) if study in found.parents else Path("hit_templates") / found.name
        return (shown / name).as_posix()

    def _json(self, name: str) -> dict[str, Any]:
        where = self._where(name)
        try:
            source, _, _ = self._environment.loader.get_source(self._environment, name)  # type: ignore[union-attr]  # it has one
            value = json.loads(source)
        except TemplateNotFound:
            raise ConfigError("a text is missing", where=where, remedy="Put it into templates/.") from None
        except UnicodeDecodeError:
            raise ConfigError("not UTF-8 text", where=where, remedy="Save the file as UTF-8.") from None
        except (ValueError, RecursionError) as error:
            raise ConfigError("not valid JSON", where=where, got=str(error)) from None
        if not isinstance(value, dict):
            raise ConfigError("not a JSON object", where=where)
        return value

    def _check(self) -> None:
        """Every text is there and can be read, now and not when the first worker comes.

        Raises:
            ConfigError: naming each fault.
        """
        faults: list[Problem] = []
        for name in ("consent", *PAGES):
            where = self._where(f"{self._file(name)}.html")
            try:
                self.page(name, code="X", finish_url=None)
            except TemplateNotFound:
                faults.append(
                    Problem("a text is missing", where, remedy="Put it into the study's templates/.")
                )
            except UnicodeDecodeError:
                faults.append(Problem("not UTF-8 text", where, remedy="Save the file as UTF-8."))
            except _TEMPLATE_FAULTS as error:
                faults.append(Problem(f"the template cannot be read: {error}", where))
        faults += _film_faults(self.film)
        faults += _word_faults(self.words, self._where("words.json"))
        faults += _example_faults(self.example, self._where("example.json"))
        if faults:
            raise ConfigError.of(faults)


def _film_faults(film: Path | None) -> Iterator[Problem]:
    """A film that is not there, or that not everybody can follow."""
    if film is None:
        return
    for path, what in ((film, "the film"), (film.with_suffix(".vtt"), "the captions of the film")):
        if not path.is_file():
            yield Problem(f"{what} cannot be found", "study.yaml: pages.video", remedy=f"Put it into {path}.")


@cache
def english() -> dict[str, str]:
    """The words that ship in English: the others are named after them."""
    shipped = resources.folder("hit_templates") / "en" / "words.json"
    found: dict[str, str] = json.loads(shipped.read_text(encoding="utf-8"))
    return found


@cache
def _told() -> dict[str, str]:
    return {sentence: name for name, sentence in english().items() if name.startswith("told_")}


def _word_faults(words: dict[str, Any], where: str) -> Iterator[Problem]:
    """Words that the pages need and the file lacks; ours in English say which they are."""
    for name in english():
        if not isinstance(words.get(name), str):
            yield Problem(f"the words {name!r} are missing", where, remedy="Add them.")


def _example_faults(example: dict[str, Any], file: str) -> Iterator[Problem]:
    """What is wrong with the worked example."""
    text, displays = example.get("text"), example.get("displays")
    if not isinstance(text, str) or not isinstance(displays, list):
        yield Problem("not a worked example", file, expected="text, and displays as a list")
        return
    if not isinstance(example.get("language"), str):
        yield Problem("language is missing", file)
    for number, shown in enumerate(displays):
        where = f"{file}: display {number}"
        if not isinstance(shown, dict):
            yield Problem("not an object", where)
            continue
        start, end = shown.get("start"), shown.get("end")
        whole = isinstance(start, int) and isinstance(end, int)
        if not whole or text[start:end] != shown.get("mention"):
            yield Problem("mention is not the text at its span", where)
        if shown.get("answer") not in DECISIONS:
            yield Problem("answer", where, expected=", ".join(DECISIONS))
        card = shown.get("card")
        if not isinstance(card, dict) or not isinstance(card.get("title"), str) or "key" not in card:
            yield Problem("card", where, expected="an object with key and title")
        elif not str(card.get("url") or "https://").startswith(("https://", "http://")):
            yield Problem("url of the card", where, expected="https://...")
        if not isinstance(shown.get("right_keys"), list) or not isinstance(shown.get("why"), str):
            yield Problem("right_keys and why", where, expected="a list of keys, and text")


def _values(config: StudyConfig, language: str) -> dict[str, Any]:
    """What the texts can name."""
    return {
        "study": config.study.name,
        "pay": f"{config.place.pay:.2f}",
        "currency": config.place.currency,
        "minutes": f"{config.place.minutes:g}",
        "allowed": f"{config.place.minutes * ALLOWANCE:g}",
        "more_time": config.platform.kind == "link",
        "tasks": config.place.tasks,
        "controls": config.place.controls,
        "decoys": config.controls.decoys,
        "failing_pays": config.controls.on_fail == "approve_flag",
        "language": language,
        "consent_version": config.pages.consent,
        # What the way back sends along, where a platform wants a form.
        "fields": {},
    }
