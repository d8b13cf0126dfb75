"""The images of cards, from the study's own address: no other site learns what a worker looks at."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, abort, jsonify, redirect, request, url_for
from werkzeug.wrappers import Response as Answer

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


@blueprint.get("/images/soon/<name>")
def soon(name: str) -> Answer | tuple[str, int]:
    """An image that an answer of a search was offered with, once it is there; until then nothing.

    Whoever asks for JSON is told who made it, and under which licence.
    No request waits for another site. What a name stands for was put down when it was offered: no address
    comes from outside.
    """
    known, found = state().shelf.soon(name)
    if not known:
        return "", 202
    if found is None:
        abort(404)
    if request.accept_mimetypes.best == "application/json":
        return jsonify(image_by=found.credit)
    return redirect(url_for("images.image", name=found.name))


def address(name: str | None) -> str | None:
    """Where a page finds an image: one that is there has its kind in its name."""
    if not name:
        return None
    return url_for("images.image" if "." in name else "images.soon", name=name)


def shown(name: str | None) -> str | None:
    """The same for the researcher's pages, which show images where workers see them."""
    return address(name) if state().study.config.pages.images else None
