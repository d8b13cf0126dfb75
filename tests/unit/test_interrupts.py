"""Ctrl-C in a program's first moments: real processes, interrupted when they look for a module."""

import subprocess
import sys

import pytest

POSTHOC = "from verifier.cli import main; main()"
ANALYSIS = "import runpy; runpy.run_module('analysis', run_name='__main__')"
# Sends the signal while a module is imported; if it is told to, an import makes another error of it.
PROGRAM = """
import os, signal, sys
module, other, *sys.argv = sys.argv[1:]
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            try:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000): pass
            except KeyboardInterrupt:
                if other: raise RuntimeError("made of it")
                raise
sys.meta_path.insert(0, Finder())
"""


def interrupted(entry: str, module: str, *arguments: str, other: str = "") -> tuple[int, str, str]:
    """Status and what was said, of the program interrupted when it looks for a module."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM + entry, module, other, "program", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize(
    ("entry", "module"),
    [
        (POSTHOC, "verifier.cli.app"),
        (POSTHOC, "verifier.cli.serve"),
        (ANALYSIS, "analysis.cli.score"),
    ],
)
def test_ctrl_c_while_the_program_is_imported_ends_it_without_a_word(entry, module):
    assert interrupted(entry, module, "metrics", "none.csv", "--out", "none") == (130, "", "")


@pytest.mark.parametrize("entry", [POSTHOC, ANALYSIS], ids=["posthoc", "analysis"])
def test_ctrl_c_while_a_command_is_imported_does_so_too(entry):
    assert interrupted(entry, "pandas", "metrics", "none.csv", "--out", "none") == (130, "", "")


def test_ctrl_c_of_which_an_import_made_another_error_is_ctrl_c():
    assert interrupted(POSTHOC, "verifier.study", "status", "none", other="yes") == (130, "", "")
