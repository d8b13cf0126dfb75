"""The images of cards, from the study's own address: no other site learns what a worker looks at."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, abort, url_for

from verifier.web.state import state

blueprint = Blueprint("images", __name__)

_FOREVER: Final = "public, max-age=31536000, immutable"


@blueprint.get("/images/<name>")
def image(name: str) -> Response:
    """An image by the digest of its bytes: the same for whatever task shows it, and for ever."""
    found = state().shelf.images.find(name)
    if found is None:
        abort(404)
    response = Response(found[0], mimetype=found[1])
    response.headers["Cache-Control"] = _FOREVER
    return response


def address(name: str | None) -> str | None:
    """Where a page finds an image."""
    return url_for("images.image", name=name) if name else None
