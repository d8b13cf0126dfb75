"""What a HIT asks: the XML of an ExternalQuestion or an HTMLQuestion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from verifier.crowd.localmturk.errors import invalid

_SCHEMAS: Final = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
EXTERNAL: Final = f"{_SCHEMAS}2006-07-14/ExternalQuestion.xsd"
HTML: Final = f"{_SCHEMAS}2011-11-11/HTMLQuestion.xsd"
_LONGEST: Final = 65535
_OWN_HOSTS: Final = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Question:
    """What stands in the frame: an address or a page, and how high the frame is (0: as the window)."""

    url: str | None
    html: str | None
    height: int


def read(xml: str) -> Question:
    """The question.

    Assumed: an address on this machine need not be https, which on MTurk every address must be.
    """
    if len(xml.encode()) > _LONGEST:
        raise invalid(f"A Question has at most {_LONGEST} bytes.")
    try:
        root = fromstring(xml)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise invalid(f"The Question is not valid XML: {error}.") from None
    namespace = root.tag[1:].partition("}")[0] if root.tag.startswith("{") else ""
    texts = {child.tag.removeprefix(f"{{{namespace}}}"): child.text or "" for child in root}
    height = texts.get("FrameHeight", "").strip()
    if not (height.isascii() and height.isdecimal() and len(height) < 6):  # noqa: PLR2004 - no screen is higher
        raise invalid("The Question needs a FrameHeight, a whole number.")
    if root.tag == f"{{{EXTERNAL}}}ExternalQuestion" and set(texts) == {"ExternalURL", "FrameHeight"}:
        return Question(_address(texts["ExternalURL"].strip()), None, int(height))
    if root.tag == f"{{{HTML}}}HTMLQuestion" and set(texts) == {"HTMLContent", "FrameHeight"}:
        return Question(None, texts["HTMLContent"], int(height))
    raise invalid("The Question is no ExternalQuestion and no HTMLQuestion, which are what is served here.")


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise invalid("The ExternalURL is no address.") from None
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _OWN_HOSTS):
        raise invalid("The ExternalURL must be https.")
    if not parts.hostname:
        raise invalid("The ExternalURL names no host.")
    return url
