"""Policies: named sets of analysis choices, as declared data, each of which can be overridden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Final

from analysis.errors import ConfigError, plain


@dataclass(frozen=True)
class Choice:
    """A choice: its allowed values, and those known by name that are refused here, with the reason."""

    name: str
    question: str
    values: tuple[str, ...]
    refused: Mapping[str, str]


CHOICES: Final[dict[str, Choice]] = {
    choice.name: choice
    for choice in (
        Choice("pooling", "whose judgments speak for an annotation", ("own", "item"), {}),
        Choice(
            "resolution",
            "how several judgments become one value",
            ("share", "majority", "first", "unanimous", "weighted"),
            {},
        ),
        Choice("union_edits", "do edited targets enter the union", ("no", "yes"), {}),
        Choice("scope", "what part of the study the union is taken over", ("all", "shared"), {}),
        Choice(
            "recall_union",
            "what recall and F1 count in the union",
            ("distinct", "groups", "thinned", "greedy"),
            {},
        ),
        Choice("hits", "what a true positive of the posthoc scores is", ("own", "weak"), {}),
        Choice(
            "matching", "how annotations are paired with the ground truth", ("one_to_one", "many_to_one"), {}
        ),
        Choice("gate", "who is left out", ("assignment", "worker", "none"), {}),
        Choice("use", "which counted judgments enter", ("all", "first_k"), {}),
    )
}

INTERVALS: Final = (
    "jackknife",
    "percentile",
    "basic",
    "bca",
    "korn_graubard",
    "wilson",
    "clopper_pearson",
    "hits",
)


@dataclass(frozen=True)
class Policy:
    """A named set of choices (docs/definitions.md section 1).

    Attributes:
        name: `paper`, `original`, `recommended`; an overridden one is `name+choice=value`.
        pooling: own | item.
        resolution: share | majority | first | unanimous | weighted.
        union_edits: no | yes.
        scope: all | shared.
        recall_union: distinct | groups | thinned | greedy.
        hits: own | weak.
        matching: one_to_one | many_to_one.
        gate: assignment | worker | none.
        use: all | first_k.
        interval: jackknife (two-way where workers count), percentile, basic, bca (of documents),
            or hits (resampled 0/1 hits, as published).
        level: of the interval.
        unit_clusters: whether percentile intervals resample annotations (rates) and items (union), as the
            paper did, and not documents.
    """

    name: str
    pooling: str
    resolution: str
    union_edits: str
    scope: str
    recall_union: str
    hits: str
    matching: str
    gate: str
    use: str
    interval: str
    level: float
    unit_clusters: bool

    @property
    def choices(self) -> dict[str, str]:
        """Every choice by name: what reports print and manifests keep."""
        return {name: getattr(self, name) for name in CHOICES}

    @property
    def signature(self) -> str:
        """One line that says every choice."""
        parts = [f"{name}={value}" for name, value in self.choices.items()]
        return "|".join([self.name, *parts, f"interval={self.interval}", f"level={self.level:g}"])

    def override(self, changes: Mapping[str, str]) -> Policy:
        """The policy with some choices changed; its name says which differ.

        Raises:
            ConfigError: an unknown choice or value, or a value that is refused here.
        """
        for name, value in changes.items():
            _check(name, value)
        real = {name: value for name, value in changes.items() if getattr(self, name) != value}
        if not real:
            return self
        label = "+".join([self.name, *(f"{name}={real[name]}" for name in CHOICES if name in real)])
        return replace(self, name=label, **real)  # type: ignore[arg-type]  # all choices are text


POLICIES: Final[dict[str, Policy]] = {
    policy.name: policy
    for policy in (
        Policy(
            name="paper",
            pooling="own",
            resolution="first",
            union_edits="no",
            scope="all",
            recall_union="thinned",
            hits="own",
            matching="one_to_one",
            gate="assignment",
            use="all",
            interval="percentile",
            level=0.95,
            unit_clusters=True,
        ),
        Policy(
            name="original",
            pooling="own",
            resolution="first",
            union_edits="yes",
            scope="shared",
            recall_union="greedy",
            hits="weak",
            matching="many_to_one",
            gate="worker",
            use="all",
            interval="hits",
            level=0.90,
            unit_clusters=True,
        ),
        Policy(
            name="recommended",
            pooling="item",
            resolution="share",
            union_edits="no",
            scope="all",
            recall_union="distinct",
            hits="own",
            matching="one_to_one",
            gate="assignment",
            use="all",
            interval="jackknife",
            level=0.95,
            unit_clusters=False,
        ),
    )
}
DEFAULT_POLICY: Final = "recommended"


def get_policy(policy: str | Policy, overrides: Mapping[str, str] | None = None) -> Policy:
    """A policy by name (or itself), with choices overridden.

    Raises:
        ConfigError: there is no such policy, choice or value.
    """
    if isinstance(policy, str):
        if policy not in POLICIES:
            raise ConfigError("no such policy", got=plain(policy), expected=", ".join(POLICIES))
        policy = POLICIES[policy]
    return policy.override(overrides or {})


def parse_overrides(words: Iterable[str]) -> dict[str, str]:
    """`CHOICE=VALUE` words as a mapping; the last word of a choice wins.

    Raises:
        ConfigError: a word without `=`, an unknown choice or value.
    """
    out: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ConfigError("not a choice", got=plain(word), expected="CHOICE=VALUE", where="--set")
        _check(name, value)
        out[name] = value
    return out


def _check(name: str, value: str) -> None:
    choice = CHOICES.get(name)
    if choice is None:
        raise ConfigError("no such choice", got=plain(name), expected=", ".join(CHOICES), where="--set")
    if value in choice.refused:
        raise ConfigError(
            f"{name}={value} is not offered: {choice.refused[value]}",
            where="--set",
            expected=" or ".join(choice.values),
        )
    if value not in choice.values:
        raise ConfigError(
            f"no such value of {name}", where="--set", got=plain(value), expected=" or ".join(choice.values)
        )


if tuple(field.name for field in fields(Policy))[1:10] != tuple(CHOICES):
    raise RuntimeError("Policy and CHOICES name different choices")
