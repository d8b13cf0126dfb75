"""StudyConfig: the typed form of study.yaml. Unknown keys are errors, each with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    Tag,
    ValidationError,
    model_validator,
)

from analysis.errors import ConfigError, Problem
from verifier import settings

# What /start reads besides the participant's id.
RESERVED_PARAMETERS: Final = frozenset({"preview"})
_RULE: Final = re.compile(r"([0-9]{1,4}) of ([0-9]{1,4})")
_TASKS: Final = 20
_CONTROLS: Final = 1
_FILLED_IN: Final = ("{code}", "{participant}")


def _rule(text: str) -> str:
    """`all`, or `m of n` with 1 <= m <= n."""
    found = _RULE.fullmatch(text)
    if text != "all" and not (found and 1 <= int(found[1]) <= int(found[2])):
        raise ValueError("expected all, or m of n with m from 1 to n, such as 2 of 3")
    return text


def _address(text: str) -> str:
    """An address of the web: http or https, with a host."""
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or any(letter.isspace() or not letter.isprintable() for letter in text):
        raise ValueError("expected an address such as https://study.example.org")
    return text


def _public_address(text: str) -> str:
    """An address that paths can be put after."""
    parts = urlsplit(_address(text))
    if parts.query or parts.fragment or parts.username or parts.password:
        raise ValueError("expected an address without ?, # or a name before the host")
    return text


def _return_address(text: str) -> str:
    """An address in which `{code}` and `{participant}` may stand, and nothing else in braces."""
    plain = text
    for name in _FILLED_IN:
        plain = plain.replace(name, "x")
    if "{" in plain or "}" in plain:
        raise ValueError("expected an address in which no braces stand but {code} and {participant}")
    _address(plain)
    if _address(text) and urlsplit(text).netloc != urlsplit(plain).netloc:
        raise ValueError("expected the host to be written out, without {code} or {participant}")
    return text


def _parameter(name: str) -> str:
    if name.lower() in RESERVED_PARAMETERS:
        raise ValueError(f"expected another name: {name} has a meaning of its own in the entry link")
    return name


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names or len(set(names)) != len(names):
        raise ValueError("expected at least one policy, and each once")
    return names


def _crossed(place: Mapping[str, Any]) -> str:
    """What is wrong between the keys of `place`, each being right by itself; empty if nothing is."""
    tasks, controls = place.get("tasks", _TASKS), place.get("controls", _CONTROLS)
    if not all(type(number) is int for number in (tasks, controls)) or tasks < 1 or controls < tasks:
        return ""
    return f"'place.controls' ({controls}) must be fewer than 'place.tasks' ({tasks}), which counts them in"


def _no_boolean(value: Any) -> Any:
    """YAML's yes and no are no amounts of money."""
    if isinstance(value, bool):
        raise ValueError('expected an amount such as "3.00"')  # noqa: TRY004 - what pydantic collects
    return value


Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Language = Annotated[str, StringConstraints(pattern=settings.LANGUAGE)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Money = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2), BeforeValidator(_no_boolean)]
PublicAddress = Annotated[str, AfterValidator(_public_address)]
ReturnAddress = Annotated[str, AfterValidator(_return_address)]


