"""Where workers come in: the entry link, the preview, and the address by which a study is told."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, redirect, request, url_for
from werkzeug.wrappers import Response as Answer

from analysis.errors import InputError
from verifier import clock
from verifier.crowd.arrivals import arrive
from verifier.web import pages, views
from verifier.web.state import state

blueprint = Blueprint("arrival", __name__)


@blueprint.get("/start")
def start() -> Answer | str | tuple[str, int]:
    """A worker arrives: on to his assignment, or a page that says why there is none.

    A browser or a chat that looks ahead is not a worker: it must not use a place up.
    """
    if request.method == "HEAD" or request.headers.get("Sec-Purpose", "").startswith("prefetch"):
        return "", 204
    try:
        arrived = arrive(state().study, request.args, clock.now())
    except InputError as error:
        problem = error.problems[0]
        said = (f"{problem.what[:1].upper()}{problem.what[1:]}.", problem.remedy)
        text = " ".join(state().texts.told(sentence) for sentence in said if sentence)
        return pages.message(None, title=pages.words()["told_bad_link_title"], text=text), 400
    if arrived.token is not None:
        return redirect(url_for("pages.show", token=arrived.token), 303)
    if arrived.outcome == "preview":
        return redirect(url_for("arrival.preview"), 303)
    return pages.message(arrived.outcome)


@blueprint.get("/preview")
def preview() -> str:
    """A sample task that anyone may try; writes nothing."""
    return pages.sample("preview")


@blueprint.get("/preview/search")
def preview_search() -> Response:
    """The search of the sample task; writes nothing.

    A live knowledge base is not asked for anybody who passes by: its answers are kept, and it is others' own.
    """
    here = state()
    if here.shelf.live:
        return jsonify(candidates=[], message=here.texts.words["search_none"])
    found, reason = here.search(request.args.get("q", ""), 8, "en")
    return jsonify(
        candidates=views.candidates(found, with_images=here.study.config.pages.images), message=reason
    )


@blueprint.get("/healthz")
def healthz() -> Response:
    """Which study answers at this address."""
    return jsonify(study=state().study.config.study.name, nonce=state().nonce)


@blueprint.get("/favicon.ico")
def no_icon() -> tuple[str, int]:
    """Browsers ask; there is none."""
    return "", 204


@blueprint.get("/")
def home() -> Any:
    """Who comes without a link is told that one is needed."""
    return pages.message(None, title="posthoc", text=pages.words()["told_link_needed"])
