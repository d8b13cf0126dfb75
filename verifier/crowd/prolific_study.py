"""The study on Prolific: what it is made with, and how it stands."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from verifier.config import ProlificPlatform, StudyConfig
from verifier.crowd import codes
from verifier.crowd.counted_base import Standing
from verifier.crowd.prolific import PARAMETERS
from verifier.plan.draw import ALLOWANCE

DRAFT: Final = "UNPUBLISHED"
PUBLISHING: Final = ("PUBLISHING", "SCHEDULED", "PROCESSING")
OPEN: Final = "ACTIVE"
_MARK: Final = 12
_TYPES: Final = {
    codes.COMPLETED: "COMPLETED",
    codes.FAILED_CHECK: "FAILED_ATTENTION_CHECK",
    codes.NO_CONSENT: "NO_CONSENT",
    codes.NOTHING_LEFT: "OTHER",
}
_BACK: Final = {
    codes.NO_CONSENT: "You did not agree to take part. Please return your submission.",
    codes.NOTHING_LEFT: "There is no work left for you in this study. Please return your submission.",
}


@dataclass(frozen=True)
class Groups:
    """Prolific's ids of our groups: who took part in this study, and who is not invited to any."""

    took_part: str
    excluded: str


def mark(nonce: str) -> str:
    """What tells our study from others of the account."""
    return hashlib.sha256(nonce.encode()).hexdigest()[:_MARK]


def internal_name(config: StudyConfig, token: str) -> str:
    """What the study is called for its researchers; it ends with the token by which it is found again."""
    return f"{config.study.name} {token}"


def draft(
    config: StudyConfig, platform: ProlificPlatform, key: str, token: str, groups: Groups
) -> dict[str, Any]:
    """What the study is made with; its places come when it is published.

    Every code lets a person review: nothing is paid before a person has approved it.
    """
    place = config.place
    body = {
        "name": platform.title,
        "internal_name": internal_name(config, token),
        "description": platform.description,
        "external_study_url": _address(config),
        "prolific_id_option": "url_parameters",
        "completion_codes": [_code(outcome, key) for outcome in codes.OUTCOMES],
        "total_available_places": 1,
        "estimated_completion_time": max(1, round(place.minutes)),
        "maximum_allowed_time": max(2, round(place.minutes * ALLOWANCE)),
        "reward": int(place.pay * 100),
        "device_compatibility": list(platform.devices),
        "peripheral_requirements": [],
        "filters": [
            *(
                {**kept.model_dump(), "selected_values": list(kept.selected_values)}
                for kept in platform.filters
            ),
            {
                "filter_id": "participant_group_blocklist",
                "selected_values": [groups.took_part, groups.excluded],
            },
        ],
        "submissions_config": {
            "max_submissions_per_participant": platform.submissions_per_participant,
            "max_concurrent_submissions": -1,
        },
    }
    return body | ({"project": platform.project} if platform.project else {})


def standing(told: dict[str, Any]) -> Standing:
    """How a study stands, as Prolific tells it."""
    return Standing(
        str(told["status"]), int(told["total_available_places"]), int(told.get("places_taken") or 0)
    )


def _address(config: StudyConfig) -> str:
    query = "&".join(f"{name}={{{{%{name}%}}}}" for name in PARAMETERS)
    return f"{(config.server.public_url or '').rstrip('/')}/start?{query}"


def _code(outcome: str, key: str) -> dict[str, Any]:
    if outcome in _BACK:
        action: dict[str, Any] = {"action": "REQUEST_RETURN", "return_reason": _BACK[outcome]}
    else:
        action = {"action": "MANUALLY_REVIEW"}
    return {
        "code": codes.code(key, outcome),
        "code_type": _TYPES[outcome],
        "actions": [action],
        "actor": "participant",
    }
