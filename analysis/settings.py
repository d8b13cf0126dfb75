"""What an analysis was asked for: everything but the input, so that it can be done again to the byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from types import UnionType
from typing import Any, Final, Literal

from analysis.errors import ConfigError, InputError, plain
from analysis.own_words import Words, checked
from analysis.policy import DEFAULT_POLICY, Policy, get_policy

Figures = Literal["svg", "all", "none"]
# Beyond these an interval is a word for "nothing is known" or needs more digits than there are.
LEVELS: Final = (0.5, 0.9999)
FIGURES: Final[tuple[Figures, ...]] = ("svg", "all", "none")
GROUPINGS: Final = ("entity_type", "document", "mention_length", "confidence_bin", "worker", "given_type")


# What each setting is in a manifest.
_KEPT: Final[Mapping[str, type | UnionType]] = {
    "policies": list,
    "overrides": Mapping,
    "level": float | int | None,
    "interval": str | None,
    "cluster": str | None,
    "replicates": int,
    "seed": int,
    "gt": str | None,
    "figures": str,
    "margin": float | None,
    "by": list,
    "columns": Mapping,
    "values": Mapping,
}

# Settings that older outputs do not name, and what they were then.
_ADDED: Final[Mapping[str, Any]] = {"margin": None, "by": [], "columns": {}, "values": {}}

# Settings that a manifest does not name where nothing was said.
_UNSAID: Final = frozenset({"columns", "values"})


@dataclass(frozen=True)
class Settings:
    """The settings of one analysis.

    Attributes:
        policies: names; the first is the one that figures and sentences follow.
        overrides: choices changed in each policy.
        level: of the intervals; None: the policy's.
        interval: name of the interval; None: the policy's.
        cluster: of the intervals; None: the policy's.
        replicates: of the bootstrap; 0: none.
        seed: of the bootstrap.
        gt: name of the ground truth; None: what the input says.
        figures: svg, all (SVG and PDF) or none.
        margin: by how much a source may be worse and still be as good; None: the study's own.
        by: what else to part numbers by, for groups.csv; of `GROUPINGS`.
        columns: of a table of judgments whose columns have other names: ours -> theirs.
        values: of one that has words of its own for values: column -> theirs -> ours.
    """

    policies: tuple[str, ...] = (DEFAULT_POLICY,)
    overrides: Mapping[str, str] = field(default_factory=dict)
    level: float | None = None
    interval: str | None = None
    cluster: str | None = None
    replicates: int = 1000
    seed: int = 0
    gt: str | None = None
    figures: Figures = "svg"
    margin: float | None = None
    by: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Words = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what cannot be computed.

        Raises:
            ConfigError: a setting is out of its range.
        """
        if not self.policies or len(set(self.policies)) < len(self.policies):
            got = ", ".join(self.policies) or "none"
            raise ConfigError("policies must be one or more, each once", where="--policy", got=got)
        if self.replicates < 0 or self.replicates == 1:
            raise ConfigError(
                "too few replicates",
                where="--replicates",
                got=str(self.replicates),
                expected="0, or 2 or more",
            )
        if self.seed < 0:
            raise ConfigError(
                "a seed is not negative", where="--seed", got=str(self.seed), expected="0 or more"
            )
        if self.level is not None and not LEVELS[0] <= self.level <= LEVELS[1]:
            raise ConfigError(
                "not a confidence level",
                where="--level",
                got=f"{self.level:g}",
                expected=f"{LEVELS[0]:g} to {LEVELS[1]:g}, like 0.95",
            )
        if self.margin is not None and not 0 < self.margin < 1:
            raise ConfigError(
                "not a margin",
                where="--margin",
                got=f"{self.margin:g}",
                expected="a share between 0 and 1, like 0.02",
            )
        if unknown := [name for name in self.by if name not in GROUPINGS]:
            raise ConfigError(
                "cannot part by that", where="--by", got=", ".join(unknown), expected=", ".join(GROUPINGS)
            )
        if self.figures not in FIGURES:
            raise ConfigError(
                "no such figures", where="--figures", got=plain(self.figures), expected=", ".join(FIGURES)
            )

    def resolved(self) -> tuple[Policy, ...]:
        """The policies, with their overrides.

        Raises:
            ConfigError: an unknown policy, choice or value.
        """
        return tuple(get_policy(name, self.overrides) for name in self.policies)

    def to_json(self) -> dict[str, Any]:
        """As the manifest keeps them; columns and values only where some have other names."""
        kept = {
            **asdict(self),
            "policies": list(self.policies),
            "by": list(self.by),
            "overrides": dict(sorted(self.overrides.items())),
            "columns": dict(sorted(self.columns.items())),
            "values": {name: dict(sorted(said.items())) for name, said in sorted(self.values.items())},
        }
        return {name: kept[name] for name in kept if kept[name] or name not in _UNSAID}

    @classmethod
    def from_json(cls, kept: Any, where: str) -> Settings:
        """From a manifest.

        Raises:
            InputError: these are not settings of ours.
        """
        known = {each.name for each in fields(cls)}
        if isinstance(kept, Mapping):
            kept = {**_ADDED, **kept}
        if not isinstance(kept, Mapping) or set(kept) != known:
            got = ", ".join(kept) if isinstance(kept, Mapping) else type(kept).__name__
            raise InputError(
                "not the settings of an analysis", where=where, got=got, expected=", ".join(sorted(known))
            )
        for name, kind in _KEPT.items():
            if not isinstance(kept[name], kind) or isinstance(kept[name], bool):
                raise InputError("a setting of a wrong kind", where=f"{where}: {name}", got=plain(kept[name]))
        words = [*kept["policies"], *kept["by"], *kept["overrides"], *kept["overrides"].values()]
        words += [*kept["columns"], *kept["columns"].values()]
        if not all(isinstance(word, str) for word in words) or not checked(kept["values"]):
            raise InputError("a setting of a wrong kind", where=where, got=plain(words), expected="words")
        policies, by, overrides = tuple(kept["policies"]), tuple(kept["by"]), dict(kept["overrides"])
        columns = dict(kept["columns"])
        values = {name: dict(said) for name, said in kept["values"].items()}
        changed = {
            "policies": policies,
            "by": by,
            "overrides": overrides,
            "columns": columns,
            "values": values,
        }
        settings = cls(**{**kept, **changed})
        settings.check()
        return settings
