"""How names of entities are compared: folded, without accents, case or punctuation; and read from keys."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

# Letters that Unicode does not take apart, though readers type them without their stroke or ligature.
_LETTERS = str.maketrans(
    {
        "ø": "o",
        "\u0131": "i",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ħ": "h",
        "ŧ": "t",
    }
)
_WORD = re.compile(r"\w+")
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*\Z")


def fold(name: str) -> str:
    """`name` in the form in which names are compared: `München` and `munchen` are one."""
    apart = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return " ".join(_WORD.findall(bare.replace("_", " ")))


def marks(name: str) -> str:
    """What stands for a name that folds to nothing, such as `!!!`."""
    return "".join(name.casefold().split())


def without_qualifier(title: str) -> str:
    """`Paris (Texas)` as `Paris`; a title without a qualifier as it is."""
    return _QUALIFIER.sub("", title) or title


def title_of(key: str) -> str:
    """A readable title for an entity that only its key is known of."""
    kind, _, rest = key.partition(":")
    if kind in ("w", "dbp"):
        return rest.partition(":")[2] or key
    return rest if kind in ("wd", "id") and rest else key


def address_of(key: str) -> str | None:
    """The address of the article or item that `key` names; None where the key does not tell."""
    kind, _, rest = key.partition(":")
    if kind == "wd":
        return f"https://www.wikidata.org/wiki/{rest}"
    language, _, title = rest.partition(":")
    page = quote(title.replace(" ", "_"), safe="/:,()!'*;@$~")
    if kind == "w" and title:
        return f"https://{language}.wikipedia.org/wiki/{page}"
    if kind == "dbp" and title:
        host = "dbpedia.org" if language == "en" else f"{language}.dbpedia.org"
        return f"https://{host}/resource/{page}"
    return None
