"""What the researcher can do from the dashboard: pause, resume, close, and take the results away."""

from __future__ import annotations

import tempfile
import time
import zipfile
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, redirect, request, send_file, url_for
from werkzeug.wrappers import Response as Answer

from verifier.exporting import write_bundle, write_judgments
from verifier.plan import halting
from verifier.web.snapshots import counts
from verifier.web.state import state

# Within the dashboard's blueprint, which lets nobody in without a session.
blueprint = Blueprint("steer", __name__)

_ACTIONS: Final = {"pause": halting.PAUSED, "close": halting.CLOSED, "resume": halting.RUNNING}
# The same study gives the same bytes, so the archive holds no time of today.
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)


@blueprint.post("/halt")
def halt() -> Answer:
    """Let nobody new begin, or let people begin again. Who has begun may always finish."""
    wanted = _ACTIONS.get(request.form.get("action", ""))
    if wanted is None:
        abort(400)
    halting.set_state(state().study, wanted)
    counts().latest(newer_than=time.monotonic())
    return redirect(url_for("admin.dashboard"), 303)


@blueprint.get("/bundle.zip")
def bundle() -> Response:
    """The study bundle, as one archive."""
    archive = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it when it is sent
    with tempfile.TemporaryDirectory(prefix="posthoc-") as folder, zipfile.ZipFile(archive, "w") as pack:
        made = write_bundle(state().study, Path(folder) / "bundle")
        for path in sorted(made.iterdir()):
            # Parquet is packed already.
            pack.writestr(zipfile.ZipInfo(f"{_name()}/{path.name}", _NO_TIME), path.read_bytes())
    archive.seek(0)
    return send_file(
        archive, mimetype="application/zip", as_attachment=True, download_name=f"{_name()}-bundle.zip"
    )


@blueprint.get("/judgments.csv")
def judgments() -> Response:
    """One row for each shown annotation and worker."""
    with tempfile.TemporaryDirectory(prefix="posthoc-") as folder:
        path = Path(folder) / "judgments.csv"
        write_judgments(state().study, path)
        # Open still when the folder is gone.
        file = path.open("rb")
    return send_file(file, mimetype="text/csv", as_attachment=True, download_name=f"{_name()}-judgments.csv")


def _name() -> str:
    return state().study.config.study.name
