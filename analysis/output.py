"""`analyze`: from a study to the output folder, written whole or not at all, the same bytes every time."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from analysis import csv_lines
from analysis.bundle import software_version
from analysis.errors import ConfigError, InputError, plain
from analysis.folder import MANIFEST, Kind, refuse_foreign, sha256, written_whole
from analysis.given_types import GROUPING
from analysis.load import load
from analysis.memory import give_back
from analysis.results import Results, compute
from analysis.schema import SCHEMA_VERSION
from analysis.settings import Settings
from analysis.study import Study

if TYPE_CHECKING:
    from analysis.report.drawing import Drawing
    from analysis.report.numbers import Numbers

OUTPUT: Final = Kind("an output folder", "files", lambda files: files)
# Version of the output folder itself.
OUTPUT_VERSION: Final = 1
# A frame of the results each, written as NAME.csv.
_FRAMES: Final = (
    "metrics",
    "comparisons",
    "ranks",
    "sensitivity",
    "coverage",
    "agreement",
    "workers",
    "audit",
    "waterfall",
    "choices",
    "reliability",
    "times",
    "controls",
    "spending",
)
_PACKAGES: Final = ("numpy", "pandas", "scipy", "matplotlib", "jinja2")


def analyze(
    source: Study | str | Path,
    out: str | Path,
    *,
    annotations: str | Path | None = None,
    texts: str | Path | None = None,
    types: str | Path | None = None,
    policies: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
    **wanted: Any,
) -> Results:
    """Compute everything and write the output folder.

    Args:
        source: a bundle folder, a judgments CSV, or a study that is loaded.
        out: the folder to write; an old output of ours is replaced, anything else refused.
        annotations: file of all imported annotations, only beside a judgments CSV.
        texts: of a bundle that left them out; see `analysis.load`.
        types: of entities; the same.
        policies: names; None: those the study declares, or `recommended`.
        progress: is told what happens next.
        wanted: the other fields of `Settings`.

    Returns:
        What was computed and written.

    Raises:
        PosthocError: the input, a setting, or the folder cannot be used.
    """
    tell = progress or (lambda _: None)
    if types is not None and GROUPING not in wanted.get("by", ()):
        raise ConfigError(
            "types of entities are for one grouping", where="types", expected=f"--by {GROUPING}"
        )
    refuse_foreign(Path(out), OUTPUT)
    tell("reading")
    study = (
        source
        if isinstance(source, Study)
        else load(
            source,
            gt=wanted.get("gt"),
            annotations=annotations,
            texts=texts,
            types=types,
            columns=wanted.get("columns"),
            values=wanted.get("values"),
        )
    )
    give_back()
    settings = Settings(policies=tuple(policies or declared_policies(study)), **wanted)
    if study["annotations"].empty:
        raise InputError("there are no annotations, so nothing can be computed")
    tell("computing")
    results = compute(study, settings)
    tell("writing")
    write(results, Path(out), input_hash(source, annotations, types))
    return results


def declared_policies(study: Study) -> tuple[str, ...]:
    """The policies that the study's own configuration names; `recommended` if it names none.

    Raises:
        InputError: what stands there is no list of names.
    """
    config = study.manifest.get("config")
    section = config.get("analysis") if isinstance(config, Mapping) else None
    named = section.get("policies") if isinstance(section, Mapping) else None
    if named is None or named == []:
        return Settings.policies
    if not isinstance(named, list | tuple) or not all(isinstance(name, str) for name in named):
        raise InputError(
            "not a list of policies", where="manifest.json: config.analysis.policies", got=plain(named)
        )
    return tuple(named)


def input_hash(
    source: Study | str | Path, annotations: str | Path | None = None, types: str | Path | None = None
) -> str:
    """One hash of the input: of a bundle's tables; of the bytes of a CSV and of the files given beside it."""
    if isinstance(source, Study):
        tables = source.manifest.get("tables")
        if not isinstance(tables, Mapping):
            tables = {name: _frame_hash(frame) for name, frame in source.tables.items()}
    elif Path(source).is_dir():
        tables = json.loads((Path(source) / MANIFEST).read_text(encoding="utf-8"))["tables"]
    else:
        tables = {"judgments": sha256(Path(source))}
        if annotations is not None:
            tables["annotations"] = sha256(Path(annotations))
    if types is not None:
        tables = {**tables, "types": sha256(Path(types))}
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()


