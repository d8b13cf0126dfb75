"""Which adapter a study's platform has."""

from __future__ import annotations

from verifier.config import LinkPlatform, ProlificPlatform, StudyConfig
from verifier.crowd.base import Adapter
from verifier.crowd.link import LinkAdapter
from verifier.crowd.mturk import MTurkAdapter
from verifier.crowd.prolific import ProlificAdapter


def adapter_of(config: StudyConfig) -> Adapter:
    """The adapter of the platform that study.yaml names."""
    if isinstance(config.platform, LinkPlatform):
        return LinkAdapter(config.platform)
    if isinstance(config.platform, ProlificPlatform):
        return ProlificAdapter(config.platform)
    return MTurkAdapter(config.platform)
