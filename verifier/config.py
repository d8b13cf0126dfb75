"""StudyConfig: the typed form of study.yaml. Unknown keys are errors, each with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
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
from verifier.sections import AnalysisSection, ControlsSection, PlanSection, SampleSection, Section

__all__ = ["AnalysisSection", "ControlsSection", "PlanSection", "SampleSection", "Section", "StudyConfig"]

# What /start reads besides the participant's id.
RESERVED_PARAMETERS: Final = frozenset({"preview", "sig"})
# How panels name the participant in the link; of SONA it is a number for the sign-up, which names nobody.
_PANEL_PARAMETERS: Final = {"connect": "participantId", "sona": "survey_code", "panel": "rid"}
_TASKS: Final = 20
_CONTROLS: Final = 1
_FILLED_IN: Final = ("{code}", "{participant}")


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


def _api_address(text: str) -> str:
    """An address that may have a place for a language."""
    filled = text.replace("{language}", "en")
    if "{" in filled or "}" in filled:
        raise ValueError("expected an address in which nothing but {language} is filled in")
    _public_address(filled)
    return text


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
Film = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,80}\.(mp4|webm)$")]
Language = Annotated[str, StringConstraints(pattern=settings.LANGUAGE)]
PagesLanguage = Annotated[str, StringConstraints(pattern=settings.PAGES_LANGUAGE)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Money = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2), BeforeValidator(_no_boolean)]
Percent = Annotated[
    Decimal, Field(ge=0, le=200, max_digits=9, decimal_places=4), BeforeValidator(_no_boolean)
]
PlatformId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
PanelCode = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
PublicAddress = Annotated[str, AfterValidator(_public_address)]
ApiAddress = Annotated[str, AfterValidator(_api_address)]
ImagesAddress = Annotated[str, StringConstraints(pattern=r"^https?://[A-Za-z0-9.:-]+/[!-~]*$")]
Contact = Annotated[str, StringConstraints(pattern=r"^[!-~]{3,200}$")]
ReturnAddress = Annotated[str, AfterValidator(_return_address)]


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


class KbSection(Section):
    """Where cards and searches come from.

    Attributes:
        kind: `local`: a file that `posthoc kb build` makes; `wikipedia`: asked over the network.
        file: the local one.
        api, wikidata: addresses of the APIs of Wikipedia, with `{language}` for its language, and Wikidata.
        contact: an address or a page by which the operators of these can reach who runs the study.
        keys: what entities are named by in the study: titles of Wikipedia's articles, or Wikidata's items.
        keep_days: an answer is not asked for again for so long.
        cache: the file that keeps the answers.
        images: how addresses of images begin that are fetched for cards; null: none is.
    """

    kind: Literal["local", "wikipedia"] = "local"
    file: Path = Path("kb.db")
    api: ApiAddress = "https://{language}.wikipedia.org/w/api.php"
    wikidata: ApiAddress = "https://www.wikidata.org/w/api.php"
    contact: Contact | None = None
    keys: Literal["wikipedia", "wikidata"] = "wikipedia"
    keep_days: StrictInt = Field(default=30, ge=0, le=3650)
    cache: Path = Path("kb-cache.db")
    images: ImagesAddress | None = "https://upload.wikimedia.org/"


class ServerSection(Section):
    """How the world reaches the task server."""

    public_url: PublicAddress | None = None
    trusted_proxies: StrictInt = Field(default=0, ge=0, le=10)


class LinkPlatform(Section):
    """Plain links: participant id in, completion code or redirect out.

    Attributes:
        preset: what is known of a panel: `connect` (CloudResearch Connect), `sona`, or any `panel`.
        participant_parameter: name of the query parameter that carries the participant's id; null: that of
            the preset, else `participant`.
        signed: only links that `posthoc links` signed lead in.
        complete_url: where to send who has finished; `{code}` and `{participant}` are filled in.
        failed_check_url: where to send who failed the controls; null: as who has finished.
        no_consent_url, nothing_left_url: where to send who did not agree, or found nothing to do; null:
            nowhere.
        complete_code, failed_check_code, no_consent_code, nothing_left_code: the panel's codes for these;
            null: of who has finished one of his own, of the others none.
    """

    kind: Literal["link"] = "link"
    preset: Literal["connect", "sona", "panel"] | None = None
    participant_parameter: Annotated[Name, AfterValidator(_parameter)] | None = None
    signed: StrictBool = False
    complete_url: ReturnAddress | None = None
    failed_check_url: ReturnAddress | None = None
    no_consent_url: ReturnAddress | None = None
    nothing_left_url: ReturnAddress | None = None
    complete_code: PanelCode | None = None
    failed_check_code: PanelCode | None = None
    no_consent_code: PanelCode | None = None
    nothing_left_code: PanelCode | None = None

    @model_validator(mode="after")
    def _as_the_panel_wants(self) -> LinkPlatform:
        if self.preset == "sona" and "{participant}" not in (self.complete_url or ""):
            raise ValueError(
                "expected 'complete_url' to be SONA's completion address, ending in survey_code={participant}"
            )
        return self

    @property
    def parameter(self) -> str:
        """The query parameter that carries the participant's id."""
        return self.participant_parameter or _PANEL_PARAMETERS.get(self.preset or "", "participant")


