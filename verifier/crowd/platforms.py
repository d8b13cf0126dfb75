"""Which adapter a study's platform has."""

from __future__ import annotations

from verifier.config import StudyConfig
from verifier.crowd.base import Adapter
from verifier.crowd.link import LinkAdapter


def adapter_of(config: StudyConfig) -> Adapter:
    """The adapter of the platform that study.yaml names."""
    return LinkAdapter(config.platform)