def _frame_hash(frame: pd.DataFrame) -> str:
    return hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()


def write(results: Results, out: Path, source_hash: str) -> None:
    """Write the folder of these results.

    Raises:
        StateError: `out` holds something else.
    """
    with written_whole(out, OUTPUT) as draft:
        _write_frames(results, draft)
        _write_report(results, draft, source_hash)
        manifest = json.dumps(_manifest(results, draft, source_hash), ensure_ascii=False, indent=2)
        (draft / MANIFEST).write_text(f"{manifest}\n", encoding="utf-8")


def _write_frames(results: Results, draft: Path) -> None:
    asked = ("groups",) if results.settings.by else ()
    for name in (*_FRAMES, *asked):
        frame = csv_lines.whole(getattr(results, name))
        csv_lines.write_frame(frame, draft / f"{name}.csv")
    metrics = csv_lines.whole(results.metrics)
    records = metrics.astype(object).where(metrics.notna(), None).to_dict("records")
    text = json.dumps(records, ensure_ascii=False, indent=1, allow_nan=False)
    (draft / "metrics.json").write_text(f"{text}\n", encoding="utf-8")


def _write_report(results: Results, draft: Path, source_hash: str) -> None:
    """Figures, tables and the report. The libraries that draw and render are loaded here and not before."""
    from analysis.report import comparing, facts, gallery, html, resting, tables  # noqa: PLC0415 - they need jinja2

    gathered = facts.gather(results.study, results.measured[0])
    side_by_side = [gallery.numbers_of(results, policy.name) for policy in results.policies]
    drawings = _draw(side_by_side[0], results.settings, draft)
    finished = tables.all_tables(gathered, side_by_side, results.workers)
    compared = comparing.comparing_tables(results.comparisons, results.ranks, results.policies[0].name)
    finished += [table for table in compared if table.rows]
    finished += resting.resting_tables(side_by_side[0])
    (draft / "tables").mkdir()
    for table in finished:
        (draft / "tables" / f"{table.name}.md").write_text(table.markdown(), encoding="utf-8")
        (draft / "tables" / f"{table.name}.tex").write_text(table.latex(), encoding="utf-8")
    parts = html.Parts(
        results, gathered, side_by_side[0], finished, drawings, source_hash, software_version()
    )
    (draft / "report.html").write_text(html.report(parts), encoding="utf-8")
    for name, text in html.to_paste(parts).items():
        (draft / name).write_text(text, encoding="utf-8")


def _draw(numbers: Numbers, settings: Settings, draft: Path) -> list[Drawing]:
    if settings.figures == "none":
        return []
    from analysis.report.gallery import draw  # noqa: PLC0415 - needs matplotlib

    drawings = draw(numbers, pdf=settings.figures == "all")
    (draft / "figures").mkdir()
    for drawing in drawings:
        (draft / "figures" / f"{drawing.name}.svg").write_text(drawing.svg, encoding="utf-8")
        if drawing.pdf:
            (draft / "figures" / f"{drawing.name}.pdf").write_bytes(drawing.pdf)
        if drawing.column:
            (draft / "figures" / f"{drawing.name}-column.pdf").write_bytes(drawing.column)
    return drawings


def _manifest(results: Results, draft: Path, source_hash: str) -> dict[str, Any]:
    """What the folder was made from and with, and the hash of each file in it."""
    files = sorted(path for path in draft.rglob("*") if path.is_file())
    return {
        "output_version": OUTPUT_VERSION,
        "schema_version": SCHEMA_VERSION,
        "software": {
            "posthoc": software_version(),
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in _PACKAGES},
        },
        "input_sha256": source_hash,
        "simulated": results.study.simulated,
        "ground_truth": results.study.ground_truth,
        "settings": results.settings.to_json(),
        "policies": {
            policy.name: {"signature": policy.signature, **policy.choices} for policy in results.policies
        },
        "margin": results.margin,
        "lock": results.study.manifest.get("lock"),
        "departures": list(results.departures),
        "files": {path.relative_to(draft).as_posix(): sha256(path) for path in files},
    }
