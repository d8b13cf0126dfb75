"""The texts that workers read: templates that ship with the program, each replaceable by the study's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound
from jinja2.exceptions import TemplateError
from markupsafe import Markup

from analysis.decisions import DECISIONS
from analysis.errors import ConfigError, Problem
from verifier import resources
from verifier.config import StudyConfig

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


class Texts:
    """Renders the texts of one study.

    `templates/` of the study comes first, then what ships for its language.
    """

    def __init__(self, folder: Path, config: StudyConfig) -> None:
        shipped = resources.folder("hit_templates")
        languages = sorted(path.name for path in shipped.iterdir() if path.is_dir())
        self.language = config.pages.language
        own = folder / "templates"
        base = self.language if self.language in languages else self.language.split("-")[0]
        if base not in languages and not (own / "words.json").is_file():
            raise ConfigError(
                "no texts in this language",
                where="study.yaml: pages.language",
                got=self.language,
                expected=" or ".join(languages),
                remedy=f"Choose one of them, or put your own texts into {own}.",
            )
        self._consent = config.pages.consent
        self._values = _values(config)
        self._environment = Environment(
            loader=FileSystemLoader([own / self.language, own, shipped / base]),
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
        return Markup(template.render(**self._values, **values))  # noqa: S704 - autoescaped by its template

    def _file(self, name: str) -> str:
        return self._consent if name == "consent" else name

    def _json(self, name: str) -> dict[str, Any]:
        try:
            source, where, _ = self._environment.loader.get_source(self._environment, name)  # type: ignore[union-attr]  # it has one
            value = json.loads(source)
        except TemplateNotFound:
            raise ConfigError("a text is missing", where=name, remedy="Put it into templates/.") from None
        except ValueError as error:
            raise ConfigError("not valid JSON", where=name, got=str(error)) from None
        if not isinstance(value, dict):
            raise ConfigError("not a JSON object", where=str(where))
        return value

    def _check(self) -> None:
        """Every text is there and can be read, now and not when the first worker comes.

        Raises:
            ConfigError: naming each fault.
        """
        faults: list[Problem] = []
        for name in ("consent", *PAGES):
            try:
                self.page(name, code="X", finish_url=None)
            except TemplateNotFound:
                faults.append(
                    Problem("a text is missing", f"{self._file(name)}.html", remedy="Put it into templates/.")
                )
            except TemplateError as error:
                faults.append(Problem(f"the template cannot be read: {error}", f"{self._file(name)}.html"))
        text = self.example.get("text")
        for number, shown in enumerate(self.example.get("displays", [])):
            if not isinstance(text, str) or text[shown["start"] : shown["end"]] != shown["mention"]:
                faults.append(
                    Problem("mention is not the text at its span", f"example.json: display {number}")
                )
            if shown.get("answer") not in DECISIONS:
                faults.append(
                    Problem("answer", f"example.json: display {number}", expected=", ".join(DECISIONS))
                )
        if faults:
            raise ConfigError.of(faults)


def _values(config: StudyConfig) -> dict[str, Any]:
    """What the texts can name."""
    return {
        "study": config.study.name,
        "pay": f"{config.place.pay:.2f}",
        "currency": config.place.currency,
        "minutes": f"{config.place.minutes:g}",
        "tasks": config.place.tasks,
        "language": config.pages.language,
        "consent_version": config.pages.consent,
    }
