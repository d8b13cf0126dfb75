"""What our HITs say: the HIT type's terms, who may take them, and the question in the frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from verifier import resources
from verifier.plan.draw import ALLOWANCE

if TYPE_CHECKING:
    from mypy_boto3_mturk.type_defs import CreateHITTypeRequestTypeDef as HitType
    from mypy_boto3_mturk.type_defs import QualificationRequirementTypeDef as Requirement

    from verifier.config import MTurkPlatform, PlaceSection

# One for all studies of an account: who has it is invited to none of them.
EXCLUDED: Final = "excluded from our posthoc studies"
_SCHEMAS: Final = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
_EXTERNAL: Final = f"{_SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
_HTML: Final = f"{_SCHEMAS}/2011-11-11/HTMLQuestion.xsd"
_LOCALE: Final = "00000000000000000071"
_APPROVED: Final = "00000000000000000040"
_PERCENT: Final = "000000000000000000L0"
_HOUR: Final = 3600
_LEAST_SECONDS: Final = 30


def hit_type(place: PlaceSection, platform: MTurkPlatform, without: Sequence[str]) -> HitType:
    """The terms of our HITs; who has one of the qualifications `without` does not even see them."""
    return {
        "Title": platform.title,
        "Description": platform.description,
        "Keywords": platform.keywords,
        "Reward": f"{place.pay:.2f}",
        "AssignmentDurationInSeconds": max(_LEAST_SECONDS, round(place.minutes * 60 * ALLOWANCE)),
        "AutoApprovalDelayInSeconds": round(platform.auto_approval_hours * _HOUR),
        "QualificationRequirements": _requirements(platform, without),
    }


def question(public_url: str, platform: MTurkPlatform) -> str:
    """The XML of the question: our entry link in the frame, or a page there that opens it in a window."""
    address, height = f"{public_url.rstrip('/')}/start", platform.frame_height
    if platform.question == "external":
        return (
            f'<ExternalQuestion xmlns="{_EXTERNAL}"><ExternalURL>{escape(address)}</ExternalURL>'
            f"<FrameHeight>{height}</FrameHeight></ExternalQuestion>"
        )
    html = resources.folder("hit_templates").joinpath("question.html").read_text(encoding="utf-8")
    page = html.replace("{{ address }}", escape(address, {'"': "&quot;"})).replace("]]>", "]]&gt;")
    return (
        f'<HTMLQuestion xmlns="{_HTML}"><HTMLContent><![CDATA[{page}]]></HTMLContent>'
        f"<FrameHeight>{height}</FrameHeight></HTMLQuestion>"
    )


def _requirements(platform: MTurkPlatform, without: Sequence[str]) -> list[Requirement]:
    rules: list[Requirement] = [
        {
            "QualificationTypeId": qualification,
            "Comparator": "DoesNotExist",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        }
        for qualification in without
    ]
    least = ((_PERCENT, platform.min_approved_percent), (_APPROVED, platform.min_approved_hits))
    for kind, value in least:
        if value is not None:
            rules.append(
                {
                    "QualificationTypeId": kind,
                    "Comparator": "GreaterThanOrEqualTo",
                    "IntegerValues": [value],
                    "ActionsGuarded": "Accept",
                }
            )
    if platform.countries:
        rules.append(
            {
                "QualificationTypeId": _LOCALE,
                "Comparator": "In",
                "LocaleValues": [{"Country": country} for country in platform.countries],
                "ActionsGuarded": "Accept",
            }
        )
    return rules
