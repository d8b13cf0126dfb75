"""A worker who uses the task server's HTTP interface directly."""

from __future__ import annotations

from typing import Any

from flask.testing import FlaskClient

STEPS = ("consent", "instructions", "example")
NAMES = ("sequence", "display", "action", "entity")


class Worker:
    """One worker, arrived by the link."""

    def __init__(self, client: FlaskClient, participant: str = "someone") -> None:
        self.client = client
        arrived = client.get("/start", query_string={"participant": participant})
        assert arrived.status_code == 303, arrived.text
        self.token = arrived.headers["Location"].rsplit("/", 1)[1]

    def step(self, step: str, agree: str = "yes") -> Any:
        """Send the form of a step."""
        return self.client.post(f"/w/{self.token}/step", data={"step": step, "agree": agree})

    def begin(self) -> Worker:
        """Go through the steps before the tasks."""
        for step in STEPS:
            assert self.step(step).status_code == 303
        return self

    def page(self) -> str:
        """The page of the current step."""
        return self.client.get(f"/w/{self.token}").text

    def get(self, path: str) -> Any:
        """The JSON at a path of the API."""
        return self.client.get(f"/api/{self.token}{path}").json

    def judge(self, *judgments: tuple[Any, ...]) -> Any:
        """Send judgments, each as sequence, display, action and, for an edit, entity."""
        items: list[dict[str, Any]] = [
            {"opened": False, "seconds": 2.5, "entity": None} | dict(zip(NAMES, judgment, strict=False))
            for judgment in judgments
        ]
        return self.client.post(f"/api/{self.token}/judgments", json={"judgments": items})

    def tasks(self) -> list[dict[str, Any]]:
        """All tasks."""
        return [self.get(f"/tasks/{task}") for task in range(len(self.get("/state")["tasks"]))]

    def displays(self) -> list[dict[str, Any]]:
        """All displays."""
        return [shown for task in self.tasks() for shown in task["displays"]]

    def decide_all(self) -> None:
        """Verify everything."""
        first = self.get("/state")["sequence"] + 1
        done = self.judge(*((first + n, d["display"], "verify") for n, d in enumerate(self.displays())))
        assert done.status_code == 200
