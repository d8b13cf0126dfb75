"""The pages' scripts and style sheet, each in one small file, built when the server starts.

A page that asks for a dozen modules waits for several rounds on a slow line. Those of `static/` are joined
in the order in which they need each other, each in a scope of its own.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, current_app, url_for

from verifier.web import packing

NAME: Final = "posthoc_assets"
blueprint = Blueprint("assets", __name__)

_STATIC: Final = Path(__file__).with_name("static")
_FOREVER: Final = "public, max-age=31536000, immutable"
_IMPORT: Final = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:class|function|const) (\w+))", re.MULTILINE)
# Comments on lines of their own, and indentation; our scripts hold no text that goes over lines.
_COMMENTS: Final = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*?(?:[^*]|\*(?!/))*\*/)[ \t]*\n", re.MULTILINE)
_MARGINS: Final = re.compile(r"^[ \t]+|[ \t]+$|\n(?=\s*\n)", re.MULTILINE)


class Assets:
    """What browsers get: by name, its type and its bytes, plain and packed."""

    def __init__(self) -> None:
        style = _trimmed((_STATIC / "page.css").read_text(encoding="utf-8"))
        made = {"page.js": ("text/javascript", joined("main")), "page.css": ("text/css", style)}
        self.files = {
            name: (kind, text.encode(), packing.packed(text.encode())) for name, (kind, text) in made.items()
        }
        digest = hashlib.sha256(b"".join(plain for _, plain, _ in self.files.values()))
        self.version = digest.hexdigest()[:12]


@blueprint.get("/assets/<version>/<name>")
def asset(version: str, name: str) -> Response:
    """A file; its address changes with what it holds, so a browser need never ask for it again."""
    assets: Assets = current_app.extensions[NAME]
    if name not in assets.files:
        abort(404)
    kind, plain, small = assets.files[name]
    response = packing.chosen(plain, small, f"{kind}; charset=utf-8")
    # A page from before an update gets what there is, and is not to keep it under that address.
    response.headers["Cache-Control"] = _FOREVER if version == assets.version else "no-cache"
    return response


def address(name: str) -> str:
    """Where a page finds a file."""
    assets: Assets = current_app.extensions[NAME]
    return url_for("assets.asset", version=assets.version, name=name)


def joined(name: str) -> str:
    """The module `name` and all that it needs, as one module."""
    parts: dict[str, str] = {}
    _join(name, parts)
    return "".join(parts.values())


def _join(name: str, parts: dict[str, str], *, inner: bool = False) -> None:
    source = (_STATIC / f"{name}.js").read_text(encoding="utf-8")
    for needed in _IMPORT.findall(source):
        if needed[1] not in parts:
            _join(needed[1], parts, inner=True)
    body = _trimmed(_EXPORT.sub("", _IMPORT.sub(r"const { \1 } = of_\2;", source)))
    if inner:
        exported = ", ".join(_EXPORT.findall(source))
        body = f"const of_{name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"
    parts[name] = body


def _trimmed(text: str) -> str:
    return _MARGINS.sub("", _COMMENTS.sub("", text))
