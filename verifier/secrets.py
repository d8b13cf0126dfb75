"""A study's secrets: random at `init`, in secrets.env (0600); the environment wins over the file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final

from analysis.errors import ConfigError, Problem

FILE: Final = "secrets.env"
MODE: Final = 0o600
_BYTES = 32
_LEAST = 16  # characters; what a person sets must not be guessable either


@dataclass(frozen=True)
class Secrets:
    """What must not be known outside.

    Attributes:
        signing: signs the dashboard's session.
        pseudonym: keys the HMAC by which a platform's worker is found again.
        admin: opens the dashboard.
    """

    signing: str = field(repr=False)
    pseudonym: str = field(repr=False)
    admin: str = field(repr=False)

    @classmethod
    def random(cls) -> Secrets:
        """Fresh secrets from the system's random source."""
        return cls(*(secrets.token_urlsafe(_BYTES) for _ in fields(cls)))


def variable(name: str) -> str:
    """The environment variable that holds the secret `name`."""
    return f"POSTHOC_{name.upper()}_SECRET"


def write_secrets(folder: Path, values: Secrets) -> Path:
    """Write secrets.env so that only its owner can read it, from the first byte on."""
    path = folder / FILE
    lines = [f"{variable(item.name)}={getattr(values, item.name)}\n" for item in fields(values)]
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines(["# The study's secrets. Keep this file out of version control.\n", *lines])
    return path


def read_secrets(folder: Path, environment: Mapping[str, str] | None = None) -> Secrets:
    """The study's secrets, from the environment first, then from secrets.env.

    Raises:
        ConfigError: a secret is missing or too short; all faults are listed.
    """
    environment = os.environ if environment is None else environment
    path = folder / FILE
    stored = _parse(path) if path.exists() else {}
    found, faults = {}, []
    for item in fields(Secrets):
        label = variable(item.name)
        value = environment.get(label) or stored.get(label, "")
        found[item.name] = value
        if len(value) < _LEAST:
            what = f"{label} is too short" if value else f"{label} is missing"
            remedy = f"Set it in {path} or in the environment."
            faults.append(Problem(what, str(path), expected=f"{_LEAST} characters or more", remedy=remedy))
    if faults:
        raise ConfigError.of(faults)
    return Secrets(**found)


def platform_token(folder: Path, name: str, environment: Mapping[str, str] | None = None) -> str:
    """A token that opens an account at a platform, from the environment first, then from secrets.env.

    Returns:
        The token; empty if there is none.
    """
    environment = os.environ if environment is None else environment
    path = folder / FILE
    stored = _parse(path) if path.exists() else {}
    return (environment.get(name) or stored.get(name, "")).strip()


def _parse(path: Path) -> dict[str, str]:
    """The NAME=value lines of an env file; comments and empty lines are skipped."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The value itself is not repeated: it is a secret.
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            "not UTF-8 text", where=f"{path}:{line}", remedy="Save the file as UTF-8."
        ) from None
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}
