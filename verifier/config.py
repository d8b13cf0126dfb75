"""StudyConfig: the typed form of study.yaml. Unknown keys are errors, each with its line."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from analysis.errors import ConfigError, Problem

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Money = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2)]


class Section(BaseModel):
    """A part of study.yaml: closed to unknown keys, fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class StudySection(Section):
    """What the study is called, and the seed that everything random in it starts from."""

    name: Name
    seed: int = Field(default=0, ge=0, lt=2**63)


class DatasetSection(Section):
    """A named corpus."""

    language: Language = "en"
    licence: str | None = None


class SourceSection(Section):
    """Who made annotations."""

    role: Literal["ground_truth", "model"] = "model"
    version: str | None = None


class PlanSection(Section):
    """What is shown, to how many workers, cut how.

    Attributes:
        show: `source`: a task holds one source's annotations; `pooled`: each distinct item once.
        k: judgments wanted for a task, from k different workers.
        splitter: `whole` never cuts a mention of any source.
        min_chars: a segment closes at the first sentence end at or after this many characters.
        repeat_share: share of tasks judged once more, so that agreement can be measured.
    """

    show: Literal["source", "pooled"] = "source"
    k: int = Field(default=1, ge=1, le=50)
    splitter: Literal["whole"] = "whole"
    min_chars: int = Field(default=300, ge=1)
    repeat_share: float = Field(default=0.1, ge=0, le=1)


class PlaceSection(Section):
    """What one paid participation holds and pays. `tasks` counts the controls in."""

    tasks: int = Field(default=20, ge=1, le=500)
    controls: int = Field(default=1, ge=0)
    minutes: float = Field(default=20, gt=0)
    pay: Money = Decimal("3.00")
    currency: Currency = "USD"

    @model_validator(mode="after")
    def _some_real_task(self) -> PlaceSection:
        if self.controls >= self.tasks:
            raise ValueError(f"controls ({self.controls}) must be fewer than tasks ({self.tasks})")
        return self


class ControlsSection(Section):
    """Tasks whose answer is known.

    Attributes:
        file: controls given by the researcher (posthoc JSONL with `expected`), beside the generated ones.
        generate: make controls from what all sources agree on and from the knowledge base.
        answers_per_task: displays on a generated control task.
        rule: `all` answers right, or `m of n` with m given (`2 of 3`).
        per: graded for each assignment, or over all of a worker's assignments.
        on_fail: what is done about a failed gate; the judgments stay uncounted in any case.
    """

    file: Path | None = None
    generate: bool = True
    answers_per_task: int = Field(default=3, ge=1, le=20)
    rule: Annotated[str, StringConstraints(pattern=r"^(all|\d+ of \d+)$")] = "all"
    per: Literal["assignment", "worker"] = "assignment"
    on_fail: Literal["approve_flag", "review"] = "approve_flag"


class KbSection(Section):
    """Where cards and searches come from."""

    kind: Literal["local"] = "local"
    file: Path = Path("kb.db")


class ServerSection(Section):
    """How the world reaches the task server."""

    public_url: str | None = None
    trusted_proxies: int = Field(default=0, ge=0, le=10)


class LinkPlatform(Section):
    """Plain links: participant id in, completion code or redirect out.

    Attributes:
        participant_parameter: name of the query parameter that carries the participant's id.
        complete_url: where to send who has finished; `{code}` and `{participant}` are filled in.
    """

    kind: Literal["link"] = "link"
    participant_parameter: Name = "participant"
    complete_url: str | None = None


class BudgetSection(Section):
    """The most that may be spent, in the place's currency."""

    cap: Money | None = None


class PagesSection(Section):
    """What the worker's pages show and ask.

    Attributes:
        consent: name and version of the consent text (a template).
        consent_step, instructions_step, example_step: each step can be switched off.
        require_open: the article must have been opened before verifying.
        missing_mentions: a channel for mentions nobody marked; only off is offered.
    """

    language: Language = "en"
    consent: Name = "consent-v1"
    consent_step: bool = True
    instructions_step: bool = True
    example_step: bool = True
    require_open: bool = False
    missing_mentions: Literal[False] = False


class AnalysisSection(Section):
    """How the study is analysed unless the command line says otherwise. `lock`: only null is offered."""

    policies: tuple[Literal["paper", "original", "recommended"], ...] = ("recommended",)
    lock: None = None


class StudyConfig(Section):
    """All of study.yaml."""

    study: StudySection
    database: str = "sqlite:///study.db"
    datasets: dict[Name, DatasetSection] = {}
    sources: dict[Name, SourceSection] = {}
    plan: PlanSection = PlanSection()
    place: PlaceSection = PlaceSection()
    controls: ControlsSection = ControlsSection()
    kb: KbSection = KbSection()
    server: ServerSection = ServerSection()
    platform: LinkPlatform = LinkPlatform()
    budget: BudgetSection = BudgetSection()
    pages: PagesSection = PagesSection()
    analysis: AnalysisSection = AnalysisSection()

    def ground_truth(self) -> list[str]:
        """Names of the sources whose role is ground truth."""
        return [name for name, source in self.sources.items() if source.role == "ground_truth"]


def load_config(path: Path) -> StudyConfig:
    """Read and check a study.yaml.

    Raises:
        ConfigError: the file is missing, is no YAML mapping, or breaks the schema; every fault is listed
            with its line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            "no study here", where=str(path), remedy="Make one with: posthoc init DIR"
        ) from None
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise ConfigError("not valid YAML", where=place, got=str(getattr(error, "problem", error))) from None
    if not isinstance(values, dict):
        raise ConfigError("not a mapping of sections", where=f"{path}:1", expected="study: {name: ...}")
    try:
        return StudyConfig.model_validate(values)
    except ValidationError as error:
        faults = [_problem(path, root, fault) for fault in error.errors()]
        raise ConfigError.of(faults) from None


def _problem(path: Path, root: yaml.Node | None, fault: Any) -> Problem:
    location = [part for part in fault["loc"] if part != "[key]"]
    key = ".".join(map(str, location))
    where = f"{path}:{_line(root, location)}"
    if fault["type"] == "extra_forbidden":
        allowed = ", ".join(_fields_at(location[:-1])) or "nothing more"
        return Problem(
            f"unknown key {key!r}", where, expected=allowed, remedy="Remove it or mend its spelling."
        )
    if fault["type"] == "missing":
        return Problem(f"{key!r} is missing", where, remedy="Add it.")
    return Problem(f"{key!r}: {fault['msg']}", where, got=repr(fault["input"]))


def _line(node: yaml.Node | None, location: list[Any]) -> int:
    """The line, 1-based, of the deepest part of `location` that the file has."""
    line = 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if k.value == str(part)]
            if not found:
                break
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line


def _fields_at(location: list[Any]) -> list[str]:
    """The keys that the schema allows at `location`."""
    model: Any = StudyConfig
    for part in location:
        field = getattr(model, "model_fields", {}).get(part)
        if field is not None:
            model = field.annotation
            arguments = getattr(model, "__args__", ())
            mapped = [a for a in arguments if isinstance(a, type) and issubclass(a, Section)]
            model = mapped[0] if mapped else model
    return list(getattr(model, "model_fields", {}))
