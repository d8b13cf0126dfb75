"""Which language a worker reads: the study's, or, if the study leaves it open, what the browser asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifier.config import StudyConfig
from verifier.web.texts import Texts, shipped_languages

if TYPE_CHECKING:
    from werkzeug.datastructures import LanguageAccept

AUTO: Final = "auto"
_FALLBACK: Final = "en"


class Languages:
    """The texts of one study in every language that its workers may read.

    `pages.language: auto` offers all languages that ship and those for which the study brings a folder
    `templates/LANGUAGE` with its own words. The browser says with every request which it prefers, so nothing
    has to be kept for a worker; English stands in where none fits.

    Raises:
        ConfigError: naming each text that is missing or cannot be read.
    """

    def __init__(self, folder: Path, config: StudyConfig) -> None:
        wanted = config.pages.language
        names = _offered(folder) if wanted == AUTO else [wanted]
        self._texts = {name: Texts(folder, config, name) for name in names}
        self._names = names

    def chosen(self, accepted: LanguageAccept) -> Texts:
        """The texts in the language that fits best to what a browser accepts."""
        if len(self._names) == 1:
            return self._texts[self._names[0]]
        return self._texts[accepted.best_match(self._names, _FALLBACK) or _FALLBACK]


def _offered(folder: Path) -> list[str]:
    own = {path.parent.name for path in (folder / "templates").glob("*/words.json")}
    return sorted(own | set(shipped_languages()))
