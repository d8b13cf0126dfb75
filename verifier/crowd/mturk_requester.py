"""Our account at MTurk: every call that we make there, through boto3."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import boto3  # type: ignore[import-untyped]  # ships no types
from botocore.config import Config  # type: ignore[import-untyped]  # the same
from botocore.exceptions import (  # type: ignore[import-untyped]  # the same
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
)

from analysis.errors import StateError
from verifier.config import MTurkPlatform, StudyConfig
from verifier.crowd import mturk_terms as terms
from verifier.crowd.base import Bonus, NotHandedInError, PlaceGoneError, Submission
from verifier.crowd.pacing import BusyError, Pacer

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

T = TypeVar("T")
_REGION: Final = "us-east-1"
_ENDPOINTS: Final = {
    "sandbox": "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
    "production": "https://mturk-requester.us-east-1.amazonaws.com",
}
_PAGE: Final = 100
_MOST_NOTIFIED: Final = 100
_HOUR: Final = 3600
_BUSY: Final = frozenset({"ThrottlingException", "Throttling", "RequestThrottled", "ServiceUnavailable"})
_KEYS: Final = frozenset(
    {
        "UnrecognizedClientException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "IncompleteSignature",
        "MissingAuthenticationToken",
        "AccessDeniedException",
        "AccessDenied",
        "ExpiredTokenException",
    }
)
_HIT_ID: Final = re.compile(r"\b[A-Z0-9]{20,64}\b")
_SERVER_ERROR: Final = 500


class MTurkRequester:
    """Our account at MTurk, in one environment.

    Args:
        config: of the study.
        environment: local, sandbox or production.
        nonce: of the study, so that two studies of one name do not share a qualification.
        pacer: how calls are made again.
    """

    def __init__(
        self, config: StudyConfig, platform: MTurkPlatform, environment: str, nonce: str, pacer: Pacer
    ) -> None:
        self._config, self._platform, self._pacer = config, platform, pacer
        mark = hashlib.sha256(nonce.encode()).hexdigest()[:8]
        self._took_part_name = f"took part in {config.study.name} {mark}"
        self._client = _client(platform, environment)
        self._kind = ""
        self._took_part = ""
        self._excluded = ""

    def balance(self) -> Decimal:
        """What the account may still spend."""
        return Decimal(self._call(self._client.get_account_balance)["AvailableBalance"])

    def prepare(self) -> None:
        """The qualifications that keep workers away, and the HIT type; the same each time."""
        self._took_part = self._qualification(
            self._took_part_name, "Whoever has it has taken part in this study already."
        )
        self._excluded = self._qualification(terms.EXCLUDED, "Whoever has it is not invited to our studies.")
        given = terms.hit_type(self._config.place, self._platform, [self._took_part, self._excluded])
        self._kind = self._call(lambda: self._client.create_hit_type(**given))["HITTypeId"]

    def create(self, token: str) -> str:
        """Make the HIT that `token` names, or find it if it was made within a day."""
        seconds = round(self._platform.lifetime_hours * _HOUR)
        try:
            made = self._call(
                lambda: self._client.create_hit_with_hit_type(
                    HITTypeId=self._kind,
                    MaxAssignments=1,
                    LifetimeInSeconds=seconds,
                    Question=terms.question(self._config.server.public_url or "", self._platform),
                    RequesterAnnotation=token,
                    UniqueRequestToken=token,
                )
            )
        except _ExistsError as exists:
            return exists.identifier
        return made["HIT"]["HITId"]

    def existing(self) -> Mapping[str, str]:
        """Token -> HIT, of all HITs that are not deleted."""
        hits = self._all(self._client.list_hits, "HITs", {})
        return {hit["RequesterAnnotation"]: hit["HITId"] for hit in hits if "RequesterAnnotation" in hit}

    def extend(self, platform_place: str, until: datetime) -> None:
        """Put the HIT's end off."""
        self._call(lambda: self._client.update_expiration_for_hit(HITId=platform_place, ExpireAt=until))

    def close(self, platform_place: str) -> bool:
        """End the HIT now; whether nobody is at work in it, and nothing was handed in."""
        past = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
        self.extend(platform_place, past)
        hit = self._call(lambda: self._client.get_hit(HITId=platform_place))["HIT"]
        return not hit["NumberOfAssignmentsPending"] and not self.submissions(platform_place)

    def submissions(self, platform_place: str) -> Sequence[Submission]:
        """The HIT's assignments that were handed in, from every page."""
        rows = self._all(self._client.list_assignments_for_hit, "Assignments", {"HITId": platform_place})
        return [
            Submission(row["WorkerId"], row["AssignmentId"], row["AssignmentStatus"].lower()) for row in rows
        ]

    def approve(self, platform_assignment: str) -> None:
        """Approve; one that is approved already, by us or by time, is left as it is."""
        try:
            self._call(lambda: self._client.approve_assignment(AssignmentId=platform_assignment))
        except _WrongStateError:
            if self._state(platform_assignment) != "Approved":
                raise StateError(
                    "the assignment was rejected on MTurk",
                    remedy="A person may override that: posthoc review STUDY --override NUMBER",
                ) from None

    def took_part(self, participant: str) -> None:
        """Grant the qualification that keeps him from taking another place; he is told nothing."""
        self._grant(self._took_part, participant)

    def exclude(self, participant: str) -> None:
        """Grant the qualification that keeps him from all our studies: a block would harm him."""
        self._excluded = self._excluded or self._qualification(
            terms.EXCLUDED, "Whoever has it is not invited to our studies."
        )
        self._grant(self._excluded, participant)

    def reject(self, platform_assignment: str, _category: str, feedback: str) -> None:
        """Reject; MTurk knows no categories."""
        try:
            self._call(
                lambda: self._client.reject_assignment(
                    AssignmentId=platform_assignment, RequesterFeedback=feedback
                )
            )
        except _WrongStateError:
            if self._state(platform_assignment) != "Rejected":
                raise StateError("the assignment was approved on MTurk, which cannot be undone") from None

    def override(self, platform_assignment: str, feedback: str) -> None:
        """Approve what was rejected: MTurk allows it for 30 days, as long as the HIT is not deleted."""
        try:
            self._call(
                lambda: self._client.approve_assignment(
                    AssignmentId=platform_assignment, RequesterFeedback=feedback, OverrideRejection=True
                )
            )
        except _WrongStateError:
            if self._state(platform_assignment) != "Approved":
                raise StateError(
                    "MTurk no longer lets this rejection be overridden",
                    expected="within 30 days, and before the HIT is deleted",
                    remedy="Pay the worker by a bonus: posthoc bonus STUDY FILE",
                ) from None

    def request_return(self, _platform_assignment: str, _reason: str) -> None:
        """MTurk has no such thing."""
        raise StateError("MTurk cannot ask for work to be given back")

    def send_bonus(self, bonus: Bonus) -> None:
        """Pay a bonus; one that was paid with this token within a day is not paid again."""
        try:
            self._call(
                lambda: self._client.send_bonus(
                    WorkerId=bonus.participant,
                    AssignmentId=bonus.platform_assignment,
                    BonusAmount=f"{bonus.amount:.2f}",
                    Reason=bonus.reason,
                    UniqueRequestToken=bonus.token,
                )
            )
        except _RepeatedError:
            return

    def bonus_sent(self, bonus: Bonus) -> bool | None:
        """Whether MTurk lists a bonus for this assignment with this amount and reason."""
        asked = {"AssignmentId": bonus.platform_assignment}
        return any(
            Decimal(paid["BonusAmount"]) == bonus.amount and paid["Reason"] == bonus.reason
            for paid in self._all(self._client.list_bonus_payments, "BonusPayments", asked)
        )

    def notify(self, participants: Sequence[str], subject: str, text: str) -> int:
        """Send a message to workers who have worked for us; how many could not be reached."""
        failed = 0
        for start in range(0, len(participants), _MOST_NOTIFIED):
            some = list(participants[start : start + _MOST_NOTIFIED])
            told = self._call(
                partial(self._client.notify_workers, Subject=subject, MessageText=text, WorkerIds=some)
            )
            failed += len(told["NotifyWorkersFailureStatuses"])
        return failed

    def delete(self, platform_place: str) -> bool:
        """Delete a HIT that is Reviewable and wholly decided; False if it is not."""
        try:
            self._call(lambda: self._client.delete_hit(HITId=platform_place))
        except _WrongHitStateError:
            return False
        return True

    def _state(self, platform_assignment: str) -> str:
        told = self._call(lambda: self._client.get_assignment(AssignmentId=platform_assignment))
        return told["Assignment"]["AssignmentStatus"]

    def _grant(self, qualification: str, participant: str) -> None:
        self._call(
            lambda: self._client.associate_qualification_with_worker(
                QualificationTypeId=qualification,
                WorkerId=participant,
                IntegerValue=1,
                SendNotification=False,
            )
        )

    def _qualification(self, name: str, description: str) -> str:
        """One of our qualifications, made if it is not there."""
        wanted = {"Query": name, "MustBeRequestable": False, "MustBeOwnedByCaller": True}
        for known in self._all(self._client.list_qualification_types, "QualificationTypes", wanted):
            if known["Name"] == name:
                return str(known["QualificationTypeId"])
        made = self._call(
            lambda: self._client.create_qualification_type(
                Name=name, Description=description, QualificationTypeStatus="Active"
            )
        )
        return made["QualificationType"]["QualificationTypeId"]

    def _all(self, operation: Callable[..., Any], name: str, given: Mapping[str, Any]) -> list[Any]:
        """The items of every page, to the last one, which may be empty."""
        items: list[Any] = []
        token: dict[str, str] = {}
        while True:
            asked = {**given, **token, "MaxResults": _PAGE}
            page = self._call(partial(operation, **asked))
            items += page[name]
            if not page.get("NextToken"):
                return items
            token = {"NextToken": page["NextToken"]}

    def _call(self, make: Callable[[], T]) -> T:
        return self._pacer.call(lambda: _made(make))


