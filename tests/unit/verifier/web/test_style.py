"""The style sheet of the worker's page: what would make it slow is not in it."""

from __future__ import annotations

from pathlib import Path

import verifier


def test_no_highlight_depends_on_what_the_page_holds_elsewhere() -> None:
    """Each change of anything would have hundreds of them styled anew, at every decision."""
    style = (Path(verifier.__file__).parent / "web/static/page.css").read_text(encoding="utf-8")
    selectors = [line.partition("{")[0] for line in style.splitlines() if ":has(" in line]
    assert selectors
    assert [one for one in selectors if ".mark" in one.split()[-1] or ".run" in one.split()[-1]] == []