class Section(BaseModel):
    """A part of study.yaml: closed to unknown keys, fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class StudySection(Section):
    """What the study is called, and the seed that everything random in it starts from."""

    name: Name
    seed: StrictInt = Field(default=0, ge=0, lt=2**63)


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
    k: StrictInt = Field(default=1, ge=1, le=50)
    splitter: Literal["whole"] = "whole"
    min_chars: StrictInt = Field(default=300, ge=1)
    repeat_share: StrictFloat = Field(default=0.1, ge=0, le=1)


class PlaceSection(Section):
    """What one paid participation holds and pays. `tasks` counts the controls in."""

    tasks: StrictInt = Field(default=_TASKS, ge=1, le=500)
    controls: StrictInt = Field(default=_CONTROLS, ge=0)
    minutes: StrictFloat = Field(default=20, ge=1, le=1440)
    pay: Money = Decimal("3.00")
    currency: Currency = "USD"

    @model_validator(mode="after")
    def _some_real_task(self) -> PlaceSection:
        if fault := _crossed({"tasks": self.tasks, "controls": self.controls}):
            raise ValueError(fault)
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
    generate: StrictBool = True
    answers_per_task: StrictInt = Field(default=3, ge=1, le=20)
    rule: Annotated[str, AfterValidator(_rule)] = "all"
    per: Literal["assignment", "worker"] = "assignment"
    on_fail: Literal["approve_flag", "review"] = "approve_flag"


class KbSection(Section):
    """Where cards and searches come from."""

    kind: Literal["local"] = "local"
    file: Path = Path("kb.db")


class ServerSection(Section):
    """How the world reaches the task server."""

    public_url: PublicAddress | None = None
    trusted_proxies: StrictInt = Field(default=0, ge=0, le=10)


class LinkPlatform(Section):
    """Plain links: participant id in, completion code or redirect out.

    Attributes:
        participant_parameter: name of the query parameter that carries the participant's id.
        complete_url: where to send who has finished; `{code}` and `{participant}` are filled in.
    """

    kind: Literal["link"] = "link"
    participant_parameter: Annotated[Name, AfterValidator(_parameter)] = "participant"
    complete_url: ReturnAddress | None = None


class MTurkPlatform(Section):
    """MTurk, or what speaks like it: a HIT for each place, whose frame shows the task server.

    Attributes:
        title, description, keywords: what workers find the HITs by.
        lifetime_hours: how long a place can be taken, from when it is published or extended.
        auto_approval_hours: when MTurk pays by itself for what nobody has decided.
        frame_height: of the frame, in pixels.
        endpoint_url: in the environment local: where the platform answers requesters.
        worker_url: in the environment local: where its workers are.
        production_url: in the environment production: a service that speaks as MTurk did.
        min_approved_percent, min_approved_hits: what workers must have behind them.
        countries: where they may live, as two letters; empty: anywhere.
    """

    kind: Literal["mturk"] = "mturk"
    title: Annotated[str, StringConstraints(min_length=1, max_length=128)] = "Check links in short texts"
    description: Annotated[str, StringConstraints(min_length=1, max_length=2000)] = (
        "Read short texts and say for each highlighted name whether the link is right."
    )
    keywords: Annotated[str, StringConstraints(max_length=1000)] = "text, links, names, check"
    lifetime_hours: StrictFloat = Field(default=72, ge=0.1, le=8000)
    auto_approval_hours: StrictFloat = Field(default=120, ge=1, le=720)
    frame_height: StrictInt = Field(default=800, ge=0, le=9999)
    endpoint_url: PublicAddress = "http://127.0.0.1:8700"
    worker_url: PublicAddress = "http://127.0.0.1:8701"
    production_url: PublicAddress | None = None
    min_approved_percent: StrictInt | None = Field(default=None, ge=1, le=100)
    min_approved_hits: StrictInt | None = Field(default=None, ge=1)
    countries: tuple[Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")], ...] = ()


PLATFORMS: Final[Mapping[str, type[Section]]] = {"link": LinkPlatform, "mturk": MTurkPlatform}


def _kind(value: Any) -> Any:
    """Which platform a section is of; link, unless it says another."""
    return value.get("kind", "link") if isinstance(value, dict) else getattr(value, "kind", "link")


Platform = Annotated[
    Annotated[LinkPlatform, Tag("link")] | Annotated[MTurkPlatform, Tag("mturk")],
    Discriminator(
        _kind,
        custom_error_type="platform_kind",
        custom_error_message="link or mturk",
    ),
]


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
    consent_step: StrictBool = True
    instructions_step: StrictBool = True
    example_step: StrictBool = True
    require_open: StrictBool = False
    missing_mentions: Literal[False] = False


class AnalysisSection(Section):
    """How the study is analysed unless the command line says otherwise. `lock`: only null is offered."""

    policies: Annotated[
        tuple[Literal["paper", "original", "recommended"], ...], AfterValidator(_distinct)
    ] = ("recommended",)
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
    platform: Platform = LinkPlatform()
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
    file = settings.read(path)
    faults = list(file.problems)
    config = None
    try:
        config = StudyConfig.model_validate(file.values)
    except ValidationError as error:
        # What one section's keys have to do with each other is looked at below, whatever else is wrong.
        found = [_untagged(fault) for fault in error.errors() if not _is_crossed(fault)]
        kind = _kind(file.values.get("platform"))
        faults += [settings.problem(file, fault, partial(_fields_at, kind)) for fault in found]
        place = file.values.get("place")
        if crossed := _crossed(place) if isinstance(place, dict) else "":
            faults.append(Problem(crossed, file.where(["place", "controls"])))
    if config is not None and config.platform.kind == "mturk" and config.place.currency != "USD":
        where = file.where(["place", "currency"])
        faults.append(Problem("MTurk pays in no other currency", where, config.place.currency, "USD"))
    if config is None or faults:
        raise ConfigError.of(sorted(faults, key=settings.line_of))
    return config


def _is_crossed(fault: Any) -> bool:
    return tuple(fault["loc"]) == ("place",) and fault["type"] == "value_error"


def _untagged(fault: Any) -> Any:
    """A finding whose place does not name the platform's kind, which is no key of the file."""
    loc = tuple(fault["loc"])
    return {**fault, "loc": loc[:1] + loc[2:]} if loc[:1] == ("platform",) and len(loc) > 1 else fault


def _fields_at(kind: Any, location: Sequence[Any]) -> list[str]:
    """The keys that the schema allows at `location`, the platform being of a kind."""
    if list(location) == ["platform"]:
        return list(PLATFORMS.get(str(kind), LinkPlatform).model_fields)
    model: Any = StudyConfig
    for part in location:
        field = getattr(model, "model_fields", {}).get(part)
        if field is not None:
            model = field.annotation
            arguments = getattr(model, "__args__", ())
            mapped = [a for a in arguments if isinstance(a, type) and issubclass(a, Section)]
            model = mapped[0] if mapped else model
    return list(getattr(model, "model_fields", {}))
