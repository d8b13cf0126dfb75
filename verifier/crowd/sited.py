"""What platforms have in common whose workers come from a site of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from analysis.errors import InputError


class Hosted:
    """A platform with a site for each environment, to which the last page leads back.

    Attributes:
        sites: environment -> address.
    """

    def __init__(self, sites: Mapping[str, str]) -> None:
        self.sites = sites

    @property
    def needs_participant(self) -> bool:
        """The platform knows who is logged in."""
        return False

    @property
    def partners(self) -> tuple[str, ...]:
        """The sites of every environment: a server runs before it is known where the study is published."""
        parts = map(urlsplit, self.sites.values())
        return tuple(f"{site.scheme}://{site.netloc}" for site in parts)


def unknown(parameters: str, platform: str, remedy: str) -> InputError:
    """The error where a link does not name who came; its values, which may be an id, are not repeated."""
    return InputError(
        "the link does not say who you are",
        where=parameters,
        expected=f"what {platform} puts there",
        remedy=remedy,
    )
