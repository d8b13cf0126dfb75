"""Makes the Flask app of a study."""

from __future__ import annotations

from typing import Any

from flask import Flask, Request, Response, jsonify, request
from flask.globals import request_ctx
from flask.sessions import SessionInterface
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from analysis.errors import PosthocError
from verifier.crowd.platforms import adapter_of
from verifier.store import facts
from verifier.store.together import Together
from verifier.study import Study
from verifier.web import admin, api, arrival, asides, assets, headers, images, packing, pages
from verifier.web.languages import Languages
from verifier.web.state import NAME, State

_LARGEST_REQUEST = 512 * 1024


class _App(Flask):
    """Flask, but for what it writes into logs."""

    def log_exception(self, exc_info: Any) -> None:
        """What went wrong, under the rule of the address: the address itself may hold a worker's token."""
        rule = request.url_rule or "an address of no kind"
        self.logger.error("Exception on %s [%s]", rule, request.method, exc_info=exc_info)


class _NoSessions(SessionInterface):
    """Flask reads and signs a cookie with every request; nobody here has one of its kind."""

    def open_session(self, app: Flask, request: Request) -> None:
        """None, for there is none."""


def create_app(study: Study, *, dashboard_key: str | None = None) -> Flask:
    """The app that serves `study`.

    Args:
        study: an opened study; the app does not close it.
        dashboard_key: opens the dashboard once; None: it cannot be entered anew.

    Raises:
        ConfigError: a text that workers would read is missing or cannot be read.
    """
    app = _App(__name__)
    app.config.update(MAX_CONTENT_LENGTH=_LARGEST_REQUEST, SECRET_KEY=study.secrets.signing)
    app.session_interface = _NoSessions()
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it
    with study.read() as session:
        nonce = facts.get(session, "nonce")
    app.extensions[NAME] = State(
        study, study.shelf(), Languages(study.path, study.config), nonce, Together(study.store)
    )
    app.extensions["dashboard_key"] = dashboard_key
    server = study.config.server
    headers.install(app, server.public_url, adapter_of(study.config).partners, nonce)
    packing.install(app)
    app.extensions[assets.NAME] = assets.Assets()
    app.add_template_global(assets.address, "asset")
    app.add_template_global(images.shown, "image")
    for part in (arrival, pages, api, asides, admin, assets, images):
        app.register_blueprint(part.blueprint)
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(PosthocError, _failed)
    if n := server.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=n, x_proto=n, x_host=n, x_prefix=n)  # type: ignore[method-assign]  # how Flask says to wrap it
    return app


def _refused(error: HTTPException) -> Any:
    """A page for people, JSON for programs."""
    if error.response is not None:
        return error.response
    status = error.code or 500
    message = str(error.description or error.name)
    if request.path.startswith("/api/"):
        return jsonify(error=error.name.lower().replace(" ", "_"), message=message), status
    if request_ctx.url_adapter is None:
        # The request names a host that can be none, so no page of ours could say where its style sheet is.
        return Response(f"{error.name}\n", 400, mimetype="text/plain")
    name = "not_found" if status == 404 else None  # noqa: PLR2004 - HTTP's own number
    return pages.message(name, title=error.name, text=message), status


def _failed(error: PosthocError) -> tuple[Response, int] | tuple[str, int]:
    """What the study cannot do now; the details are for its researcher, not for a worker."""
    words = pages.words()
    text = words["told_busy"]
    if request.path.startswith("/api/"):
        return jsonify(error=error.code, message=text), 503
    return pages.message(None, title=words["told_busy_title"], text=text), 503