class _ExistsError(StateError):
    """The platform says that what a token names was made before."""

    def __init__(self, identifier: str) -> None:
        super().__init__("it exists already")
        self.identifier = identifier


class _RepeatedError(StateError):
    """The platform says that what a token names was done before."""


class _WrongStateError(StateError):
    """The assignment is decided already."""


class _WrongHitStateError(StateError):
    """The HIT is not in a state for this."""


def _client(platform: MTurkPlatform, environment: str) -> MTurkClient:
    # boto3's own retries would come on top of the pacer's.
    once = Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=30)
    if environment == "local":
        keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        address: str | None = platform.endpoint_url
    else:
        keys = {}
        address = _ENDPOINTS[environment]
        if environment == "production" and platform.production_url:
            address = platform.production_url
    client: MTurkClient = boto3.client(
        "mturk", region_name=_REGION, endpoint_url=address, config=once, **keys
    )
    return client


def _made(make: Callable[[], T]) -> T:
    """Make a call, and say in our words what went wrong. Messages of the platform may hold ids: not told."""
    try:
        return make()
    except ClientError as error:
        raise _refusal(error) from None
    except (NoCredentialsError, PartialCredentialsError):
        raise StateError(
            "there are no credentials for MTurk",
            remedy="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in AWS_PROFILE.",
        ) from None
    except BotoCoreError as error:
        raise BusyError(
            "MTurk cannot be reached",
            got=type(error).__name__,
            remedy="Nothing is lost: run the same command again.",
        ) from None


