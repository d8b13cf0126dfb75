"""The rules of the house: what each file is for, how long it may be, what may import what."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(p for package in ("analysis", "verifier") for p in (ROOT / package).rglob("*.py"))
SOURCES = sorted([*MODULES, *(ROOT / "verifier").rglob("*.js"), *(ROOT / "verifier").rglob("*.css")])
LONGEST_FILE = 500
LONGEST_FUNCTION = 60


class Facts(NamedTuple):
    """What is asked of a module."""

    summary: str
    long: list[str]
    asserts: list[int]


@cache
def facts(path):
    """Of a module that is parsed once for all that is asked of it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return Facts(
        summary=(ast.get_docstring(tree) or "").partition("\n")[0],
        long=[f.name for f in functions if f.end_lineno - f.body[0].lineno >= LONGEST_FUNCTION],
        asserts=[n.lineno for n in nodes if isinstance(n, ast.Assert)],
    )


def name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_the_first_line_says_what_the_module_is_for(path):
    assert len(facts(path).summary) > 15


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_files_stay_short_enough_to_read(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_functions_stay_short_enough_to_read(path):
    assert not facts(path).long


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_input_is_checked_by_assert_and_no_error_is_swallowed(path):
    assert not facts(path).asserts
    assert not re.search(r"except( Exception| BaseException)?:\s*\n\s*pass", path.read_text(encoding="utf-8"))


def test_imports_run_one_way():
    """The contracts in pyproject.toml hold: analysis below verifier, planning below the web, SQL apart."""
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


def test_analysis_imports_with_numpy_pandas_and_scipy_alone():
    """`import analysis` and its core work where nothing else of ours is installed."""
    program = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in BANNED:
            raise ImportError(f'{name} is not installed')
BANNED = 'pyarrow flask sqlalchemy boto3 typer rich jinja2 matplotlib pydantic yaml httpx verifier'.split()
sys.meta_path.insert(0, Absent())
import analysis, pandas
frame = pandas.DataFrame([
    ('d', f'doc{i}', s, 0, 3, 'Q1', f'w{i % 3}', v)
    for i in range(6) for s, v in (('GT', 'verify'), ('M', 'remove' if i else 'verify'))
], columns='dataset document source start end entity worker decision'.split())
result = analysis.evaluate(analysis.load(frame), ['verification_rate'], replicates=50, seed=0)
row = result[(result.source == 'GT') & (result.dataset == 'd')].iloc[0]
assert 0 < row.estimate <= 1, row
print('ok')
"""
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "ok", run.stderr


def test_the_tree_names_no_machine_and_no_registry():
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    words = re.compile(r"(?<![\w.])/work/|/root/|pythonhosted|pypi\.org|registry\.npmjs|deb\.debian")
    others = (ROOT / f for f in listing.stdout.splitlines() if f != name(Path(__file__)))
    texts = {f: f.read_text(encoding="utf-8", errors="ignore") for f in others if f.is_file()}
    assert not [f for f, text in texts.items() if words.search(text)]


def test_no_browser_test_waits_from_inside_a_page():
    """The pages' policy forbids it, so that such a test fails whenever it has to wait at all."""
    drivers = [p for folder in ("browser", "bench", "prove") for p in (ROOT / "tests" / folder).rglob("*.py")]
    assert drivers
    assert not [name(p) for p in drivers if "wait_for_function" in p.read_text(encoding="utf-8")]
