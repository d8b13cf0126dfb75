"""The sections of study.yaml that say what is judged, how it is checked, and how it is analysed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    model_validator,
)

# More of anything than a study can hold; plans are reckoned with numbers of 64 bits.
MOST: Final = 1_000_000_000
_RULE: Final = re.compile(r"([0-9]{1,4}) of ([0-9]{1,4})")
_LUCK: Final = re.compile(r"guess below (0?\.[0-9]{1,6})")


def _rule(text: str) -> str:
    """`all`, `m of n` with 1 <= m <= n, or `guess below p` with p between 0 and 1."""
    found, luck = _RULE.fullmatch(text), _LUCK.fullmatch(text)
    some = found and 1 <= int(found[1]) <= int(found[2])
    if text != "all" and not some and not (luck and float(luck[1]) > 0):
        raise ValueError(
            "expected all, m of n with m from 1 to n, such as 2 of 3, or guess below p with p between 0 and 1"
        )
    return text


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names or len(set(names)) != len(names):
        raise ValueError("expected at least one policy, and each once")
    return names


class Section(BaseModel):
    """A part of study.yaml: closed to unknown keys, fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SampleSection(Section):
    """The part of a study that is judged, drawn by chance.

    Attributes:
        unit: what is drawn: segments or documents with all their sources, or each source's tasks alone.
        method: `simple`: all alike; `stratified`: of each stratum its share; `size`: the more annotations,
            the likelier.
        share: of the units that have something to judge.
        n: their number, in place of a share.
        strata: what parts the units into strata; empty where the method is not `stratified`.
    """

    unit: Literal["segment", "document", "task"] = "segment"
    method: Literal["simple", "stratified", "size"] = "simple"
    share: Annotated[StrictFloat, Field(gt=0, le=1)] | None = None
    n: Annotated[StrictInt, Field(ge=1, le=MOST)] | None = None
    strata: tuple[Literal["dataset", "document", "source"], ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> SampleSection:
        if fault := _sample_fault(self):
            raise ValueError(fault)
        return self


def _sample_fault(sample: SampleSection) -> str:
    """What is wrong between the keys of a sample; empty if nothing is."""
    if (sample.share is None) == (sample.n is None):
        return "expected one of 'share' and 'n'"
    if bool(sample.strata) != (sample.method == "stratified") or len({*sample.strata}) != len(sample.strata):
        return "expected 'strata', each once, where the method is stratified, and only there"
    if sample.unit == "task" and sample.method == "size":
        return (
            "expected the method simple or stratified: tasks that are drawn by size would weigh differently"
        )
    if "source" in sample.strata and sample.unit != "task":
        return "expected no stratum 'source': a segment or document is drawn with all its sources"
    if "document" in sample.strata and sample.unit == "document":
        return "expected other strata: a document is no part of a document"
    return ""


class PlanSection(Section):
    """What is shown, to how many workers, cut how.

    Attributes:
        show: `source`: a task holds one source's annotations; `pooled`: each distinct item once.
        k: judgments wanted for a task, from k different workers.
        splitter: `whole` never cuts a mention of any source; `paper` is the published study's.
        min_chars: a segment closes at the first sentence end at or after this many characters.
        repeat_share: share of tasks judged once more, so that agreement can be measured.
        max_annotations: a task shows no more than so many; a segment that has more is several tasks.
        sample: the part of the study that is judged; null: all of it.
        workers: how many different people can be had; null: as many as it takes.
        reuse: what a later source gives identically to what is planned already is no task of its own; the
            judgments of the old one stand for it too.
    """

    show: Literal["source", "pooled"] = "source"
    k: StrictInt = Field(default=1, ge=1, le=50)
    splitter: Literal["whole", "paper"] = "whole"
    min_chars: StrictInt = Field(default=300, ge=1, le=MOST)
    repeat_share: StrictFloat = Field(default=0.1, ge=0, le=1)
    max_annotations: Annotated[StrictInt, Field(ge=1, le=MOST)] | None = None
    sample: SampleSection | None = None
    workers: Annotated[StrictInt, Field(ge=1, le=MOST)] | None = None
    reuse: StrictBool = False

    @model_validator(mode="after")
    def _can_be_drawn(self) -> PlanSection:
        if self.show == "pooled" and self.sample is not None and self.sample.unit == "task":
            raise ValueError("'plan.sample.unit' must be segment or document where 'plan.show' is pooled")
        return self


class ControlsSection(Section):
    """Tasks whose answer is known.

    Attributes:
        file: controls given by the researcher (posthoc JSONL with `expected`), beside the generated ones.
        generate: make controls from what all sources agree on and from the knowledge base.
        answers_per_task: displays on a generated control task.
        measure: of a place's controls, how many only measure: their answers decide nothing.
        decoys: of a place's controls, how many show a real task with one link put wrong, by which the default
            effect is measured: their answers decide nothing.
        rule: `all` answers right; `m of n` with m given (`2 of 3`); or `guess below p`: so many that who
            guesses passes with a chance under p.
        per: graded for each assignment, or over all of a worker's assignments.
        on_fail: what is done about a failed gate; the judgments stay uncounted in any case.
    """

    file: Path | None = None
    generate: StrictBool = True
    answers_per_task: StrictInt = Field(default=3, ge=1, le=20)
    measure: StrictInt = Field(default=0, ge=0)
    decoys: StrictInt = Field(default=0, ge=0)
    rule: Annotated[str, AfterValidator(_rule)] = "all"
    per: Literal["assignment", "worker"] = "assignment"
    on_fail: Literal["approve_flag", "review"] = "approve_flag"


class AnalysisSection(Section):
    """How the study is analysed unless the command line says otherwise.

    Attributes:
        policies: what choices are made.
        margin: by how much a source may be worse and still be "as good as" the ground truth, as a share.
        lock: the sha256 that `plan --lock` printed; null: none is asked for.
    """

    policies: Annotated[
        tuple[Literal["paper", "original", "recommended"], ...], AfterValidator(_distinct)
    ] = ("recommended",)
    margin: Annotated[StrictFloat, Field(gt=0, lt=1)] | None = None
    lock: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
