"""The researcher's dashboard at /admin: entered by a link that is good once, then by a session cookie."""

from __future__ import annotations

import hmac
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Final

from flask import Blueprint, Response, abort, current_app, redirect, render_template, request, url_for
from itsdangerous import BadSignature, TimestampSigner
from werkzeug.wrappers import Response as Answer

from verifier import clock
from verifier.crowd.status import Status, status
from verifier.crowd.workers import WorkerLine, workers
from verifier.store.shown import judged_tasks, shown_task
from verifier.web import adminviews, requests
from verifier.web.state import state

blueprint = Blueprint("admin", __name__, url_prefix="/admin")

KEY: Final = "dashboard_key"
COOKIE: Final = "posthoc_dashboard"
_STORE: Final = "dashboard"
_SESSION_SECONDS: Final = 12 * 3600
_FRESH_SECONDS: Final = 5.0
_PAGE: Final = 40
_OWN: Final = frozenset({"same-origin", "none"})
_OPEN: Final = frozenset({"admin.enter"})


@dataclass
class Snapshot:
    """What the dashboard shows, computed anew by one thread when it is older than some seconds."""

    made: float = float("-inf")
    status: Status | None = None
    workers: list[WorkerLine] = field(default_factory=list)
    at: Any = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fresh(self) -> Snapshot:
        """Itself, up to date."""
        with self.lock:
            if time.monotonic() - self.made > _FRESH_SECONDS:
                study = state().study
                self.status, self.workers = status(study), workers(study)
                self.made, self.at = time.monotonic(), clock.now()
        return self


@blueprint.before_request
def guard() -> tuple[str, int] | None:
    """Let nobody in without a session, nor on the word of another site."""
    if request.endpoint in _OPEN:
        return None
    if request.headers.get("Sec-Fetch-Site", "none") not in _OWN or not _signed_in():
        return _closed()
    return None


@blueprint.after_request
def no_frames(response: Response) -> Response:
    """The dashboard is never framed, unlike the worker's pages."""
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return response


@blueprint.get("/enter")
def enter() -> Answer | str | tuple[str, int]:
    """Exchange the key of the one-time link for a session.

    The answer is a page that goes on by itself, not a redirect: after a click in a mail or a chat, a redirect
    would still count as coming from there, and the browser would keep the strict cookie back.
    """
    if request.method != "GET" or request.headers.get("Sec-Purpose", "").startswith("prefetch"):
        # A browser or a chat that looks ahead must not use the link up.
        abort(403)
    if _signed_in():
        return redirect(url_for("admin.dashboard"), 303)
    key = current_app.extensions.get(KEY)
    given = request.args.get("key", "")
    if not key or not hmac.compare_digest(given.encode(), key.encode()):
        return _closed()
    if current_app.extensions.pop(KEY, None) is None:
        return _closed()
    answer = current_app.make_response(render_template("admin/entered.html"))
    answer.set_cookie(
        COOKIE,
        _signer().sign("researcher").decode(),
        max_age=_SESSION_SECONDS,
        path=url_for("admin.dashboard").rstrip("/"),
        secure=request.is_secure or (state().study.config.server.public_url or "").startswith("https:"),
        httponly=True,
        samesite="Strict",
    )
    return answer


@blueprint.post("/leave")
def leave() -> Answer:
    """End the session in this browser."""
    answer = redirect(url_for("admin.dashboard"), 303)
    answer.delete_cookie(COOKIE, path=url_for("admin.dashboard").rstrip("/"))
    return answer


@blueprint.get("/")
def dashboard() -> str:
    """How the study stands."""
    return render_template("admin/dashboard.html", here="dashboard", **_live())


@blueprint.get("/live")
def live() -> str:
    """The part of the dashboard that changes, for the page to put in place."""
    return render_template("admin/live.html", **_live())


@blueprint.get("/tasks")
def tasks() -> str:
    """The tasks that have been judged, a page of them."""
    page = max(requests.number(request.args.get("page", "")) or 1, 1)
    with state().study.read() as session:
        found, total = judged_tasks(session, _PAGE, (page - 1) * _PAGE)
    return render_template(
        "admin/tasks.html",
        here="tasks",
        study=state().study.config.study.name,
        tasks=found,
        total=total,
        page=page,
        pages=max(-(-total // _PAGE), 1),
    )


@blueprint.get("/tasks/<number>")
def task(number: str) -> str:
    """One task as workers saw it, with what they decided."""
    if (task_id := requests.number(number)) is None:
        abort(404)
    with state().study.read() as session:
        found = shown_task(session, task_id)
    if found is None:
        abort(404)
    keys = [made.key for shown in found.displays for made in shown.judgments]
    return render_template(
        "admin/task.html",
        here="tasks",
        study=state().study.config.study.name,
        task=found,
        pieces=adminviews.pieces(found),
        titles=state().titles(keys + [shown.key for shown in found.displays]),
    )


def _live() -> dict[str, Any]:
    found = current_app.extensions.setdefault(_STORE, Snapshot()).fresh()
    return {
        "study": state().study.config.study.name,
        "status": found.status,
        "workers": found.workers,
        "at": found.at,
        "totals": adminviews.totals(found.status),
    }


def _signed_in() -> bool:
    try:
        _signer().unsign(request.cookies.get(COOKIE, ""), max_age=_SESSION_SECONDS)
    except BadSignature:
        return False
    return True


def _signer() -> TimestampSigner:
    return TimestampSigner(state().study.secrets.signing, salt="dashboard")


def _closed() -> tuple[str, int]:
    return render_template("admin/closed.html"), 403
