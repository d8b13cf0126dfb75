"""Our account at Prolific: its money, its fee, and the groups by which nobody is invited too often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, TypeVar

from analysis.errors import StateError
from verifier import fees
from verifier.config import ProlificPlatform, StudyConfig
from verifier.crowd import prolific_study
from verifier.crowd.pacing import Pacer
from verifier.crowd.prolific_client import ProlificClient
from verifier.crowd.prolific_study import Groups

T = TypeVar("T")
# As many places are reckoned when Prolific's fee is compared with ours, so that parts of a cent show.
_MANY: Final = 1000
_BULK: Final = 100
_EXCLUDED: Final = "posthoc: not invited"


@dataclass(frozen=True)
class Marks:
    """What tells a study from others of the account.

    Attributes:
        nonce: of the study.
        key: what its completion codes are derived from.
    """

    nonce: str
    key: str = field(repr=False)


class ProlificAccount:
    """Our account, for one study.

    Args:
        config: of the study.
        platform: its platform section.
        client: the connection.
        marks: what tells the study from others.
        pacer: makes calls again.
    """

    def __init__(
        self,
        config: StudyConfig,
        platform: ProlificPlatform,
        client: ProlificClient,
        marks: Marks,
        pacer: Pacer,
    ) -> None:
        self._config, self._platform, self._client, self._pacer = config, platform, client, pacer
        self._key = marks.key
        self._took_part = f"posthoc: took part in {config.study.name} {prolific_study.mark(marks.nonce)}"
        self._workspace = ""
        self._groups: Groups | None = None

    def balance(self) -> Decimal:
        """What the workspace may still spend."""
        told = self._call(lambda: self._client.get(f"workspaces/{self._in_workspace()}/balance/"))
        currency = self._config.place.currency
        if told.get("currency_code") not in (None, currency):
            raise StateError(
                "the workspace is in another currency",
                where="study.yaml: place.currency",
                got=currency,
                expected=str(told["currency_code"]),
            )
        return Decimal(int(told["available_balance"])) / 100

    def prepare(self) -> None:
        """The groups by which nobody takes part too often, and the fee, which must be as study.yaml says."""
        self._check_fee()
        self._ready()

    def took_part(self, participant: str) -> None:
        """Keep a participant from taking another place; he is told nothing."""
        self.all_took_part([participant])

    def all_took_part(self, participants: Sequence[str]) -> None:
        """Keep participants from taking another place; they are told nothing."""
        for first in range(0, len(participants), _BULK):
            self._put_in(self._ready().took_part, participants[first : first + _BULK])

    def exclude(self, participant: str) -> None:
        """Keep a participant from every study that is published from here in this workspace."""
        self._put_in(self._ready().excluded, [participant])

    def _check_fee(self) -> None:
        """Compare our fee with what Prolific itself reckons.

        Raises:
            StateError: they differ by a cent a place or more, or ours is the lower one.
        """
        pay = self._config.place.pay
        reward = int(pay * 100)
        if reward == 0:
            raise StateError("Prolific takes no study that pays nothing", where="study.yaml: place.pay")
        body = {"reward": reward, "total_available_places": _MANY}
        told = Decimal(
            str(self._call(lambda: self._client.post("study-cost-calculator/", body))["total_cost"])
        )
        theirs = told / 100 - pay * _MANY
        ours = fees.fee("prolific", pay, self._platform.fee_percent) * _MANY
        if not theirs <= ours < theirs + fees.CENT * _MANY:
            percent = (theirs / (pay * _MANY) * 100).quantize(Decimal("0.0001")).normalize()
            raise StateError(
                "Prolific's fee is another one",
                where="study.yaml: platform.fee_percent",
                got=f"{self._platform.fee_percent}",
                expected=f"{percent:f}, as Prolific reckons for this pay, its tax counted in",
            )

    def _in_workspace(self) -> str:
        if not self._workspace:
            self._workspace = self._platform.workspace or self._only_workspace()
        return self._workspace

    def _only_workspace(self) -> str:
        found = [str(item["id"]) for item in self._client.all("workspaces/")]
        if len(found) != 1:
            raise StateError(
                "it is not clear in which workspace the study belongs",
                where="study.yaml: platform.workspace",
                got=f"{len(found)} workspaces",
                expected=", ".join(found) or "a workspace of the account",
            )
        return found[0]

    def _existing_groups(self) -> dict[str, str]:
        rows = self._client.all("participant-groups/", workspace_id=self._in_workspace())
        return {str(row["name"]): str(row["id"]) for row in reversed(rows) if not row.get("is_deleted")}

    def _group(self, name: str, found: Mapping[str, str]) -> str:
        if name in found:
            return found[name]

        def once() -> str:
            before = self._existing_groups()
            if name in before:
                return before[name]
            body = {"name": name, "workspace_id": self._in_workspace(), "description": "Kept by posthoc."}
            return str(self._client.post("participant-groups/", body)["id"])

        return self._call(once)

    def _ready(self) -> Groups:
        if self._groups is None:
            found = self._call(self._existing_groups)
            self._groups = Groups(*(self._group(name, found) for name in (self._took_part, _EXCLUDED)))
        return self._groups

    def _put_in(self, group: str, participants: Sequence[str]) -> None:
        body = {"participant_ids": list(participants)}
        self._call(lambda: self._client.post(f"participant-groups/{group}/participants/", body))

    def _call(self, make: Callable[[], T]) -> T:
        return self._pacer.call(make)