class MTurkPlatform(Section):
    """MTurk, or what speaks like it: a HIT for each place, whose frame shows the task server.

    Attributes:
        title, description, keywords: what workers find the HITs by.
        lifetime_hours: how long a place can be taken, from when it is published or extended.
        auto_approval_hours: when MTurk pays by itself for what nobody has decided.
        question: `external` shows the task server in the frame; `html` a page there with a link that opens it
            in a window of its own, and a field for the completion code.
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
    question: Literal["external", "html"] = "external"
    frame_height: StrictInt = Field(default=800, ge=0, le=9999)
    endpoint_url: PublicAddress = "http://127.0.0.1:8700"
    worker_url: PublicAddress = "http://127.0.0.1:8701"
    production_url: PublicAddress | None = None
    min_approved_percent: StrictInt | None = Field(default=None, ge=1, le=100)
    min_approved_hits: StrictInt | None = Field(default=None, ge=1)
    countries: tuple[Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")], ...] = ()


class ProlificFilter(Section):
    """Who may take part, as Prolific's filters say it.

    Attributes:
        filter_id: the name of a filter of Prolific's.
        selected_values: the ids of the choices that are let in.
    """

    filter_id: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9_-]{1,100}$")]
    selected_values: tuple[Annotated[str, StringConstraints(min_length=1, max_length=100)], ...]


class ProlificPlatform(Section):
    """Prolific, or what speaks like it: places of one study there, whose link leads to the task server.

    Attributes:
        title, description: what participants read about the study.
        workspace, project: Prolific's ids of where the study is made; null: the only workspace there is, and
            its usual project.
        fee_percent: Prolific's fee with its tax, in percent of what is paid; checked against Prolific's own
            cost call before anything is spent.
        submissions_per_participant: how often one participant may take part.
        devices: what participants may use.
        filters: who may take part; empty: anybody.
        api_url: in the environment local: where the platform answers researchers' programs.
        worker_url: in the environment local: where its participants are.
    """

    kind: Literal["prolific"] = "prolific"
    title: Annotated[str, StringConstraints(min_length=1, max_length=120)] = "Check links in short texts"
    description: Annotated[str, StringConstraints(min_length=1, max_length=5000)] = (
        "Read short texts and say for each highlighted name whether the link is right."
    )
    workspace: PlatformId | None = None
    project: PlatformId | None = None
    fee_percent: Percent = Decimal("42.8")
    submissions_per_participant: StrictInt = Field(default=1, ge=1, le=100)
    devices: tuple[Literal["desktop", "tablet", "mobile"], ...] = ("desktop", "tablet", "mobile")
    filters: tuple[ProlificFilter, ...] = ()
    api_url: PublicAddress = "http://127.0.0.1:8710"
    worker_url: PublicAddress = "http://127.0.0.1:8711"


PLATFORMS: Final[Mapping[str, type[Section]]] = {
    "link": LinkPlatform,
    "mturk": MTurkPlatform,
    "prolific": ProlificPlatform,
}


def _kind(value: Any) -> Any:
    """Which platform a section is of; link, unless it says another."""
    return value.get("kind", "link") if isinstance(value, dict) else getattr(value, "kind", "link")


Platform = Annotated[
    Annotated[LinkPlatform, Tag("link")]
    | Annotated[MTurkPlatform, Tag("mturk")]
    | Annotated[ProlificPlatform, Tag("prolific")],
    Discriminator(
        _kind,
        custom_error_type=settings.KIND,
        custom_error_message="link, mturk or prolific",
    ),
]


class BudgetSection(Section):
    """The most that may be spent, in the place's currency."""

    cap: Money | None = None


class PagesSection(Section):
    """What the worker's pages show and ask.

    Attributes:
        language: of the pages' own texts; `auto` leaves it to each worker's browser.
        consent: name and version of the consent text (a template).
        consent_step, instructions_step, example_step: each step can be switched off.
        require_open: the article must have been opened before verifying.
        verify_after_seconds: a highlight must have been looked at for so long before verifying; beside
            `require_open`, either is enough.
        order: highlights are gone through in the order of the text, or in a random one.
        hidden_links_share: share of an assignment's tasks, drawn by lot, in which the link is hidden until
            the worker has named the entity himself.
        comments: a worker may leave a comment on a highlight.
        missing_mentions: a worker may mark mentions that are not highlighted; never part of the numbers.
        images: cards and answers of a search show images, where there are some.
        video: a film that stands above the instructions: a file in the study's templates/, with captions in
            a file of the same name that ends in .vtt beside it.
    """

    language: PagesLanguage = "en"
    consent: Name = "consent-v1"
    consent_step: StrictBool = True
    instructions_step: StrictBool = True
    example_step: StrictBool = True
    require_open: StrictBool = False
    verify_after_seconds: StrictFloat = Field(default=0, ge=0, le=120)
    order: Literal["text", "random"] = "text"
    hidden_links_share: StrictFloat = Field(default=0, ge=0, le=1)
    comments: StrictBool = False
    missing_mentions: StrictBool = False
    images: StrictBool = True
    video: Film | None = None


class StudyConfig(Section):
    """All of study.yaml."""

    study: StudySection
    database: str = "sqlite:///study.db"
    datasets: dict[Name, DatasetSection] = Field(default_factory=dict)
    sources: dict[Name, SourceSection] = Field(default_factory=dict)
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
    if config is not None and config.kb.kind == "wikipedia" and config.kb.contact is None:
        what = "Wikipedia wants to know whom it can write to"
        remedy = "kb.contact: a mail address or a web page"
        faults.append(Problem(what, file.where(["kb", "kind"]), "no kb.contact", remedy))
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
