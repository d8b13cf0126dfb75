"""What study.yaml names and must be there: the controls' file and the texts that workers read."""

from __future__ import annotations

from pathlib import Path

from analysis.errors import ConfigError, Problem
from verifier.config import StudyConfig
from verifier.web.languages import Languages


def check_files(folder: Path, config: StudyConfig) -> None:
    """Look for everything that the configuration names.

    Args:
        folder: of the study.
        config: its configuration.

    Raises:
        ConfigError: naming all that is missing or cannot be read.
    """
    faults = []
    given = config.controls.file
    if given is not None and not (folder / given).is_file():
        faults.append(
            Problem(
                "there is no such file",
                "study.yaml: controls.file",
                got=str(given),
                remedy="Put it into the study's folder, or leave controls.file out.",
            )
        )
    try:
        Languages(folder, config)
    except ConfigError as error:
        faults += error.problems
    if faults:
        raise ConfigError.of(faults)
