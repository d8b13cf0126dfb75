"""What we ask of Prolific: studies and their places, submissions, decisions and bonuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, NoReturn

from analysis.errors import StateError
from verifier.crowd import prolific_bonus, prolific_study
from verifier.crowd.base import Bonus, NotHandedInError, PlaceGoneError, Submission
from verifier.crowd.counted_base import Listed, Standing
from verifier.crowd.pacing import BusyError
from verifier.crowd.prolific_account import ProlificAccount
from verifier.crowd.prolific_client import GoneError, RefusedError
from verifier.crowd.prolific_study import DRAFT, OPEN, PUBLISHING

_BULK: Final = 100
_STATUS: Final = {
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "REJECTED": "rejected",
    "RETURNED": "returned",
    "TIMED-OUT": "timed out",
}


class ProlificRequester(ProlificAccount):
    """Publishes, reads, approves and pays on Prolific."""

    def create(self, token: str) -> str:
        """Draft the study that `token` names, or find the one that was made; drafts too many go."""
        return self._call(lambda: self._created(token))

    def existing(self) -> Mapping[str, str]:
        """Token -> study, of all studies of the account; of several, the one that is out, else the oldest."""
        found: dict[str, str] = {}
        for study in self._call(lambda: self._client.all("studies/")):
            name = str(study.get("internal_name") or "")
            token = name.rpartition(" ")[2]
            if token not in found or study["status"] != DRAFT:
                found[token] = str(study["id"])
        return found

    def standing(self, study: str) -> Standing:
        """How the study stands.

        Raises:
            PlaceGoneError: there is no such study any more.
        """
        return self._call(lambda: self._standing(study))

    def is_out(self, standing: Standing) -> bool:
        """Whether its places may cost something: a draft's do not."""
        return standing.status != DRAFT

    def set_places(self, study: str, total: int) -> None:
        """Have the study out with so many places in all; nothing happens if it is.

        Raises:
            PlaceGoneError: there is no such study any more.
            StateError: it has more places already than anybody published from here, or cannot have more.
        """
        self._call(lambda: self._set(study, total))

    def extend(self, platform_place: str, until: datetime) -> None:
        """Let people in again where the study stands still: paused, by somebody or by itself."""
        del until

        def once() -> None:
            if self._standing(platform_place).status in ("PAUSED", "AWAITING REVIEW", "COMPLETED"):
                self._transition(platform_place, "START")

        self._call(once)

    def close(self, platform_place: str) -> bool:
        """Stop the study for good; whether nobody is at work in it either."""

        def once() -> None:
            if self._standing(platform_place).status in ("COMPLETED", DRAFT):
                return
            try:
                self._transition(platform_place, "STOP")
            except RefusedError:
                # Stopped before, by us or by somebody: it has no other way to tell.
                if self._standing(platform_place).status == OPEN:
                    raise

        self._call(once)
        return all(row.status != "working" for row in self.listed(platform_place))

    def listed(self, study: str) -> list[Listed]:
        """All submissions of the study, from every page.

        Raises:
            PlaceGoneError: there is no such study any more.
        """
        self.standing(study)
        rows = self._call(lambda: self._client.all("submissions/", study=study))
        return [_listed(row) for row in rows]

    def working(self, study: str) -> set[str]:
        """The submissions of the study that are being worked on, from every page."""
        found = self._call(lambda: self._client.all("submissions/", study=study, status="ACTIVE"))
        return {str(row["id"]) for row in found}

    def submission(self, identifier: str) -> Listed | None:
        """One submission; None if Prolific has none of this id."""
        try:
            return _listed(self._call(lambda: self._client.get(f"submissions/{identifier}/")))
        except GoneError:
            return None

    def submissions(self, platform_place: str) -> Sequence[Submission]:
        """All that was handed in for the study."""
        return [
            Submission(row.participant, row.id, row.status)
            for row in self.listed(platform_place)
            if row.status in ("submitted", "approved", "rejected")
        ]

    def approve(self, platform_assignment: str) -> None:
        """Approve; one that is approved already, by us or by time, is left as it is."""
        path = f"submissions/{platform_assignment}/transition/"
        try:
            self._call(lambda: self._client.post(path, {"action": "APPROVE"}))
        except GoneError:
            raise NotHandedInError("Prolific has no such submission") from None
        except RefusedError:
            self._unless(platform_assignment, "approved", "rejected")

    def approve_all(self, study: str, identifiers: Sequence[str]) -> set[str]:
        """Approve many; those that are known to be approved now. Others were not handed in, or come later."""
        wanted, found = set(identifiers), dict[str, str]()
        for first in range(0, len(identifiers), _BULK):
            some = list(identifiers[first : first + _BULK])
            body = {"submission_ids": some}
            try:
                self._call(partial(self._client.post, "submissions/bulk-approve/", body))
            except (RefusedError, GoneError):
                self._one_by_one(some)
        # Prolific approves in the background: those that still wait are looked at again, ever later.
        for attempt in range(self._pacer.attempts):
            found = {row.id: row.status for row in self.listed(study) if row.id in wanted}
            if "submitted" not in found.values():
                break
            self._pacer.sleep(min(self._pacer.first * 2**attempt, self._pacer.longest))
        return {identifier for identifier, status in found.items() if status == "approved"}

    def reject(self, platform_assignment: str, category: str, feedback: str) -> None:
        """Pay nothing for what was handed in; nothing happens if that is done already."""
        body = {"action": "REJECT", "message": feedback, "rejection_category": category}
        try:
            self._call(lambda: self._client.post(f"submissions/{platform_assignment}/transition/", body))
        except GoneError:
            raise NotHandedInError("Prolific has no such submission") from None
        except RefusedError:
            self._unless(platform_assignment, "rejected", "approved")

    def override(self, platform_assignment: str, feedback: str) -> NoReturn:
        """Prolific has no way back from a rejection through its interface."""
        del platform_assignment, feedback
        raise StateError(
            "a rejection on Prolific cannot be taken back from here",
            remedy="Write to Prolific's support, or pay a bonus instead: posthoc bonus.",
        )

    def request_return(self, platform_assignment: str, reason: str) -> None:
        """Ask the participant to give the submission back; asked for again nothing happens."""

        def once() -> None:
            told = self._client.get(f"submissions/{platform_assignment}/")
            if told.get("return_requested") or told["status"] == "RETURNED":
                return
            self._client.post(
                f"submissions/{platform_assignment}/request-return/", {"request_return_reasons": [reason]}
            )

        try:
            self._call(once)
        except GoneError:
            raise NotHandedInError("Prolific has no such submission") from None

    def send_bonus(self, bonus: Bonus) -> None:
        """Pay a bonus, with a single call.

        Raises:
            UnknownOutcomeError: the answer to that call is lost, and Prolific does not show the bonus.
        """
        prolific_bonus.send(self._client, self._pacer, bonus)

    def bonus_sent(self, bonus: Bonus) -> bool | None:
        """Prolific cannot say: it names no bonus, and pays in the background."""
        del bonus
        return None

    def notify(self, participants: Sequence[str], subject: str, text: str) -> NoReturn:
        """Not offered: Prolific's messages are a conversation, which a person leads."""
        del participants, subject, text
        raise StateError("messages are written on Prolific's site")

    def delete(self, platform_place: str) -> NoReturn:
        """Prolific keeps what was published."""
        del platform_place
        raise StateError("Prolific keeps studies that were published")

    def _created(self, token: str) -> str:
        named = [
            study
            for study in self._client.all("studies/")
            if str(study.get("internal_name") or "").rpartition(" ")[2] == token
        ]
        # Lists tell the youngest first; the oldest is kept, unless another one is out.
        kept = next((study for study in named if study["status"] != DRAFT), named[-1] if named else None)
        for study in named:
            if study is not kept and study["status"] == DRAFT:
                self._client.delete(f"studies/{study['id']}/")
        if kept is not None:
            return str(kept["id"])
        body = prolific_study.draft(self._config, self._platform, self._key, token, self._ready())
        return str(self._client.post("studies/", body)["id"])

    def _standing(self, study: str) -> Standing:
        try:
            found = prolific_study.standing(self._client.get(f"studies/{study}/"))
        except GoneError:
            raise PlaceGoneError(
                "the study is not on Prolific any more",
                remedy="Close it here (posthoc close): the next publish makes another.",
            ) from None
        if found.status in PUBLISHING:
            raise BusyError("Prolific is still publishing the study", remedy="Run the same command again.")
        return found

    def _set(self, study: str, total: int) -> None:
        now = self._standing(study)
        if now.total > total and now.status != DRAFT:
            raise StateError(
                "the study has more places on Prolific than were published from here",
                got=f"{now.total} places there",
                expected=str(total),
                remedy="Somebody added places on the site: stop the study (posthoc close), then publish.",
            )
        if now.total != total:
            try:
                self._client.patch(f"studies/{study}/", {"total_available_places": total})
            except RefusedError as error:
                if "stopped" in error.detail:
                    raise _stopped() from None
                raise
        if now.status == DRAFT:
            self._transition(study, "PUBLISH")
        after = self._standing(study)
        if after.status != OPEN and after.taken < after.total:
            try:
                self._transition(study, "START")
            except RefusedError:
                raise _stopped() from None

    def _transition(self, study: str, action: str) -> None:
        self._client.post(f"studies/{study}/transition/", {"action": action})

    def _unless(self, identifier: str, wanted: str, other: str) -> None:
        """Accept a refusal if what was wanted is so already.

        Raises:
            StateError: the other was decided.
            NotHandedInError: nothing is handed in.
        """
        found = self.submission(identifier)
        if found is not None and found.status == wanted:
            return
        if found is not None and found.status == other:
            raise StateError(f"the submission was {other} on Prolific", remedy="That stands: leave it.")
        raise NotHandedInError("the submission is not handed in on Prolific")

    def _one_by_one(self, identifiers: Sequence[str]) -> None:
        """Approve those that can be, where Prolific refused all of them together."""
        for identifier in identifiers:
            try:
                self.approve(identifier)
            except BusyError:
                raise
            except StateError:
                continue  # it is not among those that are told to be approved


def _listed(row: Mapping[str, Any]) -> Listed:
    return Listed(
        participant=str(row.get("participant") or row.get("participant_id") or ""),
        id=str(row["id"]),
        status=_STATUS.get(str(row["status"]), "working"),
        code=str(row.get("entered_code") or row.get("study_code") or ""),
        asked_back=bool(row.get("return_requested")),
    )


def _stopped() -> StateError:
    return StateError(
        "the study was stopped on Prolific, for good",
        remedy="Close it here too (posthoc close): the next publish makes another.",
    )