def _refusal(error: ClientError) -> StateError:
    refusal: StateError
    told = error.response
    code = str(told.get("TurkErrorCode") or told["Error"].get("Code") or "").rpartition(".")[2]
    kind = str(told["Error"].get("Code"))
    if code == "HitAlreadyExists" and (found := _HIT_ID.search(str(told["Error"].get("Message")))):
        return _ExistsError(found[0])
    if code == "RequestAlreadyExists":
        return _RepeatedError("it was done before")
    if _BUSY & {code, kind} or told["ResponseMetadata"]["HTTPStatusCode"] >= _SERVER_ERROR:
        return BusyError(
            "MTurk is busy", got=code or kind, remedy="Nothing is lost: run the same command again later."
        )
    if _KEYS & {code, kind}:
        return StateError(
            "MTurk does not accept the credentials",
            got=kind,
            remedy="Check the access key, its secret, and that the account is linked to MTurk.",
        )
    match code:
        case "InvalidAssignmentState":
            refusal = _WrongStateError("the assignment is decided already")
        case "InvalidHITState":
            refusal = _WrongHitStateError("the HIT is not in a state for this")
        case "AssignmentDoesNotExist":
            refusal = NotHandedInError("MTurk has no such assignment that was handed in")
        case "HITDoesNotExist":
            refusal = PlaceGoneError("MTurk has no such HIT any more")
        case "InsufficientFunds":
            remedy = "Add money, and run this again."
            refusal = StateError("the MTurk account has too little money", remedy=remedy)
        case _:
            refusal = StateError("MTurk refused the call", got=f"{error.operation_name}: {code or kind}")
    return refusal
